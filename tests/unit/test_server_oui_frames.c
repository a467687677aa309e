/* Snapshots, results, trimmed results, oui.describe and oui.read as the vectors say. */
#include "vectors.h"

#include "ouis.h"

#include "oui/frame.h"
#include "oui/own_actions.h"

/* A page of the vectors, with its observations. */
typedef struct scene {
    oui_page page;
    arx_json_doc *doc;
    arx_json *observations;
} scene;

static const arx_json *root_of(void) {
    static const arx_json *root;
    return root != NULL ? root : (root = vector_load("../oui/runtime.json"));
}

/* The page of the vectors has values of a surface that has left it; ours publishes none. */
static void drop_strays(const oui_page *page, arx_json *observations) {
    arx_json **at = &observations->as.list.first;
    while (*at != NULL) {
        const arx_json id = {.type = ARX_JSON_STRING, .as.string = {(*at)->key, (*at)->key_len}};
        if (oui_page_surface(page, &id) == NULL) {
            *at = (*at)->next;
        } else {
            at = &(*at)->next;
        }
    }
}

static void scene_open(const arx_json *name, scene *out) {
    char id[32] = {0};
    memcpy(id, name->as.string.data, name->as.string.len);
    const arx_json *of = arx_json_get(arx_json_get(root_of(), "pages"), id);
    const arx_json *text = arx_json_get(of, "surfacesJson");
    assert_int_equal(oui_page_open(text->as.string.data, text->as.string.len, &out->page), ARX_OK);
    out->observations = oui_parse(arx_json_get(of, "observationsJson"), &out->doc);
    drop_strays(&out->page, out->observations);
}

static void scene_close(scene *self) {
    oui_page_close(&self->page);
    arx_json_doc_free(self->doc);
}

static oui_form form_of(const arx_json *one) {
    return arx_json_string_is(arx_json_get(one, "form"), "full") ? OUI_FORM_FULL : OUI_FORM_INDEX;
}

static void frames(void **state) {
    (void)state;
    OUI_EACH(one, arx_json_get(root_of(), "frames")) {
        scene at;
        arx_json_doc *doc;
        arx_buf out;
        char known[64] = {0};
        const arx_json *holds = arx_json_get(one, "knownSurfaces");
        if (holds != NULL) {
            memcpy(known, holds->as.string.data, holds->as.string.len);
        }
        scene_open(arx_json_get(one, "page"), &at);
        arx_buf_init(&out, 0);
        const arx_json *outcome = oui_parse(arx_json_get(one, "outcomeJson"), &doc);
        assert_int_equal(oui_frame(&at.page, form_of(one), outcome, holds != NULL ? known : NULL,
                                   at.observations, oui_number(one, "answerBytes"), &out),
                         ARX_OK);
        oui_expect(arx_json_get(one, "resultJson"), &out, arx_json_get(one, "name"));
        assert_int_equal(out.len, oui_number(one, "resultBytes"));
        arx_buf_free(&out);
        arx_json_doc_free(doc);
        scene_close(&at);
    }
}

static void snapshots(void **state) {
    (void)state;
    OUI_EACH(one, arx_json_get(root_of(), "snapshots")) {
        scene at;
        arx_buf out;
        scene_open(arx_json_get(one, "page"), &at);
        arx_buf_init(&out, 0);
        assert_int_equal(oui_snapshot(&at.page, form_of(one), at.observations,
                                      oui_number(one, "snapshotBytes"), &out),
                         ARX_OK);
        oui_expect(arx_json_get(one, "resultJson"), &out, arx_json_get(one, "name"));
        assert_int_equal(out.len, oui_number(one, "resultBytes"));
        arx_buf_free(&out);
        scene_close(&at);
    }
}

static void trims(void **state) {
    (void)state;
    OUI_EACH(one, arx_json_get(root_of(), "trims")) {
        arx_json_doc *doc;
        const arx_json *first = oui_parse(arx_json_get(one, "firstJson"), &doc);
        const arx_json *reason = arx_json_get(one, "reason");
        const arx_json *sends = arx_json_get(one, "sends");
        assert_int_equal(sends->as.list.count, OUI_TRIM_STEPS);
        unsigned step = 0;
        OUI_EACH(sent, sends) {
            arx_buf out;
            arx_buf_init(&out, 0);
            assert_int_equal(oui_trim(first, form_of(one), ++step, reason->as.string.data,
                                      reason->as.string.len, &out),
                             ARX_OK);
            oui_expect(sent, &out, one);
            arx_buf_free(&out);
        }
        arx_json_doc_free(doc);
    }
}

typedef oui_own_result own_action(scene *at, const arx_json *params, size_t budget, arx_buf *data,
                                  arx_buf *message);

static oui_own_result run_describe(scene *at, const arx_json *params, size_t budget, arx_buf *data,
                                   arx_buf *message) {
    return oui_describe(&at->page, params, budget, data, message);
}

static oui_own_result run_read(scene *at, const arx_json *params, size_t budget, arx_buf *data,
                               arx_buf *message) {
    return oui_read(at->observations, params, budget, data, message);
}

static void expect_own(const arx_json *one, scene *at, own_action *run) {
    arx_json_doc *doc;
    arx_buf data;
    arx_buf out;
    arx_buf message;
    arx_buf_init(&data, 0);
    arx_buf_init(&out, 0);
    arx_buf_init(&message, 0);
    const arx_json *params = oui_parse(arx_json_get(one, "paramsJson"), &doc);
    oui_own_result result = run(at, params, oui_number(one, "answerBytes"), &data, &message);
    if (result == OUI_OWN_OK) {
        arx_buf_append_str(&out, "{\"success\":true,\"data\":");
        arx_buf_append(&out, data.data, data.len);
        arx_buf_append_str(&out, "}");
    } else {
        assert_true(message.len > 0);
        arx_buf_append_str(&out, result == OUI_OWN_INVALID
                                     ? "{\"success\":false,\"code\":\"INVALID_PARAMS\"}"
                                     : "{\"success\":false,\"code\":\"NOT_FOUND\"}");
    }
    oui_expect(arx_json_get(one, "outJson"), &out, one);
    arx_buf_free(&data);
    arx_buf_free(&out);
    arx_buf_free(&message);
    arx_json_doc_free(doc);
}

static void run_own(const char *list, own_action *run) {
    static const arx_json small = {.type = ARX_JSON_STRING,
                                   .as.string = {(const uint8_t *)"small", 5}};
    static const arx_json read = {.type = ARX_JSON_STRING,
                                  .as.string = {(const uint8_t *)"read", 4}};
    scene at;
    scene_open(run == run_read ? &read : &small, &at);
    OUI_EACH(one, arx_json_get(root_of(), list)) {
        expect_own(one, &at, run);
    }
    scene_close(&at);
}

static void describes(void **state) {
    (void)state;
    run_own("describe", run_describe);
}

static void reads(void **state) {
    (void)state;
    run_own("read", run_read);
}

/* The service's own definitions are those the vectors were made of. */
static void own_definitions(void **state) {
    (void)state;
    const arx_json *root = vector_load("../oui/service-index.json");
    size_t len;
    uint8_t *text = vector_read_file("server/actions.json", &len);
    oui_page page;
    assert_int_equal(oui_page_open(text, len, &page), ARX_OK);
    oui_expect(arx_json_get(root, "surfacesJson"), &page.offers[OUI_FORM_FULL].text, root);
    oui_expect(arx_json_get(root, "indexJson"), &page.offers[OUI_FORM_INDEX].text, root);
    assert_true(arx_json_string_is(arx_json_get(root, "surfacesHashFull"),
                                   page.offers[OUI_FORM_FULL].hash));
    assert_true(arx_json_string_is(arx_json_get(root, "surfacesHashIndex"),
                                   page.offers[OUI_FORM_INDEX].hash));
    oui_page_close(&page);
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames),    cmocka_unit_test(snapshots), cmocka_unit_test(trims),
        cmocka_unit_test(describes), cmocka_unit_test(reads),     cmocka_unit_test(own_definitions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
