/* Which row of a route table answers, and what Allow says; times as they are written. */
#include <stdio.h>
#include <string.h>

#include "vectors.h"

#include "clock.h"
#include "reply.h"
#include "route.h"

static void handler(http_request *request) {
    (void)request;
}

static const route table[] = {
    {"/", HTTP_GET, handler, 0},
    {"/health", HTTP_GET, handler, 0},
    {"/api/things", HTTP_POST, handler, ROUTE_CORS | ROUTE_BODY},
    {"/api/things/:id", HTTP_GET, handler, ROUTE_CORS},
    {"/api/things/:id", HTTP_DELETE, handler, ROUTE_CORS},
    {"/api/*", HTTP_OPTIONS, handler, ROUTE_CORS},
    {"/assets/index.json", HTTP_GET, handler, 0},
    {"/assets/:set/:name", HTTP_GET, handler, 0},
    {"/:id", HTTP_GET, handler, 0},
    {"/:id/raw", HTTP_GET, handler, 0},
    {"/:id/raw/:name", HTTP_GET, handler, 0},
};
#define ROWS (sizeof table / sizeof table[0])

#define ID    "00112233-4455-4f77-bf99-aabbccddeeff"
#define SHORT "ABEiM0RVT3e_maq7zN3u_w"

static void test_find(void **state) {
    (void)state;
    static const struct {
        http_method method;
        const char *segments[4];
        const char *pattern; /* NULL: none */
        const char *allow;
    } cases[] = {
        {HTTP_GET, {0}, "/", "GET, HEAD"},
        {HTTP_HEAD, {0}, "/", "GET, HEAD"},
        {HTTP_POST, {0}, NULL, "GET, HEAD"},
        {HTTP_GET, {"health"}, "/health", "GET, HEAD"},
        {HTTP_GET, {"Health"}, NULL, ""},
        {HTTP_GET, {"health", "x"}, NULL, ""},
        {HTTP_POST, {"api", "things"}, "/api/things", "POST, OPTIONS"},
        {HTTP_GET, {"api", "things"}, NULL, "POST, OPTIONS"},
        {HTTP_HEAD, {"api", "things"}, NULL, "POST, OPTIONS"},
        {HTTP_GET, {"api", "things", ID}, "/api/things/:id", "GET, HEAD, DELETE, OPTIONS"},
        {HTTP_HEAD, {"api", "things", SHORT}, "/api/things/:id", "GET, HEAD, DELETE, OPTIONS"},
        {HTTP_PATCH, {"api", "things", ID}, NULL, "GET, HEAD, DELETE, OPTIONS"},
        {HTTP_GET, {"api", "things", "no-id"}, NULL, ""},
        {HTTP_OPTIONS, {"api", "things", ID}, "/api/*", "GET, HEAD, DELETE, OPTIONS"},
        {HTTP_OPTIONS, {"api", "nope"}, "/api/*", ""},
        {HTTP_OPTIONS, {"api"}, NULL, ""},
        {HTTP_GET, {"api", "nope"}, NULL, ""},
        {HTTP_GET, {"api/things"}, NULL, ""},
        {HTTP_GET, {"assets", "index.json"}, "/assets/index.json", "GET, HEAD"},
        {HTTP_GET, {"assets", "0123456789abcdef", "x.json"}, "/assets/:set/:name", "GET, HEAD"},
        {HTTP_GET, {"assets", "0123456789ABCDEF", "x.json"}, NULL, ""},
        {HTTP_GET, {"assets", "0123456789abcde", "x.json"}, NULL, ""},
        {HTTP_GET, {ID}, "/:id", "GET, HEAD"},
        {HTTP_GET, {ID, "raw"}, "/:id/raw", "GET, HEAD"},
        {HTTP_GET, {ID, "raw", "a/b"}, "/:id/raw/:name", "GET, HEAD"},
        {HTTP_GET, {ID, "raw", "a", "b"}, NULL, ""},
        {HTTP_GET, {ID, "row"}, NULL, ""},
        {HTTP_GET, {"{" ID "}"}, NULL, ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        size_t count = 0;
        while (count < 4 && cases[i].segments[count] != NULL) {
            count++;
        }
        const route *known;
        unsigned allowed;
        char allow[ROUTE_ALLOW_SIZE];
        const route *row =
            route_find(table, ROWS, cases[i].method, cases[i].segments, count, &known, &allowed);
        route_allow(allowed, allow);
        const char *pattern = row != NULL ? row->pattern : "none";
        const char *expected = cases[i].pattern != NULL ? cases[i].pattern : "none";
        if (strcmp(pattern, expected) != 0 || strcmp(allow, cases[i].allow) != 0 ||
            (known != NULL) != (cases[i].allow[0] != '\0')) {
            fail_msg("case %zu: row %s, Allow %s", i, pattern, allow);
        }
    }
}

/* Every result has a status of its kind and a code; codes are not used twice. */
static void test_results(void **state) {
    (void)state;
    for (int i = 0; i < API_RESULT_COUNT; i++) {
        const api_row *row = api_row_of((api_result)i);
        assert_true(row->status >= 200 && row->status < 600);
        assert_non_null(row->code);
        assert_true(row->status != 503 || row->retry_after_s > 0);
        for (int k = 0; k < i; k++) {
            assert_string_not_equal(row->code, api_row_of((api_result)k)->code);
        }
    }
    assert_string_equal(api_row_of(API_PAYLOAD_TOO_LONG)->text,
                        "Payload exceeds the maximum allowed length of 500,000 characters.");
    for (int code = ARX_CODE_EMPTY; code < ARX_CODE_NO_MEMORY; code++) {
        assert_int_equal(api_row_of(api_result_of_code((arx_code)code))->status, 422);
        assert_null(api_row_of(api_result_of_code((arx_code)code))->text);
    }
    assert_int_equal(api_result_of_code(ARX_CODE_NO_MEMORY), API_INTERNAL);
}

static void test_fields(void **state) {
    (void)state;
    arx_buf out;
    arx_buf_init(&out, 0);
    fields_begin(&out);
    field_text(&out, "a", "q\"\x01");
    field_text(&out, "b", NULL);
    field_number(&out, "c", 0.5);
    field_count(&out, "d", 18446744073709551615u);
    field_bool(&out, "e", true);
    field_time(&out, "f", 0);
    field_name(&out, "g");
    list_begin(&out);
    list_item(&out);
    fields_begin(&out);
    fields_end(&out);
    list_item(&out);
    fields_begin(&out);
    field_null(&out, "h");
    fields_end(&out);
    list_end(&out);
    fields_end(&out);
    assert_int_equal(arx_buf_result(&out), ARX_OK);
    static const char expected[] =
        "{\"a\":\"q\\\"\\u0001\",\"b\":null,\"c\":0.5,\"d\":18446744073709551615,\"e\":true,"
        "\"f\":\"1970-01-01T00:00:00.000Z\",\"g\":[{},{\"h\":null}]}";
    assert_int_equal(out.len, sizeof expected - 1);
    assert_memory_equal(out.data, expected, out.len);
    arx_buf_free(&out);
}

static void test_times(void **state) {
    (void)state;
    static const struct {
        int64_t ms;
        const char *text;
    } cases[] = {
        {0, "1970-01-01T00:00:00.000Z"},
        {1, "1970-01-01T00:00:00.001Z"},
        {-1, "1969-12-31T23:59:59.999Z"},
        {951782400000, "2000-02-29T00:00:00.000Z"},
        {1767225599999, "2025-12-31T23:59:59.999Z"},
        {253402300799999, "9999-12-31T23:59:59.999Z"},
        {253402300800000, "9999-12-31T23:59:59.999Z"},
        {INT64_MAX, "9999-12-31T23:59:59.999Z"},
        {INT64_MIN, "0000-01-01T00:00:00.000Z"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[CLOCK_ISO_SIZE];
        clock_iso(cases[i].ms, text);
        assert_string_equal(text, cases[i].text);
    }
}

static void test_reading_times(void **state) {
    (void)state;
    static const struct {
        const char *text;
        int64_t ms;
    } good[] = {
        {"1970-01-01", 0},
        {"2000-02-29T00:00:00Z", 951782400000},
        {"2025-12-31T23:59:59.999Z", 1767225599999},
        {"9999-12-31", 253402214400000},
    };
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        int64_t ms = -1;
        assert_true(clock_from_iso(good[i].text, &ms));
        assert_true(ms == good[i].ms);
    }
    static const char *const wrong[] = {
        "",
        "2026",
        "2026-1-1",
        "2026-13-01",
        "2026-00-01",
        "2026-02-30",
        "2025-02-29",
        "2026-04-31",
        "2026-01-00",
        "2026-01-01 00:00:00Z",
        "2026-01-01T00:00:00",
        "2026-01-01T24:00:00Z",
        "2026-01-01T00:60:00Z",
        "2026-01-01T00:00:60Z",
        "2026-01-01T00:00:00.9Z",
        "2026-01-01T00:00:00+00:00",
        "2026-01-01T00:00:00Zx",
        "2026-01-01x",
        " 2026-01-01",
        "today",
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        int64_t ms = 7;
        if (clock_from_iso(wrong[i], &ms) || ms != 7) {
            fail_msg("%s", wrong[i]);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_find),          cmocka_unit_test(test_results),
        cmocka_unit_test(test_fields),        cmocka_unit_test(test_times),
        cmocka_unit_test(test_reading_times),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
