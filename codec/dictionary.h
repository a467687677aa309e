/*
 * dictionary.h - substitution of slot texts by control codes (format.md section 5).
 *
 * Frozen: changing the codes breaks existing links.
 *
 *   role      slot                 code                       used
 *   base      single i             01..08 0B 0E..1D           the first 25
 *   base      extended i           00 and U+(0001 + i)        while that is a character up to
 * U+FFFF overlay   single i             1E, 7F                     the first 2 overlay   extended i
 * 1F and U+(0020 + i)        while that is a character up to U+FFFF
 *
 * Slots past the codes are counted and written to the s-text like the others, but never matched.
 * Where the second unit of a code would be a surrogate there is no code: such a text could not be
 * written as UTF-8.
 *
 * A dictionary is immutable once made and may be used by any number of threads.
 */
#ifndef ARX_DICTIONARY_H
#define ARX_DICTIONARY_H

#include "json.h"

typedef enum arx_dictionary_role {
    ARX_DICTIONARY_BASE,
    ARX_DICTIONARY_OVERLAY
} arx_dictionary_role;

typedef struct arx_dictionary arx_dictionary;

/*
 * Makes a dictionary from the parsed asset `{version, singleByteSlots, extendedSlots}`, which need
 * not outlive the call. ARX_MALFORMED for any other shape. Caller frees.
 */
arx_result arx_dictionary_create(arx_dictionary_role role, const arx_json *asset,
                                 arx_dictionary **dictionary) ARX_MUST_CHECK;
void arx_dictionary_free(arx_dictionary *dictionary); /* NULL is fine */

double arx_dictionary_version(const arx_dictionary *dictionary);
size_t arx_dictionary_slots(const arx_dictionary *dictionary); /* single and extended */

/*
 * Appends `text` (WTF-8) with codes for slot texts: left to right, the longest match at each place,
 * of equal texts the first slot. Failure shows in the buffer.
 */
void arx_dictionary_encode(const arx_dictionary *dictionary, const uint8_t *text, size_t len,
                           arx_buf *out);

/*
 * Appends `text` (WTF-8) with slot texts for codes; unknown codes are copied. ARX_OVER_LIMIT, with
 * part of the text appended, before more than `max_units` units would come out.
 */
arx_result arx_dictionary_decode(const arx_dictionary *dictionary, const uint8_t *text, size_t len,
                                 size_t max_units, arx_buf *out) ARX_MUST_CHECK;

/*
 * Appends every slot text, used or not, each followed by LF: single slots, then extended ones. The
 * raw material of the s-text.
 */
void arx_dictionary_write_slots(const arx_dictionary *dictionary, arx_buf *out);

#endif
