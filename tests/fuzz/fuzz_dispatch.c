/*
 * fuzz_dispatch.c - any body as the params of any action, as OUI's dispatch and MCP's tools take
 * it.
 *
 * The first byte names the action. Whatever the body is, the call is made: with params that the
 * definition allows, which it still does when they are written and read again and which hash the
 * same then; or with a failure that names the place.
 */
#include "fuzz.h"

#include "actions.h"
#include "embedded.h"
#include "oui/canonical.h"

static actions *all;

int LLVMFuzzerInitialize(int *argc, char ***argv) {
    (void)argc;
    (void)argv;
    char why[256] = "";
    all = actions_open(embedded_actions, embedded_actions_len, why, sizeof why);
    must(all != NULL);
    return 0;
}

static void check_refused(const action_call *call) {
    arx_json_doc *doc;
    arx_json *details;
    must(strcmp(call->code, "VALIDATION_ERROR") == 0);
    must(call->message.len > 0);
    must(arx_json_parse(call->details.data, call->details.len, 0, &doc, &details) == ARX_OK);
    must(arx_json_get_string(details, "path") != NULL);
    arx_json_doc_free(doc);
}

static void check_taken(const action *what, action_call *call, const arx_json *params) {
    char asked[OUI_ARGS_HASH_CHARS + 1];
    char kept[OUI_ARGS_HASH_CHARS + 1];
    const arx_json *value = body_codec_value(&call->params);
    const auth_caller nobody = {0};
    must(value != NULL);
    must(oui_args_hash(params, asked, NULL) == ARX_OK);
    must(oui_args_hash(value, kept, NULL) == ARX_OK);
    must(strcmp(asked, kept) == 0);
    action_call *again = action_call_create(what, &nobody, "again", value);
    must(again != NULL && again->code == NULL);
    action_call_free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_input in = {data, size};
    const action *what = actions_at(all, take_byte(&in) % actions_count(all));
    const auth_caller nobody = {0};
    body message;
    if (body_parse(in.data, in.len, &message) != BODY_OK) {
        return 0;
    }
    const arx_json *params = body_codec_value(&message);
    must(params != NULL);
    action_call *call = action_call_create(what, &nobody, "fuzz", params);
    must(call != NULL);
    if (call->code != NULL) {
        check_refused(call);
    } else {
        check_taken(what, call, params);
    }
    action_call_free(call);
    body_free(&message);
    return 0;
}
