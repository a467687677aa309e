/*
 * The documents that are compiled in: openapi.json describes every route and every error code there
 * is, and no other; origins are filled in and cannot break out.
 */
#include <stdlib.h>
#include <string.h>

#include "vectors.h"

#include "discovery.h"
#include "embedded.h"
#include "reply.h"
#include "route.h"

static const embedded_file *document(const char *name) {
    for (size_t i = 0; i < embedded_discovery_count; i++) {
        if (strcmp(embedded_discovery[i].name, name) == 0) {
            return &embedded_discovery[i];
        }
    }
    fail_msg("no %s", name);
    return NULL;
}

static arx_json_doc *read_openapi(arx_json **root) {
    const embedded_file *file = document("openapi.json");
    arx_json_doc *doc = NULL;
    assert_int_equal(arx_json_parse(file->data, file->len, 0, &doc, root), ARX_OK);
    return doc;
}

/* "/api/artifacts/:id" as OpenAPI writes it: "/api/artifacts/{id}". */
static void write_template(const char *pattern, char *out, size_t size) {
    size_t len = 0;
    for (bool name = false;; pattern++) {
        if (name && (*pattern == '/' || *pattern == '\0')) {
            out[len++] = '}';
            name = false;
        }
        assert_true(len + 2 < size);
        if (*pattern == '\0') {
            break;
        }
        name = name || *pattern == ':';
        out[len++] = *pattern == ':' ? '{' : *pattern;
    }
    out[len] = '\0';
}

static const char *member_of(http_method method) {
    switch (method) {
    case HTTP_GET:
        return "get";
    case HTTP_POST:
        return "post";
    case HTTP_PUT:
        return "put";
    case HTTP_DELETE:
        return "delete";
    default:
        return NULL; /* OPTIONS: the description's introduction tells of it */
    }
}

static void every_route_is_described(void **state) {
    (void)state;
    arx_json *root;
    arx_json_doc *doc = read_openapi(&root);
    const arx_json *paths = arx_json_get(root, "paths");
    size_t routes = 0;
    for (size_t i = 0; i < route_table_count; i++) {
        char template[100];
        const char *method = member_of(route_table[i].method);
        if (method == NULL) {
            assert_int_equal(route_table[i].method, HTTP_OPTIONS);
            continue;
        }
        routes++;
        write_template(route_table[i].pattern, template, sizeof template);
        const arx_json *operation = arx_json_get(arx_json_get(paths, template), method);
        if (!arx_json_is(operation, ARX_JSON_OBJECT)) {
            fail_msg("openapi.json does not describe %s %s", method, template);
        }
        /* A route that takes a body says what body. */
        bool takes = (route_table[i].flags & ROUTE_BODY) != 0;
        if (takes != (arx_json_get(operation, "requestBody") != NULL)) {
            fail_msg("the body of %s %s", method, template);
        }
    }
    size_t described = 0;
    for (const arx_json *path = paths->as.list.first; path != NULL; path = path->next) {
        for (const arx_json *item = path->as.list.first; item != NULL; item = item->next) {
            described += strncmp((const char *)item->key, "parameters", item->key_len) != 0;
        }
    }
    assert_int_equal(described, routes); /* and nothing else */
    arx_json_doc_free(doc);
}

static void every_error_code_is_described(void **state) {
    (void)state;
    arx_json *root;
    arx_json_doc *doc = read_openapi(&root);
    const arx_json *codes = arx_json_get(root, "x-error-codes");
    const arx_json *schemas = arx_json_get(arx_json_get(root, "components"), "schemas");
    const arx_json *error = arx_json_get(schemas, "Error");
    const arx_json *names =
        arx_json_get(arx_json_get(arx_json_get(error, "properties"), "code"), "enum");
    size_t count = 0;
    for (int i = API_OK + 1; i < API_RESULT_COUNT; i++, count++) {
        const api_row *row = api_row_of((api_result)i);
        const arx_json *status = arx_json_get(codes, row->code);
        if (!arx_json_is(status, ARX_JSON_NUMBER) || status->as.number != (double)row->status) {
            fail_msg("openapi.json does not say that %s is %u", row->code, row->status);
        }
        bool listed = false;
        for (const arx_json *name = names->as.list.first; name != NULL; name = name->next) {
            listed = listed || arx_json_string_is(name, row->code);
        }
        assert_true(listed);
    }
    assert_int_equal(codes->as.list.count, count);
    assert_int_equal(names->as.list.count, count);
    arx_json_doc_free(doc);
}

static void fill_in(const char *text, const char *origin, const char *expected) {
    arx_buf out;
    arx_buf_init(&out, 0);
    size_t len = strlen(text);
    uint8_t *copy = guard_copy(text, len);
    discovery_fill_in(copy, len, origin, &out);
    guard_free(copy, len);
    assert_int_equal(arx_buf_result(&out), ARX_OK);
    assert_int_equal(out.len, strlen(expected));
    if (out.len > 0) {
        assert_memory_equal(out.data, expected, out.len);
    }
    arx_buf_free(&out);
}

static void origins_are_filled_in(void **state) {
    (void)state;
    fill_in("", "https://a", "");
    fill_in("no hole {origi", "https://a", "no hole {origi");
    fill_in("{origin}", "https://a:1", "https://a:1");
    fill_in("<{origin}/x {origin}>{origin}", "http://[::1]",
            "<http://[::1]/x http://[::1]>http://[::1]");
    fill_in("{origin}/x", "https://a/{origin}", "/x");
    static const char *const hostile[] = {"https://a\"",     "https://a<b", "https://a b",
                                          "https://a&b",     "https://a'",  "https://a\\",
                                          "https://\xC3\xA4"};
    for (size_t i = 0; i < sizeof hostile / sizeof hostile[0]; i++) {
        fill_in("{\"href\": \"{origin}/x\"}", hostile[i], "{\"href\": \"/x\"}");
    }
}

/* The digest in the skills' index is filled in when it is embedded. */
static void nothing_is_left_to_fill_in_but_origins(void **state) {
    (void)state;
    for (size_t i = 0; i < embedded_discovery_count; i++) {
        const embedded_file *file = &embedded_discovery[i];
        assert_true(file->len > 0);
        assert_null(memmem(file->data, file->len, "{sha256", 7));
    }
    discovery *table = discovery_create();
    assert_non_null(table);
    discovery_free(table);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_route_is_described),
        cmocka_unit_test(every_error_code_is_described),
        cmocka_unit_test(origins_are_filled_in),
        cmocka_unit_test(nothing_is_left_to_fill_in_but_origins),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
