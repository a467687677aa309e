/* fields.c - see fields.h. */
#include "fields.h"

#include <string.h>

#include "clock.h"

/* A comma unless this is the first thing in its object or array. */
static void separate(arx_buf *out) {
    if (out->len > 0 && out->data[out->len - 1] != '{' && out->data[out->len - 1] != '[') {
        arx_buf_append_byte(out, ',');
    }
}

void fields_begin(arx_buf *out) {
    arx_buf_append_byte(out, '{');
}

void fields_end(arx_buf *out) {
    arx_buf_append_byte(out, '}');
}

void field_name(arx_buf *out, const char *name) {
    separate(out);
    arx_json_write_string((const uint8_t *)name, strlen(name), out);
    arx_buf_append_byte(out, ':');
}

void field_string(arx_buf *out, const char *name, const uint8_t *text, size_t len) {
    field_name(out, name);
    if (text == NULL) {
        arx_buf_append_str(out, "null");
    } else {
        arx_json_write_string(text, len, out);
    }
}

void field_text(arx_buf *out, const char *name, const char *text) {
    field_string(out, name, (const uint8_t *)text, text != NULL ? strlen(text) : 0);
}

void field_number(arx_buf *out, const char *name, double number) {
    field_name(out, name);
    arx_json_write_number(number, out);
}

void field_count(arx_buf *out, const char *name, uint64_t number) {
    field_name(out, name);
    arx_buf_append_u64(out, number);
}

void field_bool(arx_buf *out, const char *name, bool value) {
    field_name(out, name);
    arx_buf_append_str(out, value ? "true" : "false");
}

void field_null(arx_buf *out, const char *name) {
    field_name(out, name);
    arx_buf_append_str(out, "null");
}

void field_time(arx_buf *out, const char *name, int64_t unix_ms) {
    char text[CLOCK_ISO_SIZE];
    clock_iso(unix_ms, text);
    field_text(out, name, text);
}

void field_json(arx_buf *out, const char *name, const arx_json *value) {
    field_name(out, name);
    arx_json_write(value, out);
}

void list_begin(arx_buf *out) {
    arx_buf_append_byte(out, '[');
}

void list_item(arx_buf *out) {
    separate(out);
}

void list_end(arx_buf *out) {
    arx_buf_append_byte(out, ']');
}
