/*
 * fields.h - JSON objects of a fixed shape, written straight into a buffer by codec/json's writer.
 *
 *     fields_begin(&out);
 *     field_text(&out, "status", "ok");
 *     fields_end(&out);
 *
 * Commas come by themselves. A failure shows in the buffer, once, at the end. Pure.
 */
#ifndef ARXD_FIELDS_H
#define ARXD_FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "json.h"

void fields_begin(arx_buf *out);
void fields_end(arx_buf *out);
/* A member whose value the caller appends next; fields_begin() and list_begin() among others. */
void field_name(arx_buf *out, const char *name);

/* text: WTF-8; NULL writes null. */
void field_string(arx_buf *out, const char *name, const uint8_t *text, size_t len);
void field_text(arx_buf *out, const char *name, const char *text);
void field_number(arx_buf *out, const char *name, double number);
void field_count(arx_buf *out, const char *name, uint64_t number);
void field_bool(arx_buf *out, const char *name, bool value);
void field_null(arx_buf *out, const char *name);
/* ISO 8601, UTC, with milliseconds. */
void field_time(arx_buf *out, const char *name, int64_t unix_ms);
void field_json(arx_buf *out, const char *name, const arx_json *value);

/* Arrays: list_item() before each element, which the caller then appends. */
void list_begin(arx_buf *out);
void list_item(arx_buf *out);
void list_end(arx_buf *out);

#endif
