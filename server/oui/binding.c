/* binding.c - see binding.h. */
#include "oui/binding.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "action_work.h"
#include "clock.h"
#include "visit.h"

void oui_request_clear(oui_request *self) {
    dispatch_free(&self->dispatch);
    store_op_clear(&self->list);
    arx_json_doc_free(self->observed);
    body_free(&self->body);
    free(self->id);
}

static void free_state(void *state) {
    oui_request_clear(state);
    free(state);
}

oui_request *oui_request_new(http_request *request) {
    oui_request *self = calloc(1, sizeof *self);
    if (self == NULL) {
        reply_error(request, API_INTERNAL);
    } else {
        self->wait_ms = OUI_WAIT_DEFAULT_MS;
        http_set_state(request, self, free_state);
    }
    return self;
}

/* A query parameter in digits, at most `max`. */
static bool read_number(http_request *request, const char *name, uint64_t max, uint64_t *number) {
    const char *text = http_query(request, name);
    if (text == NULL) {
        return true;
    }
    size_t len = strlen(text);
    bool sound = len > 0 && len <= 10 && strspn(text, "0123456789") == len;
    uint64_t value = 0;
    for (size_t i = 0; sound && i < len; i++) {
        value = value * 10 + (uint64_t)(text[i] - '0');
    }
    if (!sound || value > max) {
        char sentence[100];
        (void)snprintf(sentence, sizeof sentence,
                       "%s must be a whole number from 0 to %" PRIu64 ".", name, max);
        reply_invalid(request, sentence);
        return false;
    }
    *number = value;
    return true;
}

bool oui_request_options(http_request *request, oui_request *self) {
    const char *form = http_query(request, "form");
    const char *final = http_query(request, "final");
    uint64_t wait_ms = (uint64_t)self->wait_ms;
    if (form != NULL && strcmp(form, "index") != 0 && strcmp(form, "full") != 0) {
        reply_invalid(request, "form must be index or full.");
        return false;
    }
    if (final != NULL && strcmp(final, "0") != 0 && strcmp(final, "1") != 0) {
        reply_invalid(request, "final must be 0 or 1.");
        return false;
    }
    self->form = form != NULL && strcmp(form, "full") == 0 ? OUI_FORM_FULL : OUI_FORM_INDEX;
    self->part = final != NULL && strcmp(final, "1") == 0 ? EXCHANGE_FINAL : EXCHANGE_FIRST;
    bool read = read_number(request, "waitMs", OUI_WAIT_MAX_MS, &wait_ms) &&
                read_number(request, "maxBytes", UINT32_MAX, &self->max_bytes);
    self->wait_ms = (int64_t)wait_ms;
    return read;
}

/* ---- observations ---- */

void oui_write_service(const service *server, arx_buf *out) {
    fields_begin(out);
    field_name(out, "stats");
    action_write_stats(server, out);
    field_name(out, "encoder");
    action_write_encoder(server, out);
    field_name(out, "limits");
    action_write_limits(server, out);
    fields_end(out);
}

void oui_write_links(const store_op *list, const char *origin, arx_buf *out) {
    list_begin(out);
    for (uint64_t i = 0; i < list->count; i++) {
        list_item(out);
        action_write_link(&list->artifacts[i], origin, false, out);
    }
    list_end(out);
}

static void write_job(void *opaque, const exchange_job *one) {
    arx_buf *out = opaque;
    list_item(out);
    fields_begin(out);
    field_text(out, "requestId", one->id);
    field_text(out, "status", one->status);
    field_count(out, "progress", one->progress);
    fields_end(out);
}

void oui_write_jobs(const service *server, const uint8_t owner[SECRET_HASH_BYTES], arx_buf *out) {
    list_begin(out);
    exchanges_jobs(server->exchanges, owner, clock_monotonic_ms(), write_job, out);
    list_end(out);
}

static void observed(http_request *request) {
    const service *server = http_service(request);
    oui_request *self = http_state(request);
    const auth_caller *caller = &visit_of(request)->caller;
    const char *origin = http_origin(request);
    arx_buf text;
    arx_buf_init(&text, 0);
    fields_begin(&text);
    if (caller->has_token && self->list.result == STORE_OK && origin != NULL) {
        field_name(&text, "artifacts");
        fields_begin(&text);
        field_name(&text, "recent_links");
        oui_write_links(&self->list, origin, &text);
        field_name(&text, "encode_jobs");
        oui_write_jobs(server, caller->hash, &text);
        fields_end(&text);
    }
    field_name(&text, "service");
    oui_write_service(server, &text);
    fields_end(&text);
    arx_json_doc_free(self->observed);
    self->observed = NULL;
    arx_result result = arx_buf_result(&text);
    if (result == ARX_OK) {
        result = arx_json_parse(text.data, text.len, 0, &self->observed, &self->observations);
    }
    arx_buf_free(&text);
    if (result == ARX_OK) {
        self->next(request);
        return;
    }
    if (self->dispatch.exchange != NULL && self->part == EXCHANGE_FIRST) {
        exchanges_drop(server->exchanges, self->dispatch.exchange);
    }
    reply_error(request, API_INTERNAL);
}

void oui_observe(http_request *request, http_handler *next) {
    oui_request *self = http_state(request);
    const auth_caller *caller = &visit_of(request)->caller;
    self->next = next;
    if (!caller->has_token) {
        observed(request);
        return;
    }
    store_op_clear(&self->list);
    self->list.kind = STORE_LIST;
    self->list.state = STORE_LIVE;
    self->list.limit = OUI_RECENT_LINKS;
    memcpy(self->list.artifact.maker, caller->hash, sizeof self->list.artifact.maker);
    store_wait(request, &self->list, observed);
}

/* ---- answers ---- */

static oui_form form_of(const exchange *of) {
    return (oui_form)(exchange_form(of) & ~OUI_OWN_ANSWER);
}

static bool is_own(const exchange *of) {
    return (exchange_form(of) & OUI_OWN_ANSWER) != 0;
}

void oui_refuse(http_request *request, dispatch_result result) {
    static const api_result results[] = {
        [DISPATCH_OK] = API_INTERNAL,         [DISPATCH_UNAUTHORIZED] = API_UNAUTHORIZED,
        [DISPATCH_FORBIDDEN] = API_FORBIDDEN, [DISPATCH_OTHER] = API_REQUEST_ID_USED,
        [DISPATCH_FULL] = API_BUSY,           [DISPATCH_NO_MEMORY] = API_INTERNAL,
    };
    reply_error(request, results[result]);
}

/* Where the answer, or the final one, is asked for; the id as one segment of a path. */
static void add_location(http_request *request, const char *id, bool final) {
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_~";
    arx_buf text;
    arx_buf_init(&text, 0);
    const char *origin = http_origin(request);
    arx_buf_append_str(&text, origin != NULL ? origin : "");
    arx_buf_append_str(&text, "/oui/results/");
    for (const char *at = id; *at != '\0'; at++) {
        if (strchr(plain, *at) != NULL) {
            arx_buf_append_byte(&text, (uint8_t)*at);
        } else {
            char escape[4];
            (void)snprintf(escape, sizeof escape, "%%%02X", (unsigned char)*at);
            arx_buf_append_str(&text, escape);
        }
    }
    arx_buf_append_str(&text, final ? "?final=1" : "");
    arx_buf_append_byte(&text, '\0');
    if (arx_buf_result(&text) == ARX_OK) {
        http_add_header(request, "Location", (const char *)text.data);
    }
    arx_buf_free(&text);
}

/* Less and less of the result, until it fits; the last step is sent whatever it weighs. */
static arx_result trim_to(const oui_request *self, const exchange_view *view, oui_form form,
                          arx_buf *out) {
    char reason[64];
    int reason_len =
        snprintf(reason, sizeof reason, "payload larger than %" PRIu64 " bytes", self->max_bytes);
    arx_json_doc *doc;
    arx_json *whole;
    arx_result result = arx_json_parse(view->sent, view->sent_len, 0, &doc, &whole);
    if (result != ARX_OK) {
        return result;
    }
    for (unsigned step = 1; step <= OUI_TRIM_STEPS && result == ARX_OK; step++) {
        arx_buf_clear(out);
        result = oui_trim(whole, form, step, (const uint8_t *)reason, (size_t)reason_len, out);
        if (out->len <= self->max_bytes) {
            break;
        }
    }
    arx_json_doc_free(doc);
    return result;
}

static void send_view(http_request *request, const exchange_view *view) {
    const oui_request *self = http_state(request);
    const exchange *of = self->dispatch.exchange;
    bool receipt = view->more && http_method_of(request) == HTTP_POST;
    unsigned status = receipt ? 202 : 200;
    arx_buf out;
    arx_buf_init(&out, 0);
    if (receipt) {
        add_location(request, exchange_id(of), true);
    }
    if (self->max_bytes > 0 && view->sent_len > self->max_bytes) {
        if (trim_to(self, view, form_of(of), &out) != ARX_OK) {
            out.status = ARX_NO_MEMORY;
        }
    } else {
        arx_buf_append(&out, view->sent, view->sent_len);
    }
    reply_json(request, status, &out);
}

/* The outcome of an `oui` action: with the hash, and nothing else of the page. */
static arx_result frame_own(const arx_json *outcome, const char *hash, arx_buf *out) {
    fields_begin(out);
    const arx_json *member = outcome->as.list.first;
    for (; member != NULL; member = member->next) {
        if (member != outcome->as.list.first) {
            arx_buf_append_byte(out, ',');
        }
        arx_json_write_string(member->key, member->key_len, out);
        arx_buf_append_byte(out, ':');
        arx_json_write(member, out);
    }
    field_text(out, "surfacesHash", hash);
    fields_end(out);
    return arx_buf_result(out);
}

static void frame_answer(http_request *request) {
    const service *server = http_service(request);
    const oui_request *self = http_state(request);
    exchange *of = self->dispatch.exchange;
    const oui_page *page = actions_page(server->actions);
    exchange_view view;
    exchange_look(of, self->part, &view);
    oui_form form = form_of(of);
    /* A final answer's receiver holds what came with the first. */
    bool known = self->has_known || view.part == EXCHANGE_FINAL;
    arx_json_doc *doc = NULL;
    arx_json *outcome;
    arx_buf out;
    arx_buf_init(&out, 0);
    arx_result result = arx_json_parse(view.text, view.len, 0, &doc, &outcome);
    if (result == ARX_OK && is_own(of)) {
        result = frame_own(outcome, page->offers[form].hash, &out);
    } else if (result == ARX_OK) {
        result = oui_frame(page, form, outcome, known ? page->offers[form].hash : NULL,
                           self->observations, OUI_RESULT_BYTES, &out);
    }
    arx_json_doc_free(doc);
    if (result != ARX_OK) {
        arx_buf_free(&out);
        reply_error(request, API_INTERNAL);
        return;
    }
    exchange_keep_sent(of, view.part, &out, &view);
    if (view.sent == NULL) {
        reply_error(request, API_INTERNAL);
    } else {
        send_view(request, &view);
    }
}

void oui_send_answer(http_request *request) {
    const oui_request *self = http_state(request);
    exchange_view view;
    exchange_look(self->dispatch.exchange, self->part, &view);
    if (view.sent != NULL) {
        send_view(request, &view);
    } else if (view.text != NULL && is_own(self->dispatch.exchange)) {
        frame_answer(request);
    } else if (view.text != NULL) {
        oui_observe(request, frame_answer);
    } else if (view.dropped) {
        reply_error(request, API_BUSY);
    } else if (http_method_of(request) == HTTP_POST) {
        add_location(request, exchange_id(self->dispatch.exchange), false);
        arx_buf receipt;
        arx_buf_init(&receipt, 0);
        fields_begin(&receipt);
        field_bool(&receipt, "ok", true);
        fields_end(&receipt);
        reply_json(request, 202, &receipt);
    } else {
        reply_no_content(request);
    }
}
