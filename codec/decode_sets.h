/*
 * decode_sets.h - decoding where several asset sets are at hand, and the answer as JSON.
 *
 * A compact fragment does not say which set it was coded with. So the active set is tried first,
 * then the others in order, and whoever decodes says which one was used: with another set's
 * dictionary an arx or arx2 payload can decode into other words without any error.
 *
 * Pure; the answer's shape is http-api's POST /decode and the tool's `decode --json`.
 */
#ifndef ARX_DECODE_SETS_H
#define ARX_DECODE_SETS_H

#include "fragment.h"

/*
 * Tries `sets` (at least one; the first is the active one) in order. On ARX_CODE_OK `*used` is the
 * index of the set that decoded; else `error` is what the first set had to say, as every other
 * message would be about a set the fragment was even less likely made with.
 */
arx_code arx_decode_sets(arx_coder *coder, const arx_assets *const *sets, size_t count,
                         const uint8_t *fragment, size_t len, bool skip_budget, size_t *used,
                         arx_decoded *decoded, arx_error *error) ARX_MUST_CHECK;

/*
 * Writes envelope, codec, assetSet, visibleLength, decodedLength and warnings as members without
 * braces. Where the codec depends on the dictionary alone and there are other sets, a warning names
 * them. Failure shows in the buffer.
 */
void arx_decode_result_write(const arx_decoded *decoded, const arx_assets *const *sets,
                             size_t count, size_t used, arx_buf *out);

/*
 * For those who hold sets by their ids and load one only when it is needed. May another set succeed
 * where one failed with `code`? And the same members; no ids at all where none was needed, which
 * makes assetSet null.
 */
bool arx_decode_may_need_other_set(arx_code code, const uint8_t *fragment, size_t len);
void arx_decode_result_write_ids(const arx_decoded *decoded, const char *const *ids, size_t count,
                                 size_t used, arx_buf *out);

/* Does the codec's text depend on the set without a check that would notice the wrong one? */
bool arx_codec_needs_right_set(arx_codec codec);
/* Appends the warning's text: which set was used and which others there are. */
void arx_set_warning(const arx_assets *const *sets, size_t count, size_t used, arx_buf *out);

#endif
