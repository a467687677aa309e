/* summary.c - see summary.h. */
#include "summary.h"

#include <string.h>

#include "text.h"

#define ELLIPSIS    "\xE2\x80\xA6"
#define EN_DASH     "\xE2\x80\x93"
#define AT_LEAST    "\xE2\x89\xA5"
#define AT_MOST     "\xE2\x89\xA4"
#define MAX_NESTING 64 /* of lists of lists, and of arrays among enum values */

/* ---- text ---- */

void oui_text_head(const uint8_t *text, size_t len, size_t units, arx_buf *out) {
    size_t pos = 0;
    while (pos < len && units > 0) {
        size_t start = pos;
        uint32_t code = arx_text_next(text, len, &pos);
        bool pair = code > 0xFFFF && (code & ARX_TEXT_BAD) == 0;
        if (pair && units == 1) {
            arx_text_append(out, 0xD800u + ((code - 0x10000u) >> 10));
            return;
        }
        arx_buf_append(out, text + start, pos - start);
        units -= pair ? 2 : 1;
    }
}

static void trim_end(arx_buf *out, size_t from) {
    while (out->len > from) {
        size_t start = out->len - 1;
        while (start > from && (out->data[start] & 0xC0) == 0x80) {
            start--;
        }
        size_t pos = start;
        if (!arx_text_is_space(arx_text_next(out->data, out->len, &pos))) {
            return;
        }
        out->len = start;
    }
}

void oui_clip(const uint8_t *text, size_t len, size_t max, arx_buf *out) {
    if (!arx_text_units_exceed(text, len, max)) {
        arx_buf_append(out, text, len);
        return;
    }
    size_t from = out->len;
    oui_text_head(text, len, max - 1, out);
    trim_end(out, from);
    arx_buf_append_str(out, ELLIPSIS);
}

/* The text with every run of white space as one space, and none at its ends. */
static void collapse(const uint8_t *text, size_t len, arx_buf *out) {
    size_t pos = 0;
    bool gap = false;
    while (pos < len) {
        size_t start = pos;
        if (arx_text_is_space(arx_text_next(text, len, &pos))) {
            gap = true;
            continue;
        }
        if (gap && out->len > 0) {
            arx_buf_append_byte(out, ' ');
        }
        gap = false;
        arx_buf_append(out, text + start, pos - start);
    }
}

static bool starts_sentence(uint8_t byte) {
    return (byte >= 'A' && byte <= 'Z') || (byte >= '0' && byte <= '9') ||
           (byte != '\0' && strchr("\"'([", byte) != NULL);
}

void oui_first_sentence(const uint8_t *text, size_t len, arx_buf *out) {
    arx_buf line;
    arx_buf_init(&line, 0);
    collapse(text, len, &line);
    if (arx_buf_result(&line) != ARX_OK) {
        out->status = ARX_NO_MEMORY;
    }
    size_t end = line.len;
    for (size_t i = 0; i + 2 < line.len; i++) {
        if (strchr(".!?", line.data[i]) != NULL && line.data[i] != '\0' &&
            line.data[i + 1] == ' ' && starts_sentence(line.data[i + 2])) {
            end = i + 1;
            break;
        }
    }
    oui_clip(line.data, end, OUI_DESCRIPTION_UNITS, out);
    arx_buf_free(&line);
}

/* ---- what JavaScript makes of a schema's members ---- */

static void append_string(const arx_json *string, arx_buf *out) {
    arx_buf_append(out, string->as.string.data, string->as.string.len);
}

static bool is_filled_string(const arx_json *value) {
    return arx_json_is(value, ARX_JSON_STRING) && value->as.string.len > 0;
}

/* Members or items; 0 for what is neither. */
static size_t count_of(const arx_json *value) {
    bool list = arx_json_is(value, ARX_JSON_ARRAY) || arx_json_is(value, ARX_JSON_OBJECT);
    return list ? value->as.list.count : 0;
}

/* String(value): arrays joined by commas, null items among them empty. */
static void plain_text(const arx_json *value, unsigned nesting, arx_buf *out) {
    switch (value->type) {
    case ARX_JSON_STRING:
        append_string(value, out);
        break;
    case ARX_JSON_OBJECT:
        arx_buf_append_str(out, "[object Object]");
        break;
    case ARX_JSON_ARRAY:
        for (const arx_json *item = value->as.list.first; item != NULL; item = item->next) {
            if (item->type != ARX_JSON_NULL && nesting < MAX_NESTING) {
                plain_text(item, nesting + 1, out);
            }
            if (item->next != NULL) {
                arx_buf_append_byte(out, ',');
            }
        }
        break;
    case ARX_JSON_NULL:
    case ARX_JSON_FALSE:
    case ARX_JSON_TRUE:
    case ARX_JSON_NUMBER:
        arx_json_write(value, out);
        break;
    }
}

static bool is_simple(const arx_json *value) {
    return value != NULL && value->type != ARX_JSON_NULL && value->type != ARX_JSON_ARRAY &&
           value->type != ARX_JSON_OBJECT;
}

static const arx_json *enum_of(const arx_json *schema) {
    const arx_json *values = arx_json_get(schema, "enum");
    return arx_json_is(values, ARX_JSON_ARRAY) ? values : NULL;
}

/* The one value a schema allows, or NULL. */
static const arx_json *constant_of(const arx_json *schema) {
    const arx_json *constant = arx_json_get(schema, "const");
    if (is_simple(constant)) {
        return constant;
    }
    const arx_json *values = enum_of(schema);
    return values != NULL && values->as.list.count == 1 ? values->as.list.first : NULL;
}

/* The members of a union, or NULL. An empty oneOf hides anyOf. */
static const arx_json *union_of(const arx_json *schema) {
    const arx_json *members = arx_json_get(schema, "oneOf");
    if (members == NULL || members->type == ARX_JSON_NULL) {
        members = arx_json_get(schema, "anyOf");
    }
    return arx_json_is(members, ARX_JSON_ARRAY) && members->as.list.count > 0 ? members : NULL;
}

static void type_of(const arx_json *schema, arx_buf *out) {
    const arx_json *type = arx_json_get(schema, "type");
    if (!arx_json_is(type, ARX_JSON_ARRAY)) {
        if (arx_json_is(type, ARX_JSON_STRING)) {
            append_string(type, out);
        }
        return;
    }
    for (const arx_json *word = type->as.list.first; word != NULL; word = word->next) {
        if (word->type != ARX_JSON_NULL) {
            plain_text(word, 0, out);
        }
        if (word->next != NULL) {
            arx_buf_append_byte(out, '|');
        }
    }
}

static bool text_is(const arx_buf *text, const char *word) {
    return text->len == strlen(word) &&
           (text->len == 0 || memcmp(text->data, word, text->len) == 0);
}

/* ---- a value ---- */

static void write_enum(const arx_json *values, arx_buf *out) {
    size_t shown = 0;
    const arx_json *value = values->as.list.first;
    for (; value != NULL && shown < OUI_ENUM_VALUES; value = value->next, shown++) {
        if (shown > 0) {
            arx_buf_append_byte(out, '|');
        }
        plain_text(value, 0, out);
    }
    if (value != NULL) {
        arx_buf_append_str(out, "|" ELLIPSIS "(");
        arx_buf_append_u64(out, values->as.list.count);
        arx_buf_append_byte(out, ')');
    }
}

static void write_number_type(const arx_json *schema, const arx_buf *type, arx_buf *out) {
    const arx_json *min = arx_json_get(schema, "minimum");
    const arx_json *max = arx_json_get(schema, "maximum");
    const arx_json *unit = arx_json_get(schema, "x-unit");
    arx_buf_append(out, type->data, type->len);
    if (min != NULL || max != NULL) {
        arx_buf_append_byte(out, ' ');
    }
    if (min != NULL) {
        arx_buf_append_str(out, max != NULL ? "" : AT_LEAST);
        plain_text(min, 0, out);
    }
    if (max != NULL) {
        arx_buf_append_str(out, min != NULL ? EN_DASH : AT_MOST);
        plain_text(max, 0, out);
    }
    if (is_filled_string(unit)) {
        arx_buf_append_byte(out, ' ');
        append_string(unit, out);
    }
}

static void write_counted(const char *before, size_t count, const char *behind, arx_buf *out) {
    arx_buf_append_str(out, before);
    arx_buf_append_u64(out, count);
    arx_buf_append_str(out, behind);
}

static void summarise(const arx_json *schema, unsigned nesting, arx_buf *out);

static void write_list_type(const arx_json *schema, unsigned nesting, arx_buf *out) {
    const arx_json *items = arx_json_get(schema, "items");
    bool says = items != NULL && items->type != ARX_JSON_NULL && items->type != ARX_JSON_FALSE;
    arx_buf_append_str(out, says ? "list of " : "list");
    if (says && nesting < MAX_NESTING) {
        summarise(items, nesting + 1, out);
    }
}

static void write_type(const arx_json *schema, unsigned nesting, arx_buf *out) {
    arx_buf type;
    arx_buf_init(&type, 0);
    type_of(schema, &type);
    if (arx_buf_result(&type) != ARX_OK) {
        out->status = ARX_NO_MEMORY;
    }
    if (text_is(&type, "number") || text_is(&type, "integer")) {
        write_number_type(schema, &type, out);
    } else if (text_is(&type, "array")) {
        write_list_type(schema, nesting, out);
    } else if (text_is(&type, "object")) {
        size_t count = count_of(arx_json_get(schema, "properties"));
        if (count > 0) {
            write_counted("object(", count, ")", out);
        } else {
            arx_buf_append_str(out, "object");
        }
    } else if (type.len > 0) {
        const arx_json *format = arx_json_get(schema, "format");
        arx_buf_append(out, type.data, type.len);
        if (text_is(&type, "string") && is_filled_string(format)) {
            arx_buf_append_byte(out, '(');
            append_string(format, out);
            arx_buf_append_byte(out, ')');
        }
    } else {
        arx_buf_append_str(out, "any");
    }
    arx_buf_free(&type);
}

static void summarise(const arx_json *schema, unsigned nesting, arx_buf *out) {
    const arx_json *values = enum_of(schema);
    const arx_json *constant = arx_json_get(schema, "const");
    const arx_json *members = union_of(schema);
    if (values == NULL && is_simple(constant)) {
        arx_json_write(constant, out);
    } else if (values != NULL) {
        write_enum(values, out);
    } else if (members != NULL) {
        write_counted("one of ", members->as.list.count, "", out);
    } else {
        write_type(schema, nesting, out);
    }
}

void oui_value_summary(const arx_json *schema, arx_buf *out) {
    summarise(schema, 0, out);
}

/* ---- an input ---- */

/* Member by a name that may hold anything. */
static const arx_json *member_like(const arx_json *object, const arx_json *named) {
    if (!arx_json_is(object, ARX_JSON_OBJECT)) {
        return NULL;
    }
    for (const arx_json *member = object->as.list.first; member != NULL; member = member->next) {
        if (member->key_len == named->key_len &&
            memcmp(member->key, named->key, named->key_len) == 0) {
            return member;
        }
    }
    return NULL;
}

/* Two constants that are one member of a JavaScript Set; arrays and objects are never. */
static bool same_constant(const arx_json *a, const arx_json *b) {
    if (a->type != b->type) {
        return false;
    }
    switch (a->type) {
    case ARX_JSON_STRING:
        return arx_json_strings_equal(a, b);
    case ARX_JSON_NUMBER:
        return !(a->as.number < b->as.number) && !(a->as.number > b->as.number);
    case ARX_JSON_ARRAY:
    case ARX_JSON_OBJECT:
        return false;
    case ARX_JSON_NULL:
    case ARX_JSON_FALSE:
    case ARX_JSON_TRUE:
        break;
    }
    return true;
}

static const arx_json *constant_in(const arx_json *member, const arx_json *name) {
    return constant_of(member_like(arx_json_get(member, "properties"), name));
}

static bool tells_apart(const arx_json *members, const arx_json *name) {
    for (const arx_json *a = members->as.list.first; a != NULL; a = a->next) {
        const arx_json *constant = constant_in(a, name);
        if (constant == NULL) {
            return false;
        }
        for (const arx_json *b = members->as.list.first; b != a; b = b->next) {
            if (same_constant(constant, constant_in(b, name))) {
                return false;
            }
        }
    }
    return true;
}

static const arx_json *discriminator_of(const arx_json *members) {
    const arx_json *first = arx_json_get(members->as.list.first, "properties");
    const arx_json *name = count_of(first) > 0 ? first->as.list.first : NULL;
    while (name != NULL && !tells_apart(members, name)) {
        name = name->next;
    }
    return name;
}

static bool is_required(const arx_json *required, const arx_json *name) {
    const arx_json *item = arx_json_is(required, ARX_JSON_ARRAY) ? required->as.list.first : NULL;
    for (; item != NULL; item = item->next) {
        if (item->type == ARX_JSON_STRING && item->as.string.len == name->key_len &&
            memcmp(item->as.string.data, name->key, name->key_len) == 0) {
            return true;
        }
    }
    return false;
}

static void write_properties(const arx_json *properties, const arx_json *required, arx_buf *out) {
    size_t shown = 0;
    for (int optional = 0; optional <= 1; optional++) {
        const arx_json *name = properties->as.list.first;
        for (; name != NULL && shown < OUI_INPUT_PROPERTIES; name = name->next) {
            if (is_required(required, name) == (optional != 0)) {
                continue;
            }
            arx_buf_append_str(out, shown++ > 0 ? ", " : "");
            arx_buf_append(out, name->key, name->key_len);
            arx_buf_append_str(out, optional != 0 ? "?: " : ": ");
            oui_value_summary(name, out);
        }
    }
    if (properties->as.list.count > shown) {
        write_counted(", +", properties->as.list.count - shown, " more", out);
    }
}

static void write_input(const arx_json *schema, arx_buf *out) {
    const arx_json *members = union_of(schema);
    const arx_json *properties = arx_json_get(schema, "properties");
    if (members != NULL) {
        const arx_json *name = discriminator_of(members);
        write_counted("one of ", members->as.list.count, " shapes", out);
        if (name != NULL && name->key_len > 0) {
            arx_buf_append_str(out, " by ");
            arx_buf_append(out, name->key, name->key_len);
        }
    } else if (count_of(properties) > 0) {
        write_properties(properties, arx_json_get(schema, "required"), out);
    } else {
        arx_buf type;
        arx_buf_init(&type, 0);
        type_of(schema, &type);
        if (type.len > 0 && !text_is(&type, "object")) {
            oui_value_summary(schema, out);
        } else {
            arx_buf_append_str(out, "none");
        }
        arx_buf_free(&type);
    }
}

void oui_input_summary(const arx_json *schema, arx_buf *out) {
    arx_buf line;
    arx_buf_init(&line, 0);
    if (schema == NULL || schema->type == ARX_JSON_NULL || schema->type == ARX_JSON_FALSE) {
        arx_buf_append_str(&line, "none");
    } else {
        write_input(schema, &line);
    }
    if (arx_buf_result(&line) != ARX_OK) {
        out->status = ARX_NO_MEMORY;
    }
    bool whole = line.len == 0; /* clip() of "" */
    oui_clip(whole ? (const uint8_t *)"" : line.data, line.len, OUI_INPUT_UNITS, out);
    arx_buf_free(&line);
}
