/* negotiate.c - see negotiate.h. */
#include "negotiate.h"

#include <stdbool.h>
#include <string.h>
#include <strings.h>

/* One element of a header's list: its value, and its quality in thousandths. */
typedef struct element {
    const char *value;
    size_t len;
    int quality;
} element;

static bool is_space(char c) {
    return c == ' ' || c == '\t';
}

/* The end of what starts at `at`: the next `stop` or `other` outside a quoted string. */
static const char *find(const char *at, char stop, char other) {
    bool quoted = false;
    for (; *at != '\0'; at++) {
        if (quoted && *at == '\\' && at[1] != '\0') {
            at++;
        } else if (*at == '"') {
            quoted = !quoted;
        } else if (!quoted && (*at == stop || *at == other)) {
            break;
        }
    }
    return at;
}

static void trim(const char **start, const char **end) {
    while (*start < *end && is_space(**start)) {
        (*start)++;
    }
    while (*end > *start && is_space((*end)[-1])) {
        (*end)--;
    }
}

/* "0", "0.5", "1.000" in thousandths; -1 for anything else. */
static int read_quality(const char *text, size_t len) {
    if (len == 0 || len > 5 || (text[0] != '0' && text[0] != '1') || (len > 1 && text[1] != '.')) {
        return -1;
    }
    int quality = (text[0] - '0') * 1000;
    int unit = 100;
    for (size_t i = 2; i < len; i++, unit /= 10) {
        if (text[i] < '0' || text[i] > '9') {
            return -1;
        }
        quality += (text[i] - '0') * unit;
    }
    return quality <= 1000 ? quality : -1;
}

/* Takes the next element off `*list`. False at its end. One with a broken quality counts as 0. */
static bool next_element(const char **list, element *out) {
    for (;;) {
        const char *start = *list;
        if (*start == '\0') {
            return false;
        }
        const char *end = find(start, ',', ',');
        *list = *end == ',' ? end + 1 : end;

        const char *value_end = find(start, ';', ',');
        const char *parameter = value_end;
        trim(&start, &value_end);
        if (start == value_end) {
            continue;
        }
        *out = (element){start, (size_t)(value_end - start), 1000};
        while (parameter < end) {
            const char *name = parameter + 1;
            parameter = find(name, ';', ',');
            const char *stop = parameter;
            trim(&name, &stop);
            if (stop - name >= 2 && (name[0] == 'q' || name[0] == 'Q') && name[1] == '=') {
                int quality = read_quality(name + 2, (size_t)(stop - name) - 2);
                out->quality = quality >= 0 ? quality : 0;
                break;
            }
        }
        return true;
    }
}

static bool value_is(const element *item, const char *text) {
    return item->len == strlen(text) && strncasecmp(item->value, text, item->len) == 0;
}

const char *encoding_name(content_encoding encoding) {
    switch (encoding) {
    case ENCODING_BROTLI:
        return "br";
    case ENCODING_GZIP:
        return "gzip";
    default:
        return NULL;
    }
}

content_encoding negotiate_encoding(const char *accept_encoding, unsigned available) {
    if (accept_encoding == NULL) {
        return ENCODING_IDENTITY;
    }
    int quality[ENCODING_COUNT] = {-1, -1, -1}; /* -1: not named */
    int others = -1;                            /* "*" */
    element item;
    while (next_element(&accept_encoding, &item)) {
        if (value_is(&item, "br")) {
            quality[ENCODING_BROTLI] = item.quality;
        } else if (value_is(&item, "gzip") || value_is(&item, "x-gzip")) {
            quality[ENCODING_GZIP] = item.quality;
        } else if (value_is(&item, "identity")) {
            quality[ENCODING_IDENTITY] = item.quality;
        } else if (value_is(&item, "*")) {
            others = item.quality;
        }
    }
    static const content_encoding order[] = {ENCODING_BROTLI, ENCODING_GZIP, ENCODING_IDENTITY};
    content_encoding best = ENCODING_NONE;
    int best_quality = 0;
    for (size_t i = 0; i < ENCODING_COUNT; i++) {
        content_encoding encoding = order[i];
        bool there = encoding == ENCODING_IDENTITY || (available >> encoding & 1) != 0;
        int q = quality[encoding] >= 0 ? quality[encoding] : others;
        if (there && q > best_quality) {
            best = encoding;
            best_quality = q;
        }
    }
    bool identity_refused =
        quality[ENCODING_IDENTITY] == 0 || (quality[ENCODING_IDENTITY] < 0 && others == 0);
    return best == ENCODING_NONE && !identity_refused ? ENCODING_IDENTITY : best;
}

/* How closely a range fits a type: 0 not at all, 1 any, 2 the main type, 3 the type itself. */
static int closeness(const element *range, const char *type) {
    if (value_is(range, "*/*")) {
        return 1;
    }
    if (value_is(range, type)) {
        return 3;
    }
    size_t main_len = strcspn(type, "/") + 1; /* with its slash */
    if (range->len == main_len + 1 && range->value[main_len] == '*' &&
        strncasecmp(range->value, type, main_len) == 0) {
        return 2;
    }
    return 0;
}

int negotiate_type(const char *accept, const char *const *types, size_t count) {
    if (accept == NULL || accept[strspn(accept, " \t,")] == '\0') {
        return count > 0 ? 0 : -1;
    }
    int best = -1;
    int best_quality = 0;
    for (size_t i = 0; i < count; i++) {
        int quality = 0;
        int closest = 0;
        const char *list = accept;
        element range;
        while (next_element(&list, &range)) {
            int close = closeness(&range, types[i]);
            if (close > closest || (close > 0 && close == closest && range.quality > quality)) {
                closest = close;
                quality = range.quality;
            }
        }
        if (quality > best_quality) {
            best = (int)i;
            best_quality = quality;
        }
    }
    return best;
}

bool prefer_holds(const char *prefer, const char *preference) {
    element item;
    while (prefer != NULL && next_element(&prefer, &item)) {
        const char *end = memchr(item.value, '=', item.len);
        const char *start = item.value;
        end = end != NULL ? end : item.value + item.len;
        trim(&start, &end);
        if ((size_t)(end - start) == strlen(preference) &&
            strncasecmp(start, preference, strlen(preference)) == 0) {
            return true;
        }
    }
    return false;
}
