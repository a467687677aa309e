/* The index form against the reference's: sentences, clips, summaries, entries, whole surfaces. */
#include "vectors.h"

#include "ouis.h"

#include "oui/frame.h"
#include "oui/index.h"
#include "oui/summary.h"

typedef void text_function(const arx_json *text, const arx_json *one, arx_buf *out);

/* Runs cases whose input is a JSON text and whose output, quoted again, must be `outJson`. */
static void run_texts(const char *list, text_function *run) {
    OUI_EACH(one, arx_json_get(vector_load("../oui/index.json"), list)) {
        arx_json_doc *doc;
        const arx_json *text = oui_parse(arx_json_get(one, "textJson"), &doc);
        arx_buf out;
        arx_buf quoted;
        arx_buf_init(&out, 0);
        arx_buf_init(&quoted, 0);
        run(text, one, &out);
        arx_json_write_string(out.data, out.len, &quoted);
        oui_expect(arx_json_get(one, "outJson"), &quoted, one);
        arx_buf_free(&out);
        arx_buf_free(&quoted);
        arx_json_doc_free(doc);
    }
}

static void run_sentence(const arx_json *text, const arx_json *one, arx_buf *out) {
    (void)one;
    oui_first_sentence(text->as.string.data, text->as.string.len, out);
}

static void run_clip(const arx_json *text, const arx_json *one, arx_buf *out) {
    oui_clip(text->as.string.data, text->as.string.len, oui_number(one, "max"), out);
}

static void first_sentences(void **state) {
    (void)state;
    run_texts("firstSentence", run_sentence);
}

static void clips(void **state) {
    (void)state;
    run_texts("clip", run_clip);
}

static void value_summaries(void **state) {
    (void)state;
    OUI_EACH(one, arx_json_get(vector_load("../oui/index.json"), "valueSummary")) {
        arx_json_doc *doc;
        arx_buf out;
        arx_buf_init(&out, 0);
        oui_value_summary(oui_parse(arx_json_get(one, "schemaJson"), &doc), &out);
        oui_expect(arx_json_get(one, "out"), &out, one);
        arx_buf_free(&out);
        arx_json_doc_free(doc);
    }
}

static void input_summaries(void **state) {
    (void)state;
    OUI_EACH(one, arx_json_get(vector_load("../oui/index.json"), "summarizeInput")) {
        const arx_json *text = arx_json_get(one, "schemaJson");
        arx_json_doc *doc = NULL;
        const arx_json *schema = arx_json_is(text, ARX_JSON_NULL) ? NULL : oui_parse(text, &doc);
        arx_buf out;
        arx_buf quoted;
        arx_buf_init(&out, 0);
        arx_buf_init(&quoted, 0);
        oui_input_summary(schema, &out);
        arx_json_write_string(out.data, out.len, &quoted);
        oui_expect(arx_json_get(one, "outJson"), &quoted, one);
        arx_buf_free(&out);
        arx_buf_free(&quoted);
        arx_json_doc_free(doc);
    }
}

static void entries(void **state) {
    (void)state;
    OUI_EACH(one, arx_json_get(vector_load("../oui/index.json"), "entries")) {
        arx_json_doc *doc;
        arx_buf out;
        arx_buf_init(&out, 0);
        assert_int_equal(oui_index_entry(oui_parse(arx_json_get(one, "actionJson"), &doc), &out),
                         ARX_OK);
        oui_expect(arx_json_get(one, "entryJson"), &out, one);
        arx_buf_free(&out);
        arx_json_doc_free(doc);
    }
}

/* Both forms of a page of one surface. (The file's `allSurfacesTogether` counts one it leaves out.)
 */
static void surfaces(void **state) {
    (void)state;
    OUI_EACH(one, arx_json_get(vector_load("../oui/index.json"), "surfaces")) {
        const arx_json *text = arx_json_get(one, "surfaceJson");
        const arx_json *index = arx_json_get(one, "indexJson");
        arx_buf array;
        oui_page page;
        arx_buf_init(&array, 0);
        arx_buf_append_byte(&array, '[');
        arx_buf_append(&array, text->as.string.data, text->as.string.len);
        arx_buf_append_byte(&array, ']');
        assert_int_equal(oui_page_open(array.data, array.len, &page), ARX_OK);
        arx_buf *sent = &page.offers[OUI_FORM_INDEX].text;
        assert_int_equal(sent->len, index->as.string.len + 2);
        assert_memory_equal(sent->data + 1, index->as.string.data, index->as.string.len);
        assert_true(arx_json_string_is(arx_json_get(one, "surfacesHashFull"),
                                       page.offers[OUI_FORM_FULL].hash));
        assert_true(arx_json_string_is(arx_json_get(one, "surfacesHashIndex"),
                                       page.offers[OUI_FORM_INDEX].hash));
        oui_page_close(&page);
        arx_buf_free(&array);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_sentences), cmocka_unit_test(clips),
        cmocka_unit_test(value_summaries), cmocka_unit_test(input_summaries),
        cmocka_unit_test(entries),         cmocka_unit_test(surfaces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
