/*
 * The table of actions: its entries, checks and functions come from one definition, and definitions
 * that the server could not serve are refused at the start.
 */
#include "vectors.h"

#include <stdio.h>

#include "ouis.h"

#include "actions.h"
#include "embedded.h"

static void every_action_has_one_definition(void **state) {
    (void)state;
    char why[300] = "";
    actions *all = actions_open(embedded_actions, embedded_actions_len, why, sizeof why);
    if (all == NULL) {
        fail_msg("%s", why);
    }
    arx_json_doc *doc;
    const arx_json *index =
        oui_parse(arx_json_get(vector_load("../oui/service-index.json"), "indexJson"), &doc);
    size_t seen = 0;
    OUI_EACH(surface, index) {
        OUI_EACH(entry, arx_json_get(surface, "index")) {
            char ids[2][80] = {{0}, {0}};
            const arx_json *names[] = {arx_json_get(surface, "id"), arx_json_get(entry, "id")};
            for (int i = 0; i < 2; i++) {
                memcpy(ids[i], names[i]->as.string.data, names[i]->as.string.len);
            }
            const action *one = actions_find(all, ids[0], ids[1]);
            char hash[OUI_DEFINITION_HASH_CHARS + 1];
            assert_non_null(one);
            assert_ptr_equal(one, actions_at(all, seen++)); /* in the order of the definitions */
            assert_int_equal(oui_definition_hash(one->definition, hash), ARX_OK);
            assert_true(arx_json_string_is(arx_json_get(entry, "definitionHash"), hash));
            assert_non_null(one->run);
            assert_non_null(one->input);
            assert_int_equal(one->needs_approval, oui_flag(entry, "confirm"));
            assert_int_equal(one->async, oui_flag(entry, "async"));
        }
    }
    assert_int_equal(seen, actions_count(all));
    assert_null(actions_find(all, "artifacts", "get_stats"));
    assert_null(actions_find(all, "oui", "read"));
    arx_json_doc_free(doc);
    actions_free(all);
}

/* The definitions with one text put in the place of another, which must be there. */
static actions *open_with(const char *from, const char *to, char *why, size_t why_size) {
    arx_buf text;
    arx_buf_init(&text, 0);
    const uint8_t *at = memmem(embedded_actions, embedded_actions_len, from, strlen(from));
    if (at == NULL) {
        fail_msg("the definitions hold no %s", from);
    }
    arx_buf_append(&text, embedded_actions, (size_t)(at - embedded_actions));
    arx_buf_append_str(&text, to);
    at += strlen(from);
    arx_buf_append(&text, at, (size_t)(embedded_actions + embedded_actions_len - at));
    actions *all = actions_open(text.data, text.len, why, why_size);
    arx_buf_free(&text);
    return all;
}

static void wrong_definitions_are_refused(void **state) {
    (void)state;
    static const char *const changes[][3] = {
        {"\"id\": \"artifacts\"", "\"id\": \"oui\"", "oui"},
        {"\"id\": \"artifacts\"", "\"id\": \"Artifacts\"", "surface's id"},
        {"\"id\": \"artifacts\"", "\"id\": \"service\"", "nothing here does|surface's id"},
        {"\"id\": \"create_link\"", "\"id\": \"read\"", "nothing here does|twice"},
        {"\"id\": \"create_link\"", "\"id\": \"make\"", "nothing here does"},
        {"\"id\": \"create_link\"", "\"id\": \"_make\"", "id"},
        {"\"id\": \"recent_links\"", "\"id\": \"encode_jobs\"", "observation"},
        {"\"id\": \"recent_links\"", "\"id\": \"read\"", "observation"},
        {"\"effect\": \"mutate\"", "\"effect\": \"destroy\"", "effect"},
        {"\"type\": \"object\"", "\"type\": \"array\"", "object"},
        {"\"maxLength\": 200", "\"maxLen\": 200", "maxLen"},
        {"\"maxDurationMs\": 120000", "\"maxAttempts\": 3", "maxDurationMs"},
        {"\"properties\": {", "\"properties\": {\"__proto__\":{},", "__proto__"},
        {"\"properties\": {", "\"properties\": {\"7\":{},", "number"},
    };
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        char why[300] = "";
        actions *all = open_with(changes[i][0], changes[i][1], why, sizeof why);
        if (all != NULL) {
            fail_msg("%s was taken", changes[i][1]);
        }
        char words[100];
        (void)snprintf(words, sizeof words, "%s", changes[i][2]);
        char *second = strchr(words, '|');
        if (second != NULL) {
            *second++ = '\0';
        }
        if (strstr(why, words) == NULL && (second == NULL || strstr(why, second) == NULL)) {
            fail_msg("%s: %s", changes[i][1], why);
        }
    }
    char why[300] = "";
    assert_null(actions_open((const uint8_t *)"[]", 2, why, sizeof why));
    assert_non_null(strstr(why, "no definition"));
    assert_null(actions_open((const uint8_t *)"{}", 2, why, sizeof why));
    assert_null(actions_open((const uint8_t *)"", 0, why, sizeof why));
}

/* Params are checked when the call is made; numbers arrive as the numbers they are. */
static void params_are_checked(void **state) {
    (void)state;
    static const struct {
        const char *id;
        const char *params;
        const char *path; /* NULL: they fit */
    } calls[] = {
        {"list_links", "{}", NULL},
        {"list_links", "{\"limit\":5.0}", NULL},
        {"list_links", "{\"limit\":5.5}", "/limit"},
        {"list_links", "{\"limit\":201}", "/limit"},
        {"list_links", "{\"state\":\"dead\"}", "/state"},
        {"list_links", "{\"of\":1}", "/of"},
        {"list_links", "[]", ""},
        {"list_links", "null", ""},
        {"delete", "{\"id\":\"3f1d2c4b-9a77-4a0e-8f22-6d5b1c0e7a91\"}", NULL},
        {"delete", "{\"id\":\"3f1d2c4b\"}", "/id"},
        {"delete", "{}", ""},
        {"create_link", "{\"artifact\":{\"kind\":\"text\"}}", "/artifact/kind"},
        {"create_link", "{\"envelope\":{\"v\":2,\"artifacts\":[{}]}}", "/envelope/v"},
        {"create_link", "{\"envelope\":{\"v\":1,\"artifacts\":[]}}", "/envelope/artifacts"},
    };
    char why[300];
    actions *all = actions_open(embedded_actions, embedded_actions_len, why, sizeof why);
    const auth_caller nobody = {0};
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        arx_json_doc *doc;
        arx_json *params;
        assert_int_equal(arx_json_parse((const uint8_t *)calls[i].params, strlen(calls[i].params),
                                        0, &doc, &params),
                         ARX_OK);
        action_call *call =
            action_call_create(actions_find(all, "artifacts", calls[i].id), &nobody, "r-1", params);
        assert_non_null(call);
        assert_int_equal(call->code != NULL, calls[i].path != NULL);
        if (call->code != NULL) {
            char details[200];
            (void)snprintf(details, sizeof details, "{\"path\":\"%s\",", calls[i].path);
            assert_string_equal(call->code, "VALIDATION_ERROR");
            assert_true(call->details.len > strlen(details));
            assert_memory_equal(call->details.data, details, strlen(details));
        } else if (arx_json_get(params, "limit") != NULL) {
            assert_int_equal(json_integer_value(json_object_get(call->params.root, "limit")), 5);
        }
        action_call_free(call);
        arx_json_doc_free(doc);
    }
    actions_free(all);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_action_has_one_definition),
        cmocka_unit_test(wrong_definitions_are_refused),
        cmocka_unit_test(params_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
