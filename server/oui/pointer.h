/*
 * pointer.h - JSON Pointer (RFC 6901) as OUI reads it. Pure; any thread.
 *
 * Source: OUI 0.7.0, pointerStep, pointerSteps and atPointer.
 */
#ifndef ARXD_OUI_POINTER_H
#define ARXD_OUI_POINTER_H

#include "json.h"

/* Appends one step to a pointer: a member's name, or a row's number. */
void oui_pointer_name(arx_buf *pointer, const uint8_t *name, size_t len);
void oui_pointer_row(arx_buf *pointer, size_t row);

/* "" or text that starts with "/". */
bool oui_pointer_is(const uint8_t *pointer, size_t len);

/*
 * Walks. NULL when there is nothing (a null that is found is a value, and so is never NULL), and
 * for what is no pointer. ARX_NO_MEMORY only.
 */
arx_result oui_pointer_find(arx_json *value, const uint8_t *pointer, size_t len,
                            arx_json **found) ARX_MUST_CHECK;

/*
 * The next step, unescaped, replaces `step`'s content; moves `*pos`, which starts at 0. False
 * behind the last.
 */
bool oui_pointer_next(const uint8_t *pointer, size_t len, size_t *pos, arx_buf *step);

#endif
