/*
 * dictionary.c - see dictionary.h.
 *
 * Encoding runs over every text several times, so most positions have to be dismissed at once: a
 * table by the next two bytes says whether slot texts start so, and which. Those are tried longest
 * first, by their first eight bytes in one comparison.
 */
#include "dictionary.h"

#include <stdlib.h>
#include <string.h>

#include "text.h"

#define PAIRS 65536u /* of bytes */

/* What one byte means in a substituted text. */
typedef enum code_kind { CODE_NONE, CODE_SINGLE, CODE_LEAD } code_kind;

static const uint8_t base_singles[] = {0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x0B,
                                       0x0E, 0x0F, 0x10, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16,
                                       0x17, 0x18, 0x19, 0x1A, 0x1B, 0x1C, 0x1D};
static const uint8_t overlay_singles[] = {0x1E, 0x7F};

/* The code space of a role. */
typedef struct code_space {
    const uint8_t *singles;
    size_t single_count;
    uint8_t lead;            /* first unit of extended codes */
    uint32_t first_extended; /* second unit of extended code 0 */
} code_space;

static const code_space spaces[] = {
    [ARX_DICTIONARY_BASE] = {base_singles, sizeof base_singles, 0x00, 0x01},
    [ARX_DICTIONARY_OVERLAY] = {overlay_singles, sizeof overlay_singles, 0x1F, 0x20},
};

typedef struct slot {
    const uint8_t *text;
    size_t len;
    size_t units;
    uint8_t code[4];
    uint8_t code_len; /* 0: has no code */
} slot;

/* A slot that can be matched; its first bytes as memory has them, the mask says how many. */
typedef struct candidate {
    uint64_t start;
    uint64_t mask;
    const slot *slot;
} candidate;

struct arx_dictionary {
    double version;
    const code_space *space;
    size_t single_count; /* of the asset, used or not */
    size_t slot_count;
    slot *slots; /* single, then extended */
    uint8_t *texts;

    code_kind kinds[256];
    const slot *singles[256]; /* by code */

    uint16_t groups[PAIRS];   /* by b0 * 256 + b1: which candidates, 0 for none */
    const slot *of_byte[256]; /* slots whose text is that one byte */
    uint32_t *first;          /* by group: where its candidates start; one more at the end */
    candidate *candidates;
};

/* ---- making ---- */

static bool is_string_list(const arx_json *value) {
    if (!arx_json_is(value, ARX_JSON_ARRAY)) {
        return false;
    }
    for (const arx_json *e = value->as.list.first; e != NULL; e = e->next) {
        if (e->type != ARX_JSON_STRING) {
            return false;
        }
    }
    return true;
}

static size_t total_bytes(const arx_json *list) {
    size_t total = 0;
    for (const arx_json *e = list->as.list.first; e != NULL; e = e->next) {
        total += e->as.string.len;
    }
    return total;
}

/* Writes the code of extended slot i, or leaves the slot without. */
static void set_extended_code(const code_space *space, size_t i, slot *s) {
    if (i > 0xFFFF - space->first_extended) {
        return;
    }
    uint32_t unit = space->first_extended + (uint32_t)i;
    if (unit >= 0xD800 && unit <= 0xDFFF) {
        return;
    }
    uint8_t *at = s->code;
    *at++ = space->lead;
    if (unit < 0x80) {
        *at++ = (uint8_t)unit;
    } else if (unit < 0x800) {
        *at++ = (uint8_t)(0xC0 | unit >> 6);
        *at++ = (uint8_t)(0x80 | (unit & 0x3F));
    } else {
        *at++ = (uint8_t)(0xE0 | unit >> 12);
        *at++ = (uint8_t)(0x80 | (unit >> 6 & 0x3F));
        *at++ = (uint8_t)(0x80 | (unit & 0x3F));
    }
    s->code_len = (uint8_t)(at - s->code);
}

/* Copies the slots of one list behind those already there. */
static void add_slots(arx_dictionary *d, const arx_json *list, bool extended, uint8_t **texts) {
    size_t i = 0;
    for (const arx_json *e = list->as.list.first; e != NULL; e = e->next, i++) {
        slot *s = &d->slots[d->slot_count++];
        s->text = *texts;
        s->len = e->as.string.len;
        s->units = arx_text_units(e->as.string.data, e->as.string.len);
        if (s->len > 0) {
            memcpy(*texts, e->as.string.data, s->len);
            *texts += s->len;
        }
        if (extended) {
            set_extended_code(d->space, i, s);
        } else if (i < d->space->single_count) {
            uint8_t code = d->space->singles[i];
            s->code[0] = code;
            s->code_len = 1;
            d->kinds[code] = CODE_SINGLE;
            d->singles[code] = s;
        }
    }
}

static size_t pair_of(const uint8_t *text) {
    return (size_t)text[0] << 8 | text[1];
}

/* By pair; then the longest first; then, as slots lie in one array, by index. */
static int by_pair_and_length(const void *a, const void *b) {
    const slot *x = ((const candidate *)a)->slot;
    const slot *y = ((const candidate *)b)->slot;
    size_t pair_x = pair_of(x->text);
    size_t pair_y = pair_of(y->text);
    if (pair_x != pair_y) {
        return pair_x < pair_y ? -1 : 1;
    }
    if (x->len != y->len) {
        return x->len > y->len ? -1 : 1;
    }
    return x < y ? -1 : x > y;
}

/* The next eight bytes, zeros where there are fewer. */
static uint64_t window_of(const uint8_t *text, size_t len) {
    uint64_t window = 0;
    if (len >= sizeof window) {
        memcpy(&window, text, sizeof window);
    } else {
        memcpy(&window, text, len);
    }
    return window;
}

static candidate candidate_of(const slot *s) {
    static const uint8_t ones[8] = {0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF};
    return (candidate){window_of(s->text, s->len), window_of(ones, s->len < 8 ? s->len : 8), s};
}

/* Groups are numbered from 1 in the order of their pairs; without continuation bytes all fit. */
static arx_result build_matcher(arx_dictionary *d) {
    d->candidates = calloc(d->slot_count + 1, sizeof *d->candidates);
    if (d->candidates == NULL) {
        return ARX_NO_MEMORY;
    }
    size_t count = 0;
    for (size_t i = 0; i < d->slot_count; i++) {
        const slot *s = &d->slots[i];
        /* Texts start characters; a slot that does not is no text and matches nothing. */
        if (s->code_len == 0 || s->len == 0 || (s->text[0] & 0xC0) == 0x80) {
            continue;
        }
        if (s->len > 1) {
            d->groups[pair_of(s->text)] = 1;
            d->candidates[count++] = candidate_of(s);
        } else if (d->of_byte[s->text[0]] == NULL) {
            d->of_byte[s->text[0]] = s;
            for (size_t next = 0; next < 256; next++) {
                d->groups[(size_t)s->text[0] << 8 | next] = 1;
            }
        }
    }
    qsort(d->candidates, count, sizeof *d->candidates, by_pair_and_length);
    uint16_t groups = 0;
    for (size_t pair = 0; pair < PAIRS; pair++) {
        if (d->groups[pair] != 0) {
            d->groups[pair] = ++groups;
        }
    }
    d->first = calloc((size_t)groups + 2, sizeof *d->first);
    if (d->first == NULL) {
        return ARX_NO_MEMORY;
    }
    for (size_t i = 0; i < count; i++) {
        d->first[d->groups[pair_of(d->candidates[i].slot->text)] + 1]++;
    }
    for (size_t g = 0; g <= groups; g++) {
        d->first[g + 1] += d->first[g];
    }
    return ARX_OK;
}

arx_result arx_dictionary_create(arx_dictionary_role role, const arx_json *asset,
                                 arx_dictionary **dictionary) {
    const arx_json *version = arx_json_get(asset, "version");
    const arx_json *single = arx_json_get(asset, "singleByteSlots");
    const arx_json *extended = arx_json_get(asset, "extendedSlots");
    if (!arx_json_is(version, ARX_JSON_NUMBER) || !is_string_list(single) ||
        !is_string_list(extended)) {
        return ARX_MALFORMED;
    }
    arx_result result = ARX_NO_MEMORY;
    arx_dictionary *d = calloc(1, sizeof *d);
    if (d == NULL) {
        return ARX_NO_MEMORY;
    }
    d->version = version->as.number;
    d->space = &spaces[role];
    d->single_count = single->as.list.count;
    d->kinds[d->space->lead] = CODE_LEAD;
    d->slots = calloc(single->as.list.count + extended->as.list.count + 1, sizeof *d->slots);
    d->texts = malloc(total_bytes(single) + total_bytes(extended) + 1);
    if (d->slots == NULL || d->texts == NULL) {
        goto out;
    }
    uint8_t *texts = d->texts;
    add_slots(d, single, false, &texts);
    add_slots(d, extended, true, &texts);
    result = build_matcher(d);
    if (result != ARX_OK) {
        goto out;
    }
    *dictionary = d;
    d = NULL;
out:
    arx_dictionary_free(d);
    return result;
}

void arx_dictionary_free(arx_dictionary *dictionary) {
    if (dictionary == NULL) {
        return;
    }
    free(dictionary->slots);
    free(dictionary->texts);
    free(dictionary->first);
    free(dictionary->candidates);
    free(dictionary);
}

double arx_dictionary_version(const arx_dictionary *dictionary) {
    return dictionary->version;
}

size_t arx_dictionary_slots(const arx_dictionary *dictionary) {
    return dictionary->slot_count;
}

void arx_dictionary_write_slots(const arx_dictionary *dictionary, arx_buf *out) {
    for (size_t i = 0; i < dictionary->slot_count; i++) {
        arx_buf_append(out, dictionary->slots[i].text, dictionary->slots[i].len);
        arx_buf_append_byte(out, '\n');
    }
}

/* ---- encoding ---- */

/* The longest slot text that `text` (at least one byte) starts with, or NULL. */
static const slot *match(const arx_dictionary *d, size_t group, const uint8_t *text, size_t len) {
    uint64_t window = window_of(text, len);
    for (uint32_t i = d->first[group]; i < d->first[group + 1]; i++) {
        const candidate *c = &d->candidates[i];
        if ((window & c->mask) != c->start) {
            continue;
        }
        size_t slot_len = c->slot->len;
        if (slot_len <= len &&
            (slot_len <= 8 || memcmp(c->slot->text + 8, text + 8, slot_len - 8) == 0)) {
            return c->slot;
        }
    }
    return d->of_byte[text[0]];
}

void arx_dictionary_encode(const arx_dictionary *dictionary, const uint8_t *text, size_t len,
                           arx_buf *out) {
    const arx_dictionary *d = dictionary;
    size_t copied = 0; /* bytes already accounted for in `out` */
    size_t i = 0;
    while (i + 1 < len) {
        size_t group = d->groups[pair_of(text + i)];
        const slot *s = group == 0 ? NULL : match(d, group, text + i, len - i);
        if (s == NULL) {
            i++;
            continue;
        }
        arx_buf_append(out, text + copied, i - copied);
        arx_buf_append(out, s->code, s->code_len);
        i += s->len;
        copied = i;
    }
    if (i < len && d->of_byte[text[i]] != NULL) { /* the last byte has no pair */
        const slot *s = d->of_byte[text[i]];
        arx_buf_append(out, text + copied, i - copied);
        arx_buf_append(out, s->code, s->code_len);
        copied = len;
    }
    arx_buf_append(out, text + copied, len - copied);
}

/* ---- decoding ---- */

/* A text being put together from pieces. */
typedef struct assembly {
    arx_buf *out;
    size_t units_left;
} assembly;

/* False when there are not that many units left. */
static bool assemble(assembly *a, const uint8_t *piece, size_t len, size_t units) {
    if (units > a->units_left) {
        return false;
    }
    a->units_left -= units;
    /* A low surrogate may meet the high one that the piece before left at its end. */
    if (len >= 3 && piece[0] == 0xED && piece[1] >= 0xB0) {
        arx_text_append(a->out, 0xD000u | (piece[1] & 0x3Fu) << 6 | (piece[2] & 0x3Fu));
        piece += 3;
        len -= 3;
    }
    arx_buf_append(a->out, piece, len);
    return true;
}

/* Reads the code at text[*pos], moving behind it; NULL (and no move) when it is none. */
static const slot *read_code(const arx_dictionary *d, const uint8_t *text, size_t len,
                             size_t *pos) {
    if (d->kinds[text[*pos]] == CODE_SINGLE) {
        return d->singles[text[(*pos)++]];
    }
    size_t after = *pos + 1;
    if (after == len) {
        return NULL;
    }
    uint32_t unit = arx_text_next(text, len, &after);
    size_t extended = d->slot_count - d->single_count;
    if (unit < d->space->first_extended || unit - d->space->first_extended >= extended) {
        return NULL;
    }
    const slot *s = &d->slots[d->single_count + (unit - d->space->first_extended)];
    if (s->code_len == 0) {
        return NULL;
    }
    *pos = after;
    return s;
}

arx_result arx_dictionary_decode(const arx_dictionary *dictionary, const uint8_t *text, size_t len,
                                 size_t max_units, arx_buf *out) {
    const arx_dictionary *d = dictionary;
    assembly a = {out, max_units};
    size_t copied = 0;
    size_t i = 0;
    while (i < len) {
        if (d->kinds[text[i]] == CODE_NONE) {
            i++;
            continue;
        }
        size_t run_end = i;
        const slot *s = read_code(d, text, len, &i);
        if (s == NULL) {
            i++; /* the unit behind an unknown code's first may start a code of its own */
            continue;
        }
        if (!assemble(&a, text + copied, run_end - copied,
                      arx_text_units(text + copied, run_end - copied)) ||
            !assemble(&a, s->text, s->len, s->units)) {
            return ARX_OVER_LIMIT;
        }
        copied = i;
    }
    if (!assemble(&a, text + copied, len - copied, arx_text_units(text + copied, len - copied))) {
        return ARX_OVER_LIMIT;
    }
    return arx_buf_result(out);
}
