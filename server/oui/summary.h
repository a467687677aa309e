/*
 * summary.h - what an index says of an action in a line: the first sentence of its description, and
 * what it takes. Pure; any thread.
 *
 * Lengths are UTF-16 code units. Text is WTF-8 and appended to `out`, where a failure shows. A cut
 * may split a surrogate pair; its first half is kept then.
 *
 * Source: OUI 0.7.0, clip, firstSentence, valueSummary and summarizeInput. Frozen: index hashes
 * depend on every byte.
 */
#ifndef ARXD_OUI_SUMMARY_H
#define ARXD_OUI_SUMMARY_H

#include "json.h"

#define OUI_DESCRIPTION_UNITS 160
#define OUI_INPUT_UNITS       120
#define OUI_INPUT_PROPERTIES  6
#define OUI_ENUM_VALUES       4

/* The first `units` units. */
void oui_text_head(const uint8_t *text, size_t len, size_t units, arx_buf *out);
/* Text of at most `max` units (at least 1): what is longer is cut and ends in an ellipsis. */
void oui_clip(const uint8_t *text, size_t len, size_t max, arx_buf *out);
void oui_first_sentence(const uint8_t *text, size_t len, arx_buf *out);

/* Of a schema; "any" for one that says nothing. */
void oui_value_summary(const arx_json *schema, arx_buf *out);
/* Of an action's input; NULL: it has none. */
void oui_input_summary(const arx_json *schema, arx_buf *out);

#endif
