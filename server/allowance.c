/* allowance.c - see allowance.h. */
#include "allowance.h"

#include <string.h>

/* The first BUCKET_COUNT are the buckets, in their order. */
static const struct {
    const char *name;
    unsigned kind;
} items[] = {
    [BUCKET_READ] = {"read", ALLOWANCE_RATES},
    [BUCKET_WRITE] = {"write", ALLOWANCE_RATES},
    [BUCKET_ENCODE] = {"encode", ALLOWANCE_RATES},
    [BUCKET_FAIL] = {"fail", ALLOWANCE_RATES},
    {"rows", ALLOWANCE_QUOTAS},
    {"bytes", ALLOWANCE_QUOTAS},
};

enum { ITEM_ROWS = BUCKET_COUNT, ITEM_BYTES, ITEM_COUNT };

const char *bucket_name(bucket which) {
    return items[which].name;
}

/* Digits up to `limit`, without which there is no number. */
static bool read_digits(const char **text, const char *end, uint64_t limit, uint64_t *number) {
    const char *start = *text;
    *number = 0;
    while (*text < end && **text >= '0' && **text <= '9') {
        *number = *number * 10 + (uint64_t)(**text - '0');
        if (*number > limit) {
            return false;
        }
        (*text)++;
    }
    return *text > start;
}

/* "100/s", "0.25/s", "0" */
static bool read_rate(const char *text, const char *end, uint32_t *rate) {
    uint64_t whole;
    uint64_t thousandths = 0;
    if (!read_digits(&text, end, ALLOWANCE_RATE_MAX, &whole)) {
        return false;
    }
    if (text < end && *text == '.') {
        const char *start = ++text;
        if (!read_digits(&text, end, 999, &thousandths) || text - start > 3) {
            return false;
        }
        for (ptrdiff_t digits = text - start; digits < 3; digits++) {
            thousandths *= 10;
        }
    }
    uint64_t found = whole * 1000 + thousandths;
    if (found > (uint64_t)ALLOWANCE_RATE_MAX * 1000) {
        return false;
    }
    *rate = (uint32_t)found;
    bool per_second = end - text == 2 && memcmp(text, "/s", 2) == 0;
    return per_second || (found == 0 && text == end);
}

static bool read_quota(const char *text, const char *end, bool with_unit, uint64_t *quota) {
    static const char units[] = "kmg";
    if (!read_digits(&text, end, ALLOWANCE_QUOTA_MAX, quota)) {
        return false;
    }
    if (with_unit && text < end) {
        const char *unit = memchr(units, *text, sizeof units - 1);
        if (unit == NULL) {
            return false;
        }
        *quota <<= 10 * (unit - units + 1);
        text++;
    }
    return text == end && *quota <= ALLOWANCE_QUOTA_MAX;
}

static bool read_item(const char *text, const char *end, unsigned kinds, allowance *out) {
    const char *equals = memchr(text, '=', (size_t)(end - text));
    if (equals == NULL) {
        return false;
    }
    size_t len = (size_t)(equals - text);
    for (size_t i = 0; i < ITEM_COUNT; i++) {
        if ((items[i].kind & kinds) == 0 || strlen(items[i].name) != len ||
            memcmp(items[i].name, text, len) != 0) {
            continue;
        }
        return i < BUCKET_COUNT ? read_rate(equals + 1, end, &out->rate[i])
                                : read_quota(equals + 1, end, i == ITEM_BYTES,
                                             i == ITEM_ROWS ? &out->rows : &out->bytes);
    }
    return false;
}

bool allowance_parse(const char *text, size_t len, unsigned kinds, allowance *out) {
    const char *end = text + len;
    if (len == 1 && *text == '0') {
        if ((kinds & ALLOWANCE_RATES) != 0) {
            memset(out->rate, 0, sizeof out->rate);
        }
        if ((kinds & ALLOWANCE_QUOTAS) != 0) {
            out->rows = out->bytes = 0;
        }
        return true;
    }
    for (;;) {
        const char *comma = memchr(text, ',', (size_t)(end - text));
        const char *stop = comma != NULL ? comma : end;
        if (!read_item(text, stop, kinds, out)) {
            return false;
        }
        if (comma == NULL) {
            return true;
        }
        text = comma + 1;
    }
}

const char *allowance_form(unsigned kinds) {
    return kinds == ALLOWANCE_RATES
               ? "a list such as read=100/s,write=10/s,encode=2/s,fail=1/s, or 0 for no limits"
           : kinds == ALLOWANCE_QUOTAS ? "a list such as rows=100000,bytes=2g, or 0 for no limits"
                                       : "a list such as write=50/s,encode=8/s,rows=1000,bytes=2g";
}
