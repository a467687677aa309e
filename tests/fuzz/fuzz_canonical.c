/*
 * fuzz_canonical.c - canonical JSON of any text that is JSON.
 *
 * What is written canonically reads back, is the same again when written again, and hashes as the
 * value it was made of: however that was spelled. What is refused is refused with a place. The text
 * that surface hashes are taken of reads back, too.
 */
#include "fuzz.h"

#include "oui/canonical.h"
#include "text.h"

int LLVMFuzzerInitialize(int *argc, char ***argv) {
    (void)argc;
    (void)argv;
    return 0;
}

static void check_hash(const arx_json *value, const char *right) {
    char hash[OUI_ARGS_HASH_CHARS + 1];
    must(oui_args_hash(value, hash, NULL) == ARX_OK);
    must(strcmp(hash, right) == 0);
    must(oui_args_hash_is((const uint8_t *)hash, strlen(hash)));
}

static void check_again(const arx_buf *text, const char *hash) {
    arx_json_doc *doc;
    arx_json *value;
    arx_buf again;
    arx_buf_init(&again, 0);
    must(arx_json_parse(text->data, text->len, 0, &doc, &value) == ARX_OK);
    must(oui_canonical_json(value, &again, NULL) == ARX_OK);
    must(again.len == text->len && memcmp(again.data, text->data, text->len) == 0);
    check_hash(value, hash);
    arx_buf_free(&again);
    arx_json_doc_free(doc);
}

static void check_sorted(const arx_json *value) {
    arx_json_doc *doc;
    arx_json *root;
    arx_buf text;
    arx_buf_init(&text, 0);
    if (oui_sorted_json(value, &text) == ARX_OK) {
        must(arx_json_parse(text.data, text.len, 0, &doc, &root) == ARX_OK);
        arx_json_doc_free(doc);
    }
    arx_buf_free(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    arx_json_doc *doc;
    arx_json *value;
    /* Lone surrogates come as escapes. */
    if (!arx_text_is_utf8(data, size) || arx_json_parse(data, size, 0, &doc, &value) != ARX_OK) {
        return 0;
    }
    arx_buf text;
    arx_buf refusal;
    arx_buf_init(&text, 0);
    arx_buf_init(&refusal, 0);
    arx_result result = oui_canonical_json(value, &text, &refusal);
    if (result == ARX_OK) {
        char hash[OUI_ARGS_HASH_CHARS + 1];
        must(oui_args_hash(value, hash, NULL) == ARX_OK);
        check_again(&text, hash);
    } else {
        must(result == ARX_OVER_LIMIT || (result == ARX_MALFORMED && refusal.len > 0));
    }
    check_sorted(value);
    arx_buf_free(&text);
    arx_buf_free(&refusal);
    arx_json_doc_free(doc);
    return 0;
}
