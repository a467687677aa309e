/*
 * mcp_call.c - tools/call: a dispatch like any other, and its outcome as a tool's result.
 *
 *     name -> own tool or action -> dispatch, under a fresh id -> wait -> outcome -> result
 *
 * A JSON-RPC id is only unique in its client, so it never names the call. What goes wrong with a
 * call is a result that the model can read, not an error of the protocol.
 */
#include "mcp.h"

#include <stdlib.h>
#include <string.h>

#include "oui/fit.h"
#include "oui/own_actions.h"
#include "service.h"
#include "visit.h"

#define WAIT_MS 25000

/* ---- results ---- */

/* The content: one text. */
static void write_content(const uint8_t *text, size_t len, arx_buf *out) {
    field_name(out, "content");
    list_begin(out);
    list_item(out);
    fields_begin(out);
    field_text(out, "type", "text");
    field_string(out, "text", len > 0 ? text : (const uint8_t *)"", len);
    fields_end(out);
    list_end(out);
}

/* json: what the tool returns. structured: as a value too, if it is an object. */
static void reply_data(http_request *request, const arx_buf *json, bool structured) {
    arx_buf out;
    if (arx_buf_result(json) != ARX_OK) {
        mcp_error(request, MCP_INTERNAL_ERROR, "Internal error");
        return;
    }
    mcp_result_begin(request, &out);
    write_content(json->data, json->len, &out);
    if (structured && json->len > 0 && json->data[0] == '{') {
        field_name(&out, "structuredContent");
        arx_buf_append(&out, json->data, json->len);
    }
    field_bool(&out, "isError", false);
    mcp_result_end(request, &out);
}

/* "CODE: message", and the details as JSON below. No structured value: a client may check it. */
static void reply_failure(http_request *request, const uint8_t *code, size_t code_len,
                          const uint8_t *message, size_t message_len, const arx_buf *details) {
    arx_buf text;
    arx_buf out;
    arx_buf_init(&text, 0);
    arx_buf_append(&text, code, code_len);
    arx_buf_append_str(&text, ": ");
    arx_buf_append(&text, message, message_len);
    if (details != NULL && details->len > 0) {
        arx_buf_append_byte(&text, '\n');
        arx_buf_append(&text, details->data, details->len);
    }
    if (arx_buf_result(&text) != ARX_OK || (details != NULL && arx_buf_result(details) != ARX_OK)) {
        mcp_error(request, MCP_INTERNAL_ERROR, "Internal error");
    } else {
        mcp_result_begin(request, &out);
        write_content(text.data, text.len, &out);
        field_bool(&out, "isError", true);
        mcp_result_end(request, &out);
    }
    arx_buf_free(&text);
}

static void reply_failed(http_request *request, const char *code, const arx_buf *message) {
    reply_failure(request, (const uint8_t *)code, strlen(code), message->data, message->len, NULL);
}

static void reply_failed_text(http_request *request, const char *code, const char *message) {
    reply_failure(request, (const uint8_t *)code, strlen(code), (const uint8_t *)message,
                  strlen(message), NULL);
}

/* Data beyond what a frame carries: it is left out, and how much it is said. */
static void reply_too_large(http_request *request, size_t bytes) {
    static const char message[] = "The result is larger than an answer may be; ask for less of it.";
    arx_buf details;
    arx_buf_init(&details, 0);
    fields_begin(&details);
    field_name(&details, "fit");
    fields_begin(&details);
    field_name(&details, "data");
    fields_begin(&details);
    field_count(&details, "bytes", bytes);
    field_count(&details, "limit", OUI_RESULT_BYTES);
    fields_end(&details);
    fields_end(&details);
    fields_end(&details);
    reply_failure(request, (const uint8_t *)"app:too_large", 13, (const uint8_t *)message,
                  sizeof message - 1, &details);
    arx_buf_free(&details);
}

static void reply_outcome_value(http_request *request, const arx_json *outcome) {
    const arx_json *error = arx_json_get(outcome, "error");
    const arx_json *code = arx_json_get_string(error, "code");
    const arx_json *message = arx_json_get_string(error, "message");
    const arx_json *data = arx_json_get(outcome, "data");
    const arx_json *details = arx_json_get(error, "details");
    arx_buf json;
    arx_buf_init(&json, 0);
    if (code != NULL && message != NULL) {
        if (details != NULL) {
            arx_json_write(details, &json);
        }
        reply_failure(request, code->as.string.data, code->as.string.len, message->as.string.data,
                      message->as.string.len, &json);
    } else {
        if (data != NULL) {
            arx_json_write(data, &json);
        } else {
            arx_buf_append_str(&json, "{}");
        }
        if (json.len > OUI_RESULT_BYTES) {
            reply_too_large(request, json.len);
        } else {
            reply_data(request, &json, true);
        }
    }
    arx_buf_free(&json);
}

/* ---- the exchange behind a call ---- */

/* It is answered, or was waited for long enough. */
static void answered(http_request *request) {
    mcp *self = http_state(request);
    exchange_view view;
    exchange_look(self->oui.dispatch.exchange, EXCHANGE_FINAL, &view);
    if (view.dropped) {
        mcp_error(request, MCP_INTERNAL_ERROR, "The call was given up");
        return;
    }
    if (view.text == NULL) {
        arx_buf json;
        arx_buf_init(&json, 0);
        fields_begin(&json);
        field_text(&json, "requestId", exchange_id(self->oui.dispatch.exchange));
        field_text(&json, "status", "running");
        fields_end(&json);
        reply_data(request, &json, false);
        arx_buf_free(&json);
        return;
    }
    arx_json_doc *doc;
    arx_json *outcome;
    if (arx_json_parse(view.text, view.len, 0, &doc, &outcome) != ARX_OK) {
        mcp_error(request, MCP_INTERNAL_ERROR, "Internal error");
        return;
    }
    reply_outcome_value(request, outcome);
    arx_json_doc_free(doc);
}

static void wait_for_it(http_request *request) {
    mcp *self = http_state(request);
    dispatch_wait(request, &self->oui.dispatch, EXCHANGE_FINAL, self->oui.wait_ms, answered);
}

static void refused(http_request *request, dispatch_result result) {
    switch (result) {
    case DISPATCH_OK:
        break;
    case DISPATCH_UNAUTHORIZED:
        reply_error(request, API_UNAUTHORIZED);
        return;
    case DISPATCH_FORBIDDEN:
        reply_error(request, API_FORBIDDEN);
        return;
    case DISPATCH_FULL:
        reply_failed_text(request, "app:busy", "The server is busy. Try again shortly.");
        return;
    case DISPATCH_OTHER:
    case DISPATCH_NO_MEMORY:
        break;
    }
    mcp_error(request, MCP_INTERNAL_ERROR, "Internal error");
}

static void started(http_request *request) {
    mcp *self = http_state(request);
    if (self->oui.dispatch.result != DISPATCH_OK) {
        refused(request, self->oui.dispatch.result);
    } else {
        wait_for_it(request);
    }
}

/* ---- the runtime's own tools ---- */

static void snapshot(http_request *request) {
    const mcp *self = http_state(request);
    oui_fitted fitted;
    if (oui_fit(self->oui.observations, OUI_SNAPSHOT_BYTES, &fitted) != ARX_OK) {
        mcp_error(request, MCP_INTERNAL_ERROR, "Internal error");
        return;
    }
    arx_buf json;
    arx_buf_init(&json, 0);
    fields_begin(&json);
    field_json(&json, "observations", fitted.observations);
    if (fitted.cut_count > 0) {
        field_name(&json, "fit");
        fields_begin(&json);
        field_name(&json, "observations");
        oui_cuts_write(&fitted, (const uint8_t *)"", 0, &json);
        fields_end(&json);
    }
    fields_end(&json);
    oui_fitted_free(&fitted);
    reply_data(request, &json, true);
    arx_buf_free(&json);
}

static void read_place(http_request *request) {
    const mcp *self = http_state(request);
    arx_buf data;
    arx_buf message;
    arx_buf_init(&data, 0);
    arx_buf_init(&message, 0);
    switch (oui_read(self->oui.observations, self->oui.dispatch.params, OUI_RESULT_BYTES, &data,
                     &message)) {
    case OUI_OWN_OK:
        reply_data(request, &data, true);
        break;
    case OUI_OWN_INVALID:
        reply_failed(request, "INVALID_PARAMS", &message);
        break;
    case OUI_OWN_NOT_FOUND:
        reply_failed(request, "NOT_FOUND", &message);
        break;
    case OUI_OWN_NO_MEMORY:
        mcp_error(request, MCP_INTERNAL_ERROR, "Internal error");
        break;
    }
    arx_buf_free(&data);
    arx_buf_free(&message);
}

static void found(http_request *request) {
    const mcp *self = http_state(request);
    if (self->oui.dispatch.result != DISPATCH_OK) {
        refused(request, self->oui.dispatch.result);
    } else if (self->oui.dispatch.exchange == NULL) {
        reply_failed_text(request, "NOT_FOUND",
                          "No call of this key has that requestId, or it is no longer kept.");
    } else {
        wait_for_it(request);
    }
}

static void result(http_request *request) {
    mcp *self = http_state(request);
    const arx_json *params = self->oui.dispatch.params;
    const arx_json *id = arx_json_get(params, "requestId");
    const arx_json *wait = arx_json_get(params, "wait_ms");
    self->oui.wait_ms = wait != NULL ? (int64_t)wait->as.number : 10000;
    self->oui.id = malloc(id->as.string.len + 1);
    if (self->oui.id == NULL) {
        mcp_error(request, MCP_INTERNAL_ERROR, "Internal error");
        return;
    }
    memcpy(self->oui.id, id->as.string.data, id->as.string.len);
    self->oui.id[id->as.string.len] = '\0';
    self->oui.dispatch.id = self->oui.id;
    dispatch_find(request, &self->oui.dispatch, found);
}

/* ---- tools/call ---- */

/* May one of the runtime's own tools be called so? False with the reply made. */
static bool check_own(http_request *request, const schema *input, const arx_json *arguments) {
    schema_fault fault;
    dispatch_result may = dispatch_may(request, false);
    if (may != DISPATCH_OK) {
        refused(request, may);
        return false;
    }
    switch (schema_check(input, arguments, &fault)) {
    case SCHEMA_OK:
        return true;
    case SCHEMA_INVALID:
        reply_failed(request, "VALIDATION_ERROR", &fault.message);
        schema_fault_free(&fault);
        break;
    case SCHEMA_NO_MEMORY:
        mcp_error(request, MCP_INTERNAL_ERROR, "Internal error");
        break;
    }
    return false;
}

/* What the call costs its caller, besides the read that every message is. False with the reply
 * made.
 */
static bool draw(http_request *request, const action *what) {
    static const char message[] = "This key or address asks too often. Try again later.";
    bool write = what->access == OUI_ACCESS_WRITE;
    if (visit_draw(request, 1u << BUCKET_ENCODE | (write ? 1u << BUCKET_WRITE : 0u)) == API_OK) {
        return true;
    }
    arx_buf details;
    arx_buf_init(&details, 0);
    fields_begin(&details);
    field_count(&details, "retry_after_ms", (uint64_t)(visit_of(request)->wait_us + 999) / 1000);
    fields_end(&details);
    reply_failure(request, (const uint8_t *)"app:busy", 8, (const uint8_t *)message,
                  sizeof message - 1, &details);
    arx_buf_free(&details);
    return false;
}

static void call_action(http_request *request, const action *what) {
    mcp *self = http_state(request);
    uint8_t id[ID_BYTES];
    dispatch *d = &self->oui.dispatch;
    if (!draw(request, what)) {
        return;
    }
    if (!id_generate(id)) {
        mcp_error(request, MCP_INTERNAL_ERROR, "Internal error");
        return;
    }
    id_format_long(id, self->call_id);
    d->id = self->call_id;
    d->surface = arx_json_get(what->surface_definition, "id");
    d->action = arx_json_get(what->definition, "id");
    d->mode = APPROVAL_FIND;
    self->oui.wait_ms = WAIT_MS;
    dispatch_start(request, d, started);
}

void mcp_tools_call(http_request *request) {
    mcp *self = http_state(request);
    const service *server = http_service(request);
    const arx_json *name = arx_json_get_string(self->params, "name");
    const arx_json *arguments = arx_json_get(self->params, "arguments");
    const action *what = NULL;
    const schema *input = NULL;
    if (arguments == NULL) {
        arguments = arx_json_new(self->oui.body.doc, ARX_JSON_OBJECT);
    }
    if (arguments == NULL) {
        mcp_error(request, MCP_INTERNAL_ERROR, "Internal error");
        return;
    }
    mcp_tool_kind kind =
        name == NULL ? MCP_TOOL_NONE : mcp_tools_find(server->tool_list, name, &what, &input);
    if (kind == MCP_TOOL_NONE) {
        mcp_error(request, MCP_INVALID_PARAMS, "params.name: there is no such tool");
        return;
    }
    if (arguments->type != ARX_JSON_OBJECT) {
        mcp_error(request, MCP_INVALID_PARAMS, "params.arguments must be an object");
        return;
    }
    self->oui.dispatch.params = arguments;
    if (kind == MCP_TOOL_ACTION) {
        call_action(request, what);
    } else if (check_own(request, input, arguments)) {
        if (kind == MCP_TOOL_RESULT) {
            result(request);
        } else {
            oui_observe(request, kind == MCP_TOOL_SNAPSHOT ? snapshot : read_place);
        }
    }
}
