/* schema.c - see schema.h. */
#include "schema.h"

#include <math.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "copy.h"
#include "oui/canonical.h"
#include "oui/pointer.h"
#include "text.h"

/* ---- a schema, read ---- */

enum {
    TYPE_NULL = 1u << 0,
    TYPE_BOOLEAN = 1u << 1,
    TYPE_NUMBER = 1u << 2,
    TYPE_INTEGER = 1u << 3,
    TYPE_STRING = 1u << 4,
    TYPE_ARRAY = 1u << 5,
    TYPE_OBJECT = 1u << 6,
};

static const struct {
    const char *word;
    unsigned bit;
} types[] = {
    {"null", TYPE_NULL},       {"boolean", TYPE_BOOLEAN}, {"number", TYPE_NUMBER},
    {"integer", TYPE_INTEGER}, {"string", TYPE_STRING},   {"array", TYPE_ARRAY},
    {"object", TYPE_OBJECT},
};

typedef struct member {
    const arx_json *name; /* the node whose key it is */
    struct schema *schema;
} member;

/* A bound and the keyword that sets it; absent while `word` is NULL. */
typedef struct bound {
    const char *word;
    double value;
} bound;

struct schema {
    unsigned types; /* 0: any */
    const arx_json *constant;
    const arx_json *values;
    member *members;
    size_t member_count;
    const arx_json *required;
    bool closed;
    bound min_properties;
    schema *items;
    bound min_items;
    bound max_items;
    bound min_length;
    bound max_length;
    bound minimum;
    bound maximum;
    const arx_json *pattern;
    regex_t regex; /* with `pattern` */
};

typedef struct reading {
    char *why;
    size_t why_size;
} reading;

static bool say(const reading *r, const char *word, const char *text) {
    (void)snprintf(r->why, r->why_size, "\"%s\" %s", word, text);
    return false;
}

/* ---- the keywords ---- */

typedef bool read_keyword(const reading *r, schema *self, const char *word, const arx_json *value);

static bool read_type(const reading *r, schema *self, const char *word, const arx_json *value) {
    const arx_json *one = arx_json_is(value, ARX_JSON_ARRAY) ? value->as.list.first : value;
    for (bool more = one != NULL; more; one = one->next) {
        size_t i = 0;
        while (i < sizeof types / sizeof types[0] && !arx_json_string_is(one, types[i].word)) {
            i++;
        }
        if (i == sizeof types / sizeof types[0]) {
            return say(r, word, "names no type");
        }
        self->types |= types[i].bit;
        more = one != value && one->next != NULL;
    }
    return self->types != 0 || say(r, word, "is empty");
}

static bool read_enum(const reading *r, schema *self, const char *word, const arx_json *value) {
    self->values = value;
    bool filled = arx_json_is(value, ARX_JSON_ARRAY) && value->as.list.count > 0;
    return filled || say(r, word, "must be a list with something in it");
}

static bool read_const(const reading *r, schema *self, const char *word, const arx_json *value) {
    (void)r;
    (void)word;
    self->constant = value;
    return true;
}

static schema *open_schema(const reading *r, const arx_json *definition);

static bool read_properties(const reading *r, schema *self, const char *word,
                            const arx_json *value) {
    if (!arx_json_is(value, ARX_JSON_OBJECT)) {
        return say(r, word, "must be an object");
    }
    self->members = calloc(value->as.list.count + 1, sizeof *self->members);
    if (self->members == NULL) {
        return say(r, word, "found no memory");
    }
    for (const arx_json *name = value->as.list.first; name != NULL; name = name->next) {
        schema *child = open_schema(r, name);
        if (child == NULL) {
            return false;
        }
        self->members[self->member_count++] = (member){name, child};
    }
    return true;
}

static bool read_required(const reading *r, schema *self, const char *word, const arx_json *value) {
    self->required = value;
    bool strings = arx_json_is(value, ARX_JSON_ARRAY);
    const arx_json *name = strings ? value->as.list.first : NULL;
    for (; name != NULL; name = name->next) {
        strings = strings && name->type == ARX_JSON_STRING;
    }
    return strings || say(r, word, "must be a list of strings");
}

static bool read_additional(const reading *r, schema *self, const char *word,
                            const arx_json *value) {
    self->closed = value->type == ARX_JSON_FALSE;
    return self->closed || value->type == ARX_JSON_TRUE || say(r, word, "must be true or false");
}

static bool read_items(const reading *r, schema *self, const char *word, const arx_json *value) {
    (void)word;
    self->items = open_schema(r, value);
    return self->items != NULL;
}

static bool read_bound(const reading *r, schema *self, const char *word, const arx_json *value) {
    const struct {
        const char *word;
        bound *where;
        bool counts;
    } bounds[] = {
        {"minimum", &self->minimum, false},
        {"maximum", &self->maximum, false},
        {"minLength", &self->min_length, true},
        {"maxLength", &self->max_length, true},
        {"minItems", &self->min_items, true},
        {"maxItems", &self->max_items, true},
        {"minProperties", &self->min_properties, true},
    };
    for (size_t i = 0; i < sizeof bounds / sizeof bounds[0]; i++) {
        if (strcmp(bounds[i].word, word) != 0) {
            continue;
        }
        bool sound = value->type == ARX_JSON_NUMBER && isfinite(value->as.number) &&
                     (!bounds[i].counts ||
                      (value->as.number >= 0 && !(value->as.number > floor(value->as.number))));
        *bounds[i].where = (bound){bounds[i].word, sound ? value->as.number : 0};
        return sound || say(r, word, "must be a number (of a size: a whole one)");
    }
    return false;
}

static bool read_pattern(const reading *r, schema *self, const char *word, const arx_json *value) {
    const char *text = value->type == ARX_JSON_STRING ? (const char *)value->as.string.data : NULL;
    size_t len = text != NULL ? value->as.string.len : 0;
    if (len < 2 || text[0] != '^' || text[len - 1] != '$' || memchr(text, '\\', len) != NULL ||
        memchr(text, '.', len) != NULL || memchr(text, '\0', len) != NULL ||
        memmem(text, len, "(?", 2) != NULL) {
        return say(r, word, "must be anchored at both ends, without backslash, dot and (?");
    }
    char *copy = copy_string(text, len);
    bool compiled = copy != NULL && regcomp(&self->regex, copy, REG_EXTENDED | REG_NOSUB) == 0;
    free(copy);
    self->pattern = compiled ? value : NULL;
    return compiled || say(r, word, "is no regular expression");
}

static bool pass_over(const reading *r, schema *self, const char *word, const arx_json *value) {
    (void)r;
    (void)self;
    (void)word;
    (void)value;
    return true;
}

static const struct {
    const char *word;
    read_keyword *read;
} keywords[] = {
    {"type", read_type},           {"enum", read_enum},
    {"const", read_const},         {"properties", read_properties},
    {"required", read_required},   {"additionalProperties", read_additional},
    {"items", read_items},         {"pattern", read_pattern},
    {"minimum", read_bound},       {"maximum", read_bound},
    {"minLength", read_bound},     {"maxLength", read_bound},
    {"minItems", read_bound},      {"maxItems", read_bound},
    {"minProperties", read_bound}, {"title", pass_over},
    {"description", pass_over},    {"default", pass_over},
    {"x-unit", pass_over},
};

static bool key_is(const arx_json *node, const char *word) {
    return node->key_len == strlen(word) && memcmp(node->key, word, node->key_len) == 0;
}

static bool read_member(const reading *r, schema *self, const arx_json *value) {
    for (size_t i = 0; i < sizeof keywords / sizeof keywords[0]; i++) {
        if (key_is(value, keywords[i].word)) {
            return keywords[i].read(r, self, keywords[i].word, value);
        }
    }
    (void)snprintf(r->why, r->why_size, "\"%.*s\" is no keyword this server checks",
                   (int)(value->key_len < 40 ? value->key_len : 40), (const char *)value->key);
    return false;
}

static schema *open_schema(const reading *r, const arx_json *definition) {
    schema *self = calloc(1, sizeof *self);
    bool sound = arx_json_is(definition, ARX_JSON_OBJECT);
    if (self == NULL || !sound) {
        (void)snprintf(r->why, r->why_size, self == NULL ? "no memory" : "a schema is no object");
        free(self);
        return NULL;
    }
    const arx_json *value = definition->as.list.first;
    for (; sound && value != NULL; value = value->next) {
        sound = read_member(r, self, value);
    }
    if (!sound) {
        schema_free(self);
        return NULL;
    }
    return self;
}

schema *schema_open(const arx_json *definition, char *why, size_t why_size) {
    const reading r = {why, why_size};
    return open_schema(&r, definition);
}

void schema_free(schema *self) {
    if (self == NULL) {
        return;
    }
    for (size_t i = 0; i < self->member_count; i++) {
        schema_free(self->members[i].schema);
    }
    if (self->pattern != NULL) {
        regfree(&self->regex);
    }
    free(self->members);
    schema_free(self->items);
    free(self);
}

/* ---- checking ---- */

void schema_fault_free(schema_fault *fault) {
    arx_buf_free(&fault->path);
    arx_buf_free(&fault->message);
    *fault = (schema_fault){0};
}

/* Begins the sentence: `"/a/b" must `, or `The params must `. */
static schema_result fail(schema_fault *fault, const char *rule, const char *text) {
    fault->rule = rule;
    if (fault->path.len > 0) {
        arx_json_write_string(fault->path.data, fault->path.len, &fault->message);
    } else {
        arx_buf_append_str(&fault->message, "The value");
    }
    arx_buf_append_byte(&fault->message, ' ');
    arx_buf_append_str(&fault->message, text);
    return SCHEMA_INVALID;
}

static schema_result fail_value(schema_fault *fault, const char *rule, const char *text,
                                const arx_json *value) {
    (void)fail(fault, rule, text);
    arx_json_write(value, &fault->message);
    arx_buf_append_byte(&fault->message, '.');
    return SCHEMA_INVALID;
}

static schema_result fail_number(schema_fault *fault, const char *rule, const char *text,
                                 double number, const char *unit) {
    (void)fail(fault, rule, text);
    arx_json_write_number(number, &fault->message);
    arx_buf_append_str(&fault->message, unit);
    return SCHEMA_INVALID;
}

static unsigned types_of(const arx_json *value) {
    switch (value->type) {
    case ARX_JSON_NULL:
        return TYPE_NULL;
    case ARX_JSON_FALSE:
    case ARX_JSON_TRUE:
        return TYPE_BOOLEAN;
    case ARX_JSON_NUMBER:
        return value->as.number > floor(value->as.number) ? TYPE_NUMBER
                                                          : TYPE_NUMBER | TYPE_INTEGER;
    case ARX_JSON_STRING:
        return TYPE_STRING;
    case ARX_JSON_ARRAY:
        return TYPE_ARRAY;
    case ARX_JSON_OBJECT:
        break;
    }
    return TYPE_OBJECT;
}

static schema_result check_type(const schema *self, const arx_json *value, schema_fault *fault) {
    if (self->types == 0 || (self->types & types_of(value)) != 0) {
        return SCHEMA_OK;
    }
    (void)fail(fault, "type", "must be of type ");
    bool first = true;
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        if ((self->types & types[i].bit) != 0) {
            arx_buf_append_str(&fault->message, first ? "" : " or ");
            arx_buf_append_str(&fault->message, types[i].word);
            first = false;
        }
    }
    arx_buf_append_byte(&fault->message, '.');
    return SCHEMA_INVALID;
}

/* Equality of JSON values: by their canonical text. */
static schema_result equals(const arx_json *a, const arx_json *b, bool *same) {
    arx_buf left;
    arx_buf right;
    arx_buf_init(&left, 0);
    arx_buf_init(&right, 0);
    arx_result first = oui_canonical_json(a, &left, NULL);
    arx_result second = oui_canonical_json(b, &right, NULL);
    *same = first == ARX_OK && second == ARX_OK && left.len == right.len &&
            memcmp(left.data, right.data, left.len) == 0;
    arx_buf_free(&left);
    arx_buf_free(&right);
    return first == ARX_NO_MEMORY || second == ARX_NO_MEMORY ? SCHEMA_NO_MEMORY : SCHEMA_OK;
}

static schema_result check_values(const schema *self, const arx_json *value, schema_fault *fault) {
    schema_result result = SCHEMA_OK;
    bool same = false;
    if (self->constant != NULL) {
        result = equals(self->constant, value, &same);
        if (result != SCHEMA_OK || !same) {
            return result != SCHEMA_OK ? result
                                       : fail_value(fault, "const", "must be ", self->constant);
        }
    }
    if (self->values == NULL) {
        return SCHEMA_OK;
    }
    same = false;
    const arx_json *one = self->values->as.list.first;
    for (; result == SCHEMA_OK && !same && one != NULL; one = one->next) {
        result = equals(one, value, &same);
    }
    if (result == SCHEMA_OK && !same) {
        return fail_value(fault, "enum", "must be one of ", self->values);
    }
    return result;
}

static schema_result check_number(const schema *self, double number, schema_fault *fault) {
    if (self->minimum.word != NULL && number < self->minimum.value) {
        return fail_number(fault, "minimum", "must be at least ", self->minimum.value, ".");
    }
    if (self->maximum.word != NULL && number > self->maximum.value) {
        return fail_number(fault, "maximum", "must be at most ", self->maximum.value, ".");
    }
    return SCHEMA_OK;
}

static size_t code_points(const uint8_t *text, size_t len) {
    size_t count = 0;
    for (size_t pos = 0; pos < len; count++) {
        (void)arx_text_next(text, len, &pos);
    }
    return count;
}

static schema_result check_string(const schema *self, const arx_json *value, schema_fault *fault) {
    const uint8_t *text = value->as.string.data;
    size_t len = value->as.string.len;
    if (self->min_length.word != NULL || self->max_length.word != NULL) {
        double count = (double)code_points(text, len);
        if (self->min_length.word != NULL && count < self->min_length.value) {
            return fail_number(fault, "minLength", "must have at least ", self->min_length.value,
                               " characters.");
        }
        if (self->max_length.word != NULL && count > self->max_length.value) {
            return fail_number(fault, "maxLength", "must have at most ", self->max_length.value,
                               " characters.");
        }
    }
    if (self->pattern == NULL) {
        return SCHEMA_OK;
    }
    char *copy = copy_string(text, len);
    if (copy == NULL) {
        return SCHEMA_NO_MEMORY;
    }
    /* A text with a NUL in it ends early and does not count as a match. */
    bool fits = strlen(copy) == len && regexec(&self->regex, copy, 0, NULL, 0) == 0;
    free(copy);
    return fits ? SCHEMA_OK : fail_value(fault, "pattern", "must match ", self->pattern);
}

static schema_result check(const schema *self, const arx_json *value, schema_fault *fault);

static schema_result check_array(const schema *self, const arx_json *value, schema_fault *fault) {
    double count = (double)value->as.list.count;
    if (self->min_items.word != NULL && count < self->min_items.value) {
        return fail_number(fault, "minItems", "must have at least ", self->min_items.value,
                           " items.");
    }
    if (self->max_items.word != NULL && count > self->max_items.value) {
        return fail_number(fault, "maxItems", "must have at most ", self->max_items.value,
                           " items.");
    }
    size_t row = 0;
    size_t here = fault->path.len;
    const arx_json *item = self->items != NULL ? value->as.list.first : NULL;
    for (; item != NULL; item = item->next) {
        oui_pointer_row(&fault->path, row++);
        schema_result result = check(self->items, item, fault);
        if (result != SCHEMA_OK) {
            return result;
        }
        fault->path.len = here;
    }
    return SCHEMA_OK;
}

static bool same_key(const arx_json *a, const uint8_t *key, size_t len) {
    return a->key_len == len && memcmp(a->key, key, len) == 0;
}

static bool has_member(const arx_json *object, const arx_json *name) {
    const arx_json *one = object->as.list.first;
    while (one != NULL && !same_key(one, name->as.string.data, name->as.string.len)) {
        one = one->next;
    }
    return one != NULL;
}

static const schema *schema_of(const schema *self, const arx_json *value) {
    for (size_t i = 0; i < self->member_count; i++) {
        if (same_key(self->members[i].name, value->key, value->key_len)) {
            return self->members[i].schema;
        }
    }
    return NULL;
}

static schema_result check_object(const schema *self, const arx_json *value, schema_fault *fault) {
    const arx_json *name = self->required != NULL ? self->required->as.list.first : NULL;
    for (; name != NULL; name = name->next) {
        if (!has_member(value, name)) {
            return fail_value(fault, "required", "must have the member ", name);
        }
    }
    if (self->min_properties.word != NULL &&
        (double)value->as.list.count < self->min_properties.value) {
        return fail_number(fault, "minProperties", "must have at least ",
                           self->min_properties.value, " members.");
    }
    size_t here = fault->path.len;
    for (const arx_json *one = value->as.list.first; one != NULL; one = one->next) {
        const schema *of = schema_of(self, one);
        oui_pointer_name(&fault->path, one->key, one->key_len);
        if (of == NULL && self->closed) {
            return fail(fault, "additionalProperties", "is not a member that is known here.");
        }
        schema_result result = of != NULL ? check(of, one, fault) : SCHEMA_OK;
        if (result != SCHEMA_OK) {
            return result;
        }
        fault->path.len = here;
    }
    return SCHEMA_OK;
}

static schema_result check(const schema *self, const arx_json *value, schema_fault *fault) {
    schema_result result = check_type(self, value, fault);
    if (result == SCHEMA_OK) {
        result = check_values(self, value, fault);
    }
    if (result != SCHEMA_OK) {
        return result;
    }
    switch (value->type) {
    case ARX_JSON_NUMBER:
        return check_number(self, value->as.number, fault);
    case ARX_JSON_STRING:
        return check_string(self, value, fault);
    case ARX_JSON_ARRAY:
        return check_array(self, value, fault);
    case ARX_JSON_OBJECT:
        return check_object(self, value, fault);
    case ARX_JSON_NULL:
    case ARX_JSON_FALSE:
    case ARX_JSON_TRUE:
        break;
    }
    return SCHEMA_OK;
}

schema_result schema_check(const schema *self, const arx_json *value, schema_fault *fault) {
    *fault = (schema_fault){0};
    schema_result result = check(self, value, fault);
    if (arx_buf_result(&fault->path) != ARX_OK || arx_buf_result(&fault->message) != ARX_OK) {
        result = SCHEMA_NO_MEMORY;
    }
    if (result != SCHEMA_INVALID) {
        schema_fault_free(fault);
    }
    return result;
}
