/* canonical.c - see canonical.h. */
#include "canonical.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "secret.h"
#include "text.h"

int oui_compare_units(const uint8_t *a, size_t a_len, const uint8_t *b, size_t b_len) {
    size_t common = a_len < b_len ? a_len : b_len;
    size_t i = 0;
    while (i < common && a[i] == b[i]) {
        i++;
    }
    if (i == common) {
        return a_len == b_len ? 0 : a_len < b_len ? -1 : 1;
    }
    /* Beyond U+FFFF text starts with a surrogate, which sorts below U+E000 to U+FFFF. */
    bool a_high = a[i] >= 0xF0;
    bool b_high = b[i] >= 0xF0;
    if (a_high != b_high && a[i] >= 0xEE && b[i] >= 0xEE) {
        return a_high ? -1 : 1;
    }
    return a[i] < b[i] ? -1 : 1;
}

static int compare_members(const void *left, const void *right) {
    const arx_json *a = *(const arx_json *const *)left;
    const arx_json *b = *(const arx_json *const *)right;
    return oui_compare_units(a->key, a->key_len, b->key, b->key_len);
}

/* "0", or digits without a leading zero, at most 4294967294. */
static bool is_array_index(const arx_json *member) {
    const uint8_t *key = member->key;
    size_t len = member->key_len;
    if (len == 0 || len > 10 || (key[0] == '0' && len > 1)) {
        return false;
    }
    uint64_t value = 0;
    for (size_t i = 0; i < len; i++) {
        if (key[i] < '0' || key[i] > '9') {
            return false;
        }
        value = value * 10 + (uint64_t)(key[i] - '0');
    }
    return value <= 4294967294u;
}

static bool is_proto(const arx_json *member) {
    static const char name[] = "__proto__";
    return member->key_len == sizeof name - 1 && memcmp(member->key, name, sizeof name - 1) == 0;
}

typedef struct writer {
    bool canonical; /* else the text of hashes */
    arx_buf *out;
    arx_buf *refusal;
    arx_buf place;
    unsigned depth;
} writer;

static arx_result refuse(writer *self, const char *suffix, const char *what) {
    if (self->refusal != NULL) {
        arx_buf_append_str(self->refusal, "[OUI] ");
        arx_buf_append(self->refusal, self->place.data, self->place.len);
        arx_buf_append_str(self->refusal, suffix);
        arx_buf_append_str(self->refusal, " is not I-JSON: ");
        arx_buf_append_str(self->refusal, what);
    }
    return ARX_MALFORMED;
}

/* The UTF-16 offset of the first lone surrogate. */
static bool find_lone_surrogate(const uint8_t *text, size_t len, size_t *units) {
    size_t pos = 0;
    *units = 0;
    while (pos < len) {
        uint32_t code = arx_text_next(text, len, &pos);
        if (code >= 0xD800 && code <= 0xDFFF) {
            return true;
        }
        *units += code > 0xFFFF && (code & ARX_TEXT_BAD) == 0 ? 2 : 1;
    }
    return false;
}

static arx_result write_string(writer *self, const uint8_t *text, size_t len, const char *suffix) {
    size_t units;
    if (self->canonical && find_lone_surrogate(text, len, &units)) {
        arx_result result = refuse(self, suffix, "a lone surrogate at ");
        if (self->refusal != NULL) {
            arx_buf_append_u64(self->refusal, units);
        }
        return result;
    }
    arx_json_write_string(text, len, self->out);
    return ARX_OK;
}

static arx_result write_value(writer *self, const arx_json *value);

static arx_result write_array(writer *self, const arx_json *array) {
    size_t place = self->place.len;
    size_t i = 0;
    arx_buf_append_byte(self->out, '[');
    for (const arx_json *item = array->as.list.first; item != NULL; item = item->next, i++) {
        if (i > 0) {
            arx_buf_append_byte(self->out, ',');
        }
        arx_buf_append_byte(&self->place, '[');
        arx_buf_append_u64(&self->place, i);
        arx_buf_append_byte(&self->place, ']');
        arx_result result = write_value(self, item);
        if (result != ARX_OK) {
            return result;
        }
        self->place.len = place;
    }
    arx_buf_append_byte(self->out, ']');
    return ARX_OK;
}

static arx_result write_members(writer *self, const arx_json *const *members, size_t count) {
    size_t place = self->place.len;
    arx_buf_append_byte(self->out, '{');
    for (size_t i = 0; i < count; i++) {
        if (i > 0) {
            arx_buf_append_byte(self->out, ',');
        }
        arx_result result = write_string(self, members[i]->key, members[i]->key_len, " key");
        if (result != ARX_OK) {
            return result;
        }
        arx_buf_append_byte(self->out, ':');
        arx_buf_append_byte(&self->place, '.');
        arx_buf_append(&self->place, members[i]->key, members[i]->key_len);
        result = write_value(self, members[i]);
        if (result != ARX_OK) {
            return result;
        }
        self->place.len = place;
    }
    arx_buf_append_byte(self->out, '}');
    return ARX_OK;
}

static arx_result write_object(writer *self, const arx_json *object) {
    size_t total = object->as.list.count;
    if (total == 0) {
        arx_buf_append_str(self->out, "{}");
        return ARX_OK;
    }
    const arx_json **members = malloc(total * sizeof *members);
    if (members == NULL) {
        return ARX_NO_MEMORY;
    }
    size_t count = 0;
    size_t sorted_from = 0; /* array-index keys stand in front already, by number (json.h) */
    for (const arx_json *member = object->as.list.first; member != NULL; member = member->next) {
        if (!self->canonical && is_proto(member)) {
            continue;
        }
        if (!self->canonical && sorted_from == count && is_array_index(member)) {
            sorted_from++;
        }
        members[count++] = member;
    }
    qsort(members + sorted_from, count - sorted_from, sizeof *members, compare_members);
    arx_result result = write_members(self, members, count);
    free(members);
    return result;
}

static arx_result write_value(writer *self, const arx_json *value) {
    arx_result result = ARX_OK;
    if (arx_buf_result(self->out) != ARX_OK || arx_buf_result(&self->place) != ARX_OK) {
        return ARX_NO_MEMORY;
    }
    if (++self->depth > OUI_MAX_DEPTH) {
        return ARX_OVER_LIMIT;
    }
    switch (value->type) {
    case ARX_JSON_ARRAY:
        result = write_array(self, value);
        break;
    case ARX_JSON_OBJECT:
        result = write_object(self, value);
        break;
    case ARX_JSON_STRING:
        result = write_string(self, value->as.string.data, value->as.string.len, "");
        break;
    case ARX_JSON_NUMBER:
        if (self->canonical && !isfinite(value->as.number)) {
            result = refuse(self, "", value->as.number > 0 ? "Infinity" : "-Infinity");
            break;
        }
        arx_json_write(value, self->out);
        break;
    case ARX_JSON_NULL:
    case ARX_JSON_FALSE:
    case ARX_JSON_TRUE:
        arx_json_write(value, self->out);
        break;
    }
    self->depth--;
    return result;
}

static arx_result write_root(bool canonical, const arx_json *value, arx_buf *out,
                             arx_buf *refusal) {
    writer self = {.canonical = canonical, .out = out, .refusal = refusal};
    arx_buf_append_byte(&self.place, '$');
    arx_result result = write_value(&self, value);
    if (result == ARX_OK) {
        result = arx_buf_result(out);
    }
    arx_buf_free(&self.place);
    return result;
}

arx_result oui_canonical_json(const arx_json *value, arx_buf *out, arx_buf *refusal) {
    return write_root(true, value, out, refusal);
}

arx_result oui_sorted_json(const arx_json *value, arx_buf *out) {
    return write_root(false, value, out, NULL);
}

arx_result oui_args_hash(const arx_json *params, char hash[OUI_ARGS_HASH_CHARS + 1],
                         arx_buf *refusal) {
    arx_buf text;
    arx_buf_init(&text, 0);
    arx_result result = oui_canonical_json(params, &text, refusal);
    if (result == ARX_OK) {
        uint8_t digest[SECRET_HASH_BYTES];
        secret_hash((const char *)text.data, text.len, digest);
        secret_hex(digest, hash);
    }
    arx_buf_free(&text);
    return result;
}

bool oui_args_hash_is(const uint8_t *text, size_t len) {
    if (len != OUI_ARGS_HASH_CHARS) {
        return false;
    }
    for (size_t i = 0; i < len; i++) {
        if (!((text[i] >= '0' && text[i] <= '9') || (text[i] >= 'a' && text[i] <= 'f'))) {
            return false;
        }
    }
    return true;
}
