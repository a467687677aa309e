/*
 * url.c - the URL parser of url.h.
 *
 * The standard's state machine, read from left to right without its base and override branches:
 * what is left is one pass over scheme, authority, path and query. The path is kept as the text it
 * will be, "/a/b": removing the last segment is cutting at the last slash.
 */
#include <string.h>

#include "text.h"
#include "url.h"

/* Percent-encode sets beyond controls and non-ASCII. */
#define SET_OPAQUE        ""
#define SET_QUERY         " \"#<>"
#define SET_SPECIAL_QUERY " \"#<>'"
#define SET_PATH          " \"#<>?^`{}"
#define SET_USERINFO      " \"#<>?^`{}/:;=@[\\]|"

#define PORT_NONE (-1)

typedef struct url {
    arx_buf scheme; /* lower case, without the colon */
    bool special;
    bool file;
    arx_buf username;
    arx_buf password;
    bool has_host;
    arx_buf host;
    int port; /* PORT_NONE for none or the scheme's own */
    bool opaque;
    arx_buf path; /* "/a/b", or the text of an opaque path */
    bool has_query;
    arx_buf query;
} url;

/* What is left to read. */
typedef struct cursor {
    const uint8_t *at;
    const uint8_t *end;
} cursor;

static const struct {
    const char *scheme;
    int port;
} special_schemes[] = {
    {"http", 80}, {"https", 443}, {"ws", 80}, {"wss", 443}, {"ftp", 21}, {"file", PORT_NONE},
};

static bool is_alpha(uint8_t c) {
    return (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
}

static bool is_digit(uint8_t c) {
    return c >= '0' && c <= '9';
}

void arx_url_encode(const uint8_t *bytes, size_t len, const char *set, arx_buf *out) {
    static const char digits[] = "0123456789ABCDEF";
    for (size_t i = 0; i < len; i++) {
        uint8_t c = bytes[i];
        if (c >= 0x20 && c <= 0x7E && strchr(set, c) == NULL) {
            arx_buf_append_byte(out, c);
        } else {
            const uint8_t escape[3] = {'%', (uint8_t)digits[c >> 4], (uint8_t)digits[c & 15]};
            arx_buf_append(out, escape, sizeof escape);
        }
    }
}

/* A slash as this URL's scheme reads it. */
static bool is_slash(const url *u, uint8_t c) {
    return c == '/' || (u->special && c == '\\');
}

static void skip_slashes(const url *u, cursor *in) {
    while (in->at < in->end && is_slash(u, *in->at)) {
        in->at++;
    }
}

/* "C:" or "C|", and only that. */
static bool is_drive_letter(const uint8_t *text, size_t len) {
    return len == 2 && is_alpha(text[0]) && (text[1] == ':' || text[1] == '|');
}

/* ---- scheme ---- */

static arx_result parse_scheme(url *u, cursor *in) {
    const uint8_t *p = in->at;
    if (p == in->end || !is_alpha(*p)) {
        return ARX_MALFORMED;
    }
    while (p < in->end && (is_alpha(*p) || is_digit(*p) || *p == '+' || *p == '-' || *p == '.')) {
        arx_buf_append_byte(&u->scheme, is_alpha(*p) ? (uint8_t)(*p | 0x20) : *p);
        p++;
    }
    if (p == in->end || *p != ':') {
        return ARX_MALFORMED;
    }
    in->at = p + 1;
    if (arx_buf_result(&u->scheme) != ARX_OK) {
        return ARX_NO_MEMORY;
    }
    for (size_t i = 0; i < sizeof special_schemes / sizeof special_schemes[0]; i++) {
        const char *name = special_schemes[i].scheme;
        if (u->scheme.len == strlen(name) && memcmp(u->scheme.data, name, u->scheme.len) == 0) {
            u->special = true;
            u->file = special_schemes[i].port == PORT_NONE;
        }
    }
    return ARX_OK;
}

/* ---- authority ---- */

static void parse_credentials(url *u, const uint8_t *text, size_t len) {
    const uint8_t *colon = memchr(text, ':', len);
    size_t name_len = colon != NULL ? (size_t)(colon - text) : len;
    arx_url_encode(text, name_len, SET_USERINFO, &u->username);
    if (colon != NULL) {
        arx_url_encode(colon + 1, len - name_len - 1, SET_USERINFO, &u->password);
    }
}

static arx_result parse_port(url *u, const uint8_t *text, size_t len) {
    int port = 0;
    for (size_t i = 0; i < len; i++) {
        if (!is_digit(text[i])) {
            return ARX_MALFORMED;
        }
        port = port * 10 + (text[i] - '0');
        if (port > 65535) {
            return ARX_MALFORMED;
        }
    }
    u->port = len == 0 ? PORT_NONE : port;
    for (size_t i = 0; i < sizeof special_schemes / sizeof special_schemes[0]; i++) {
        const char *name = special_schemes[i].scheme;
        if (u->port == special_schemes[i].port && u->scheme.len == strlen(name) &&
            memcmp(u->scheme.data, name, u->scheme.len) == 0) {
            u->port = PORT_NONE;
        }
    }
    return ARX_OK;
}

/* Credentials, host and port, up to the path or query. */
static arx_result parse_authority(url *u, cursor *in) {
    const uint8_t *start = in->at;
    const uint8_t *end = start;
    const uint8_t *at_sign = NULL;
    while (end < in->end && *end != '?' && !is_slash(u, *end)) {
        if (*end == '@') {
            at_sign = end;
        }
        end++;
    }
    in->at = end;
    if (at_sign != NULL) {
        parse_credentials(u, start, (size_t)(at_sign - start));
        start = at_sign + 1;
        if (start == end) {
            return ARX_MALFORMED; /* credentials for no host */
        }
    }

    const uint8_t *host_end = start;
    bool brackets = false;
    while (host_end < end && (*host_end != ':' || brackets)) {
        if (*host_end == '[') {
            brackets = true;
        } else if (*host_end == ']') {
            brackets = false;
        }
        host_end++;
    }
    if (host_end == start && (u->special || host_end < end)) {
        return ARX_MALFORMED;
    }
    u->has_host = true;
    arx_result rc = arx_url_host(start, (size_t)(host_end - start), u->special, &u->host);
    if (rc == ARX_OK && host_end < end) {
        rc = parse_port(u, host_end + 1, (size_t)(end - host_end - 1));
    }
    return rc;
}

/* ---- path ---- */

/* Length of one dot at the text's start, written plainly or as %2e; 0 for none. */
static size_t dot_length(const uint8_t *text, size_t len) {
    if (len >= 1 && text[0] == '.') {
        return 1;
    }
    return len >= 3 && text[0] == '%' && text[1] == '2' && (text[2] | 0x20) == 'e' ? 3 : 0;
}

/* 1 for ".", 2 for "..", in any spelling; 0 for another segment. */
static int dots(const uint8_t *text, size_t len) {
    size_t first = dot_length(text, len);
    if (first == 0) {
        return 0;
    }
    if (first == len) {
        return 1;
    }
    size_t second = dot_length(text + first, len - first);
    return second != 0 && first + second == len ? 2 : 0;
}

/* Removes the last segment; a file's drive letter stays. */
static void shorten(url *u) {
    const arx_buf *path = &u->path;
    if (u->file && path->len == 3 && is_alpha(path->data[1]) && path->data[2] == ':') {
        return;
    }
    while (u->path.len > 0 && u->path.data[--u->path.len] != '/') {
        continue;
    }
}

/* Segments up to the query. There is at least one, which may be empty. */
static void parse_segments(url *u, cursor *in) {
    for (;;) {
        const uint8_t *start = in->at;
        while (in->at < in->end && *in->at != '?' && !is_slash(u, *in->at)) {
            in->at++;
        }
        size_t len = (size_t)(in->at - start);
        bool last = in->at == in->end || *in->at == '?';
        int dot_count = dots(start, len);
        if (dot_count == 2) {
            shorten(u);
        }
        if (dot_count == 0) {
            bool drive = u->file && u->path.len == 0 && is_drive_letter(start, len);
            arx_buf_append_byte(&u->path, '/');
            arx_url_encode(start, drive ? 1 : len, SET_PATH, &u->path);
            if (drive) {
                arx_buf_append_byte(&u->path, ':');
            }
        } else if (last) {
            arx_buf_append_byte(&u->path, '/');
        }
        if (last) {
            return;
        }
        in->at++;
    }
}

/* The path of a URL with an authority. */
static void parse_path(url *u, cursor *in) {
    bool none = in->at == in->end || *in->at == '?';
    if (none && !u->special) {
        return;
    }
    if (!none && is_slash(u, *in->at)) {
        in->at++;
    }
    parse_segments(u, in);
}

/*
 * A path that is one text. Its spaces stay as they are, but for one that would stand at the end:
 * that one would be lost to the next parser.
 */
static void parse_opaque_path(url *u, cursor *in, bool had_fragment) {
    const uint8_t *start = in->at;
    while (in->at < in->end && *in->at != '?') {
        in->at++;
    }
    const uint8_t *end = in->at;
    bool followed = in->at < in->end || had_fragment;
    bool trailing = followed && end > start && end[-1] == ' ';
    u->opaque = true;
    arx_url_encode(start, (size_t)(end - start) - (trailing ? 1 : 0), SET_OPAQUE, &u->path);
    if (trailing) {
        arx_buf_append_str(&u->path, "%20");
    }
}

static arx_result parse_file(url *u, cursor *in) {
    u->has_host = true;
    if (in->at == in->end || !is_slash(u, *in->at)) {
        parse_segments(u, in);
        return ARX_OK;
    }
    in->at++;
    if (in->at == in->end || !is_slash(u, *in->at)) {
        parse_segments(u, in);
        return ARX_OK;
    }
    in->at++;

    const uint8_t *start = in->at;
    const uint8_t *end = start;
    while (end < in->end && *end != '?' && !is_slash(u, *end)) {
        end++;
    }
    size_t len = (size_t)(end - start);
    if (is_drive_letter(start, len)) { /* file://C:/ is file:///C:/ */
        parse_segments(u, in);
        return ARX_OK;
    }
    in->at = end;
    if (len > 0) {
        arx_result rc = arx_url_host(start, len, true, &u->host);
        if (rc != ARX_OK) {
            return rc;
        }
        if (u->host.len == 9 && memcmp(u->host.data, "localhost", 9) == 0) {
            u->host.len = 0;
        }
    }
    parse_path(u, in);
    return ARX_OK;
}

/* ---- the whole ---- */

static arx_result parse(url *u, cursor *in, bool had_fragment) {
    arx_result rc = parse_scheme(u, in);
    if (rc != ARX_OK) {
        return rc;
    }
    if (u->file) {
        rc = parse_file(u, in);
    } else if (u->special) {
        skip_slashes(u, in);
        rc = parse_authority(u, in);
        if (rc == ARX_OK) {
            parse_path(u, in);
        }
    } else if (in->end - in->at >= 2 && in->at[0] == '/' && in->at[1] == '/') {
        in->at += 2;
        rc = parse_authority(u, in);
        if (rc == ARX_OK) {
            parse_path(u, in);
        }
    } else if (in->at < in->end && *in->at == '/') {
        in->at++;
        parse_segments(u, in);
    } else {
        parse_opaque_path(u, in, had_fragment);
    }
    if (rc == ARX_OK && in->at < in->end) {
        in->at++;
        u->has_query = true;
        arx_url_encode(in->at, (size_t)(in->end - in->at),
                       u->special ? SET_SPECIAL_QUERY : SET_QUERY, &u->query);
    }
    return rc;
}

static void append_buf(arx_buf *out, const arx_buf *part) {
    arx_buf_append(out, part->data, part->len);
}

static void serialise(const url *u, arx_buf *out) {
    append_buf(out, &u->scheme);
    arx_buf_append_byte(out, ':');
    if (u->has_host) {
        arx_buf_append_str(out, "//");
        if (u->username.len > 0 || u->password.len > 0) {
            append_buf(out, &u->username);
            if (u->password.len > 0) {
                arx_buf_append_byte(out, ':');
                append_buf(out, &u->password);
            }
            arx_buf_append_byte(out, '@');
        }
        append_buf(out, &u->host);
        if (u->port != PORT_NONE) {
            arx_buf_append_byte(out, ':');
            arx_buf_append_u64(out, (uint64_t)u->port);
        }
    } else if (!u->opaque && u->path.len >= 2 && u->path.data[0] == '/' && u->path.data[1] == '/') {
        arx_buf_append_str(out, "/."); /* else the path would read as a host */
    }
    append_buf(out, &u->path);
    if (u->has_query) {
        arx_buf_append_byte(out, '?');
        append_buf(out, &u->query);
    }
}

/* Without outer controls and spaces, without tabs and line ends, and without the fragment. */
static void clean(const uint8_t *text, size_t len, arx_buf *out, bool *had_fragment) {
    while (len > 0 && text[0] <= ' ') {
        text++;
        len--;
    }
    while (len > 0 && text[len - 1] <= ' ') {
        len--;
    }
    const uint8_t *hash = len > 0 ? memchr(text, '#', len) : NULL;
    *had_fragment = hash != NULL;
    if (hash != NULL) {
        len = (size_t)(hash - text);
    }
    for (size_t i = 0; i < len; i++) {
        if (text[i] != '\t' && text[i] != '\n' && text[i] != '\r') {
            arx_buf_append_byte(out, text[i]);
        }
    }
}

arx_result arx_url_base(const uint8_t *base, size_t len, arx_buf *out) {
    arx_buf text;
    bool had_fragment;
    url u = {.port = PORT_NONE};
    arx_buf_init(&text, 0);
    clean(base, len, &text, &had_fragment);
    arx_result rc = arx_buf_result(&text);
    if (rc != ARX_OK) {
        goto out;
    }
    if (text.len == 0) {
        rc = ARX_MALFORMED;
        goto out;
    }
    arx_text_mend_surrogates(text.data, text.len);

    cursor in = {text.data, text.data + text.len};
    rc = parse(&u, &in, had_fragment);
    const arx_buf *parts[] = {&u.scheme, &u.username, &u.password, &u.host, &u.path, &u.query};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0] && rc == ARX_OK; i++) {
        rc = arx_buf_result(parts[i]);
    }
    if (rc == ARX_OK) {
        serialise(&u, out);
        rc = arx_buf_result(out);
    }
out:
    arx_buf_free(&u.scheme);
    arx_buf_free(&u.username);
    arx_buf_free(&u.password);
    arx_buf_free(&u.host);
    arx_buf_free(&u.path);
    arx_buf_free(&u.query);
    arx_buf_free(&text);
    return rc;
}
