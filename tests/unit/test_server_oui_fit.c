/* JSON Pointers, and observations cut to a budget, against the reference's. */
#include "vectors.h"

#include "ouis.h"

#include "oui/fit.h"
#include "oui/pointer.h"

static void expect_found(arx_json *root, const arx_json *one) {
    const arx_json *pointer = arx_json_get(one, "pointer");
    const arx_json *wanted = arx_json_get(one, "valueJson");
    arx_json *found;
    bool is = oui_pointer_is(pointer->as.string.data, pointer->as.string.len);
    assert_int_equal(is, arx_json_get(one, "error") == NULL);
    assert_int_equal(
        oui_pointer_find(root, pointer->as.string.data, pointer->as.string.len, &found), ARX_OK);
    assert_int_equal(found != NULL, wanted != NULL);
    if (found != NULL) {
        arx_buf text;
        arx_buf_init(&text, 0);
        arx_json_write(found, &text);
        oui_expect(wanted, &text, one);
        arx_buf_free(&text);
    }
}

static void pointers_find(void **state) {
    (void)state;
    const arx_json *root = vector_load("../oui/pointer.json");
    arx_json_doc *doc;
    arx_json *document = oui_parse(arx_json_get(root, "documentJson"), &doc);
    OUI_EACH(one, arx_json_get(root, "atPointer")) {
        expect_found(document, one);
    }
    arx_json_doc_free(doc);
    OUI_EACH(one, arx_json_get(root, "otherRoots")) {
        expect_found(oui_parse(arx_json_get(one, "json"), &doc), one);
        arx_json_doc_free(doc);
    }
}

static void pointers_split(void **state) {
    (void)state;
    OUI_EACH(one, arx_json_get(vector_load("../oui/pointer.json"), "pointerSteps")) {
        const arx_json *pointer = arx_json_get(one, "pointer");
        const arx_json *steps = arx_json_get(one, "steps");
        assert_int_equal(oui_pointer_is(pointer->as.string.data, pointer->as.string.len),
                         steps != NULL);
        if (steps == NULL) {
            continue;
        }
        arx_buf step;
        size_t pos = 0;
        size_t count = 0;
        arx_buf_init(&step, 0);
        while (oui_pointer_next(pointer->as.string.data, pointer->as.string.len, &pos, &step)) {
            const arx_json *wanted = arx_json_at(steps, count++);
            assert_non_null(wanted);
            assert_int_equal(step.len, wanted->as.string.len);
            assert_true(step.len == 0 || memcmp(step.data, wanted->as.string.data, step.len) == 0);
        }
        assert_int_equal(count, steps->as.list.count);
        arx_buf_free(&step);
    }
}

static void pointers_grow(void **state) {
    (void)state;
    OUI_EACH(one, arx_json_get(vector_load("../oui/pointer.json"), "pointerStep")) {
        const arx_json *pointer = arx_json_get(one, "pointer");
        const arx_json *key = arx_json_get(one, "key");
        arx_buf out;
        arx_buf_init(&out, 0);
        arx_buf_append(&out, pointer->as.string.data, pointer->as.string.len);
        if (key->type == ARX_JSON_NUMBER) {
            oui_pointer_row(&out, (size_t)key->as.number);
        } else {
            oui_pointer_name(&out, key->as.string.data, key->as.string.len);
        }
        oui_expect(arx_json_get(one, "out"), &out, one);
        arx_buf_free(&out);
    }
}

static void observations_fit(void **state) {
    (void)state;
    OUI_EACH(one, arx_json_get(vector_load("../oui/fit.json"), "cases")) {
        arx_json_doc *doc;
        const arx_json *observations = oui_parse(arx_json_get(one, "observationsJson"), &doc);
        double given = arx_json_get(one, "budget")->as.number;
        size_t budget = given > 0 ? (size_t)given : 0; /* less than nothing holds no more */
        oui_fitted fitted;
        arx_buf text;
        arx_buf cuts;
        arx_buf wanted;
        arx_buf_init(&text, 0);
        arx_buf_init(&cuts, 0);
        arx_buf_init(&wanted, 0);
        assert_int_equal(oui_fit(observations, budget, &fitted), ARX_OK);
        arx_json_write(fitted.observations, &text);
        oui_expect(arx_json_get(one, "outJson"), &text, one);
        oui_cuts_write(&fitted, (const uint8_t *)"", 0, &cuts);
        arx_json_write(arx_json_get(one, "cuts"), &wanted);
        arx_buf_append_byte(&wanted, '\0');
        arx_buf_append_byte(&cuts, '\0');
        assert_string_equal(cuts.data, wanted.data);
        assert_int_equal(fitted.bytes, oui_number(one, "bytesAfter"));
        assert_int_equal(fitted.bytes <= budget, oui_flag(one, "fits"));
        assert_int_equal(fitted.copy == NULL, oui_flag(one, "untouched"));
        oui_fitted_free(&fitted);
        arx_buf_free(&text);
        arx_buf_free(&cuts);
        arx_buf_free(&wanted);
        arx_json_doc_free(doc);
    }
}

static void ids_are_ordered(void **state) {
    (void)state;
    OUI_EACH(one, arx_json_get(vector_load("../oui/fit.json"), "idOrderPairs")) {
        const arx_json *a = arx_json_get(one, "a");
        const arx_json *b = arx_json_get(one, "b");
        int order = oui_compare_ids(a->as.string.data, a->as.string.len, b->as.string.data,
                                    b->as.string.len);
        int sign = (int)arx_json_get(one, "sign")->as.number;
        assert_int_equal((order > 0) - (order < 0), sign);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pointers_find),   cmocka_unit_test(pointers_split),
        cmocka_unit_test(pointers_grow),   cmocka_unit_test(observations_fit),
        cmocka_unit_test(ids_are_ordered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
