/*
 * lz.c - see lz.h.
 *
 * Both ways keep one table indexed by code. Codes 0 and 1 announce a new unit (of 8 or 16 bits) and
 * 2 ends the stream, so phrases are numbered from 3.
 */
#include "lz.h"

#include <stdlib.h>

#include "text.h"

#define CODE_NEW_8  0u
#define CODE_NEW_16 1u
#define CODE_END    2u
#define CODE_FIRST  3u

static const char alphabet[65] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+-";

/* UTF-16 units of what arx_text_next() gives; a bad byte is one. */
static unsigned unit_count(uint32_t code_point) {
    return code_point > 0xFFFF && code_point <= 0x10FFFF ? 2 : 1;
}

/* How many codes remain until they need another bit. */
typedef struct code_width {
    unsigned bits;
    size_t budget;
} code_width;

static void use_code(code_width *width) {
    if (--width->budget == 0) {
        width->budget = (size_t)1 << width->bits;
        width->bits++;
    }
}

/* ---- compressing ---- */

/*
 * A phrase: another one and a unit more. The phrases that continue one phrase form a digital search
 * tree over their last units (each node splits by one bit of the unit, lowest first), so a lookup
 * takes at most 16 steps whatever the text: linear time needs no luck with hashes.
 */
typedef struct phrase {
    uint32_t continued; /* root of the tree of phrases that continue this one; 0 for none */
    uint32_t side[2];
    uint16_t unit;
    bool fresh; /* a single unit that the stream has not spelt out yet */
} phrase;

typedef struct compressor {
    phrase *phrases; /* by code; entry 0 is the empty phrase, continued by single units */
    uint32_t next;   /* code */
    code_width width;
    uint32_t current; /* code of the phrase being matched, 0 for the empty one */
    unsigned bits;    /* of the next character, so far */
    unsigned bit_count;
    arx_buf *out;
} compressor;

static void put_bit(compressor *c, unsigned bit) {
    c->bits = c->bits << 1 | bit;
    if (++c->bit_count == 6) {
        arx_buf_append_byte(c->out, (uint8_t)alphabet[c->bits]);
        c->bits = 0;
        c->bit_count = 0;
    }
}

static void put_number(compressor *c, uint32_t number, unsigned bits) {
    while (bits-- > 0) {
        put_bit(c, number & 1);
        number >>= 1;
    }
}

static void put_current(compressor *c) {
    phrase *p = &c->phrases[c->current];
    if (p->fresh) {
        bool narrow = p->unit < 256;
        put_number(c, narrow ? CODE_NEW_8 : CODE_NEW_16, c->width.bits);
        put_number(c, p->unit, narrow ? 8 : 16);
        use_code(&c->width);
        p->fresh = false;
    } else {
        put_number(c, c->current, c->width.bits);
    }
    use_code(&c->width);
}

/* Where the code of `from` continued by `unit` is kept, or would be (then it holds 0). */
static uint32_t *find_phrase(const compressor *c, uint32_t from, uint16_t unit) {
    uint32_t *at = &c->phrases[from].continued;
    for (unsigned bits = unit; *at != 0 && c->phrases[*at].unit != unit; bits >>= 1) {
        at = &c->phrases[*at].side[bits & 1];
    }
    return at;
}

/* Gives the phrase that find_phrase() did not find the next code. */
static void add_phrase(compressor *c, uint32_t *at, uint16_t unit, bool fresh) {
    c->phrases[c->next] = (phrase){.unit = unit, .fresh = fresh};
    *at = c->next++;
}

static void take_unit(compressor *c, uint16_t unit) {
    uint32_t *single = find_phrase(c, 0, unit);
    if (*single == 0) {
        add_phrase(c, single, unit, true);
    }
    uint32_t *longer = find_phrase(c, c->current, unit);
    if (*longer != 0) {
        c->current = *longer;
        return;
    }
    put_current(c);
    add_phrase(c, longer, unit, false);
    c->current = *single;
}

arx_result arx_lz_compress(const uint8_t *text, size_t len, arx_buf *out) {
    size_t units = 0;
    for (size_t pos = 0; pos < len;) {
        units += unit_count(arx_text_next(text, len, &pos));
    }
    /* A unit makes one phrase longer, and is one of its own when it is new. Most stay untouched. */
    size_t most = CODE_FIRST + units + (units < 65536 ? units : 65536);
    if (most > UINT32_MAX || most > SIZE_MAX / sizeof(phrase)) {
        return ARX_NO_MEMORY;
    }
    phrase *phrases = malloc(most * sizeof *phrases);
    if (phrases == NULL) {
        return ARX_NO_MEMORY;
    }
    phrases[0] = (phrase){0};
    compressor c = {.phrases = phrases, .next = CODE_FIRST, .width = {2, 2}, .out = out};
    for (size_t pos = 0; pos < len;) {
        uint32_t code_point = arx_text_next(text, len, &pos);
        if (unit_count(code_point) == 2) {
            take_unit(&c, (uint16_t)(0xD7C0 + (code_point >> 10)));
            code_point = 0xDC00 | (code_point & 0x3FF);
        }
        take_unit(&c, (uint16_t)code_point);
    }
    if (c.current != 0) {
        put_current(&c);
    }
    put_number(&c, CODE_END, c.width.bits);
    do { /* at least one bit of padding, even behind a full character */
        put_bit(&c, 0);
    } while (c.bit_count != 0);
    free(phrases);
    return arx_buf_result(out);
}

/* ---- decompressing ---- */

/*
 * Bits of the stream. One character is always held and the next one fetched as soon as its last bit
 * is used; one past the end gives zeros, and is remembered: the padding behind the end code sees to
 * it that only a stream that was cut off gets there.
 */
typedef struct bit_reader {
    const uint8_t *stream;
    size_t len;
    size_t pos;
    bool low_surrogate; /* a code point above U+FFFF counts as two characters */
    bool past_end;
    unsigned held;
    unsigned bits_left;
} bit_reader;

static unsigned value_of(uint32_t character) {
    if (character >= 'A' && character <= 'Z') {
        return character - 'A';
    }
    if (character >= 'a' && character <= 'z') {
        return character - 'a' + 26;
    }
    if (character >= '0' && character <= '9') {
        return character - '0' + 52;
    }
    switch (character) {
    case '+':
    case ' ': /* what a form decoder makes of "+" */
        return 62;
    case '-':
        return 63;
    default:
        return 0;
    }
}

static void fetch(bit_reader *r) {
    r->bits_left = 6;
    r->held = 0;
    if (r->low_surrogate) {
        r->low_surrogate = false;
    } else if (r->pos < r->len) {
        uint32_t character = arx_text_next(r->stream, r->len, &r->pos);
        r->low_surrogate = unit_count(character) == 2;
        r->held = value_of(character);
    } else {
        r->past_end = true;
    }
}

static uint32_t read_number(bit_reader *r, unsigned bits) {
    uint32_t number = 0;
    for (unsigned i = 0; i < bits; i++) {
        r->bits_left--;
        number |= (uint32_t)(r->held >> r->bits_left & 1) << i;
        if (r->bits_left == 0) {
            fetch(r);
        }
    }
    return number;
}

/*
 * A phrase is text that has come out before: whatever a code stands for, its first occurrence lies
 * in one piece in the output. So a phrase is a place there, and memory is bounded by the output.
 */
typedef struct place {
    uint32_t start; /* units */
    uint32_t length;
} place;

typedef struct decompressor {
    bit_reader reader;
    place *places; /* by code */
    size_t place_capacity;
    uint32_t next; /* code */
    code_width width;
    uint16_t *units; /* the output */
    size_t unit_capacity;
    size_t unit_count;
    size_t max_units;
} decompressor;

/* Makes room for two more places: as many as one code can add. */
static arx_result reserve_places(decompressor *d) {
    if (d->next + 2 <= d->place_capacity) {
        return ARX_OK;
    }
    size_t capacity = d->place_capacity + d->place_capacity / 2 + 256;
    if (capacity > UINT32_MAX || capacity > SIZE_MAX / sizeof *d->places) {
        return ARX_NO_MEMORY;
    }
    place *places = realloc(d->places, capacity * sizeof *places);
    if (places == NULL) {
        return ARX_NO_MEMORY;
    }
    d->places = places;
    d->place_capacity = capacity;
    return ARX_OK;
}

static arx_result reserve_units(decompressor *d, size_t more) {
    if (more > d->max_units - d->unit_count) {
        return ARX_OVER_LIMIT;
    }
    size_t need = d->unit_count + more;
    if (need > UINT32_MAX) {
        return ARX_OVER_LIMIT;
    }
    if (need <= d->unit_capacity) {
        return ARX_OK;
    }
    size_t capacity = need + need / 2 + 256;
    if (capacity > SIZE_MAX / sizeof *d->units) {
        return ARX_NO_MEMORY;
    }
    uint16_t *units = realloc(d->units, capacity * sizeof *units);
    if (units == NULL) {
        return ARX_NO_MEMORY;
    }
    d->units = units;
    d->unit_capacity = capacity;
    return ARX_OK;
}

/* Repeats a place at the output's end. It may reach into what is being written. */
static arx_result put_place(decompressor *d, place p) {
    arx_result result = reserve_units(d, p.length);
    if (result != ARX_OK) {
        return result;
    }
    for (uint32_t i = 0; i < p.length; i++) {
        d->units[d->unit_count++] = d->units[p.start + i];
    }
    return ARX_OK;
}

/* Puts a unit that the stream spells out, and gives it the next code. */
static arx_result put_new_unit(decompressor *d, uint32_t code) {
    arx_result result = reserve_units(d, 1);
    if (result != ARX_OK) {
        return result;
    }
    d->places[d->next++] = (place){(uint32_t)d->unit_count, 1};
    d->units[d->unit_count++] = (uint16_t)read_number(&d->reader, code == CODE_NEW_8 ? 8 : 16);
    return ARX_OK;
}

/* Everything behind the first unit, which is already out. */
static arx_result read_phrases(decompressor *d) {
    place last = d->places[CODE_FIRST];
    for (;;) {
        if (d->reader.past_end) {
            d->unit_count = 0; /* cut off: the answer is the empty text */
            return ARX_OK;
        }
        arx_result result = reserve_places(d);
        if (result != ARX_OK) {
            return result;
        }
        uint32_t code = read_number(&d->reader, d->width.bits);
        if (code == CODE_END) {
            return ARX_OK;
        }
        place here = {(uint32_t)d->unit_count, 1};
        if (code < CODE_END) {
            result = put_new_unit(d, code);
            use_code(&d->width);
        } else if (code < d->next) {
            here.length = d->places[code].length;
            result = put_place(d, d->places[code]);
        } else if (code == d->next) {
            /* The phrase about to be made: the last one and its own first unit. */
            here.length = last.length + 1;
            result = put_place(d, (place){last.start, last.length + 1});
        } else {
            result = ARX_MALFORMED;
        }
        if (result != ARX_OK) {
            return result;
        }
        /* The last phrase and the first unit of this one, which came out right behind it. */
        d->places[d->next++] = (place){last.start, last.length + 1};
        use_code(&d->width);
        last = here;
    }
}

static void append_units(const uint16_t *units, size_t count, arx_buf *out) {
    for (size_t i = 0; i < count; i++) {
        arx_text_append(out, units[i]);
    }
}

arx_result arx_lz_decompress(const uint8_t *stream, size_t len, size_t max_units, arx_buf *out) {
    if (len == 0) {
        return ARX_MALFORMED;
    }
    decompressor d = {.reader = {.stream = stream, .len = len},
                      .next = CODE_FIRST,
                      .width = {3, 4},
                      .max_units = max_units};
    fetch(&d.reader);
    uint32_t code = read_number(&d.reader, 2);
    if (code == CODE_END) {
        return ARX_OK;
    }
    if (code > CODE_END) {
        return ARX_MALFORMED;
    }
    arx_result result = reserve_places(&d);
    if (result == ARX_OK) {
        result = put_new_unit(&d, code);
    }
    if (result == ARX_OK) {
        result = read_phrases(&d);
    }
    if (result == ARX_OK) {
        append_units(d.units, d.unit_count, out);
        result = arx_buf_result(out);
    }
    free(d.places);
    free(d.units);
    return result;
}
