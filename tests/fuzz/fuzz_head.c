/*
 * fuzz_head.c - any bytes as what a request's head says.
 *
 * Lines: target, Accept, Accept-Encoding, Authorization, If-None-Match, If-Modified-Since, Prefer,
 * then headers as `name:value`. What is chosen is among what there is, what is cut out lies within
 * what it was cut from, and a path that is accepted has no segment that could lead elsewhere.
 */
#include "fuzz.h"

#include "auth.h"
#include "conditional.h"
#include "http_framing.h"
#include "http_target.h"
#include "ids.h"
#include "negotiate.h"

#include <strings.h>

static void check_segment(const char *segment) {
    must(*segment != '\0' && strcmp(segment, ".") != 0 && strcmp(segment, "..") != 0);
    must(strchr(segment, '\\') == NULL && strstr(segment, "/../") == NULL);
    uint8_t id[ID_BYTES];
    if (id_parse(segment, id)) {
        char text[ID_LONG_CHARS + 1];
        uint8_t again[ID_BYTES];
        id_format_long(id, text);
        must(id_parse(text, again) && memcmp(id, again, ID_BYTES) == 0);
        id_format_short(id, text);
        must(id_parse(text, again) && memcmp(id, again, ID_BYTES) == 0);
    }
}

static void check_target(fuzz_input *in) {
    char *target = take_line(in);
    const char *end = target + strlen(target);
    http_path path;
    http_target_result result = http_target_split(target, &path);
    must(result == HTTP_TARGET_OK || path.count == 0);
    for (size_t i = 0; i < path.count; i++) {
        must(path.segments[i] >= target && path.segments[i] <= end);
        check_segment(path.segments[i]);
    }
    if (result == HTTP_TARGET_OK && path.query != NULL) {
        http_parameter parameters[HTTP_MAX_PARAMETERS];
        size_t count = http_query_split(path.query, parameters);
        must(count <= HTTP_MAX_PARAMETERS);
        for (size_t i = 0; i < count; i++) {
            must(parameters[i].name >= target && parameters[i].name <= end);
            must(strlen(parameters[i].value) <= (size_t)(end - target));
        }
    }
    free(target);
}

static void check_accept(fuzz_input *in) {
    static const char *const types[] = {"text/html", "text/markdown", "application/json"};
    const int count = (int)(sizeof types / sizeof types[0]);
    char *accept = take_line(in);
    int chosen = negotiate_type(accept, types, (size_t)count);
    must(chosen >= -1 && chosen < count);
    free(accept);

    char *coding = take_line(in);
    for (unsigned available = 0; available < 1u << ENCODING_COUNT; available++) {
        content_encoding encoding = negotiate_encoding(coding, available);
        must(encoding == ENCODING_NONE || encoding == ENCODING_IDENTITY ||
             (available & 1u << encoding) != 0);
    }
    free(coding);
}

static void check_authorization(fuzz_input *in) {
    char *header = take_line(in);
    size_t len = 0;
    const char *token = auth_bearer(header, &len);
    if (token != NULL) {
        must(len > 0 && token >= header && token + len <= header + strlen(header));
    }
    free(header);
}

static void check_conditions(fuzz_input *in) {
    static const char etag[] = "\"0123456789abcdef\"";
    static const char date[] = "Sun, 06 Nov 1994 08:49:37 GMT";
    char *match = take_line(in);
    char *since = take_line(in);
    (void)not_modified(match, since, etag, date);
    must(not_modified(etag, since, etag, date));
    must(!not_modified("", since, etag, date) || strcmp(since, date) == 0);
    free(match);
    free(since);

    char *prefer = take_line(in);
    (void)prefer_holds(prefer, "respond-async");
    free(prefer);
}

static void check_framing(fuzz_input *in) {
    http_framing framing = {0};
    unsigned lengths = 0;
    while (in->len > 0) {
        char *line = take_line(in);
        char *value = strchr(line, ':');
        size_t name_len = value != NULL ? (size_t)(value - line) : strlen(line);
        value = value != NULL ? value + 1 : line + name_len;
        http_framing_add(&framing, line, name_len, value, strlen(value));
        lengths += name_len == 14 && strncasecmp(line, "Content-Length", 14) == 0;
        free(line);
    }
    if (http_framing_sound(&framing, false)) {
        must(framing.has_host && !(framing.has_length && framing.has_encoding) && lengths <= 1);
    }
    if (http_framing_sound(&framing, true)) {
        must(!framing.has_encoding && lengths <= 1);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_input in = {data, size};
    check_target(&in);
    check_accept(&in);
    check_authorization(&in);
    check_conditions(&in);
    check_framing(&in);
    return 0;
}
