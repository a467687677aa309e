/*
 * action_read.c - the action that reads a link: its record, its payload, or the text of one of its
 * artifacts a page at a time.
 *
 *     read the row -> [decode it] -> [count the view] -> answer
 *
 * The record alone is no view. Whoever reads the text or the payload of a link with max_views uses
 * up one of them, each page another.
 */
#include <stdlib.h>
#include <string.h>

#include "action_work.h"
#include "artifact_reply.h"
#include "ids.h"
#include "text.h"

#define PAGE_DEFAULT 20000

typedef enum reading_as { AS_TEXT, AS_RECORD, AS_PAYLOAD } reading_as;

typedef struct read_state {
    action_work work; /* first, as it asks */
    reading_as as;
    decode_work decode;
    arx_buf text;      /* of the artifact asked for */
    size_t page_start; /* of `page`, and where it ends, in units */
    size_t page_end;
    size_t total;
    arx_buf page;
} read_state;

static void free_state(void *state) {
    read_state *self = state;
    decode_work_free(&self->decode);
    arx_buf_free(&self->text);
    arx_buf_free(&self->page);
    action_work_free(self);
}

static const json_t *param(const read_state *self, const char *name) {
    return json_object_get(self->work.call->params.root, name);
}

/* The label is its maker's alone. */
static bool is_maker(const read_state *self) {
    const auth_caller *caller = &self->work.call->caller;
    const store_artifact *row = &self->work.op.artifact;
    return caller->has_token && row->has_maker && secret_equal(caller->hash, row->maker);
}

static void write_artifacts(const arx_json *envelope, arx_buf *out) {
    static const char *const members[] = {"id", "kind", "title", "filename"};
    const arx_json *list = arx_json_get(envelope, "artifacts");
    field_name(out, "artifacts");
    list_begin(out);
    const arx_json *one = arx_json_is(list, ARX_JSON_ARRAY) ? list->as.list.first : NULL;
    for (; one != NULL; one = one->next) {
        list_item(out);
        fields_begin(out);
        for (size_t i = 0; i < sizeof members / sizeof members[0]; i++) {
            const arx_json *value = arx_json_get_string(one, members[i]);
            if (value != NULL) {
                field_json(out, members[i], value);
            }
        }
        fields_end(out);
    }
    list_end(out);
}

static void answer(http_request *request) {
    read_state *self = http_state(request);
    const store_artifact *row = &self->work.op.artifact;
    arx_buf *out = &self->work.call->data;
    char id[ID_LONG_CHARS + 1];
    id_format_long(row->id, id);
    fields_begin(out);
    field_text(out, "id", id);
    if (is_maker(self)) {
        field_text(out, "label", row->label);
    }
    field_text(out, "kind", row->kind);
    field_text(out, "title", row->title);
    if (self->as == AS_TEXT) {
        write_artifacts(self->decode.decoded.envelope, out);
        field_string(out, "text", self->page.len > 0 ? self->page.data : (const uint8_t *)"",
                     self->page.len);
        field_count(out, "total", self->total);
        if (self->page_end < self->total) {
            field_count(out, "next", self->page_end);
        }
    } else if (self->as == AS_PAYLOAD) {
        field_string(out, "payload", (const uint8_t *)row->payload, row->payload_len);
    }
    artifact_write_raw_url(row, http_origin(request), out);
    field_count(out, "created_at", (uint64_t)row->created_at_ms);
    field_count(out, "updated_at", (uint64_t)row->updated_at_ms);
    field_count(out, "expires_at", (uint64_t)row->expires_at_ms);
    fields_end(out);
}

static void count_and_answer(http_request *request) {
    read_state *self = http_state(request);
    store_op *op = &self->work.op;
    if (op->artifact.max_views == 0 || self->as == AS_RECORD) {
        answer(request);
        return;
    }
    uint8_t id[STORE_ID_BYTES];
    memcpy(id, op->artifact.id, sizeof id);
    store_op_clear(op);
    memcpy(op->artifact.id, id, sizeof id);
    op->kind = STORE_VIEW;
    action_work_wait(request, answer);
}

static size_t number_param(const read_state *self, const char *name, size_t otherwise) {
    const json_t *value = param(self, name);
    return value != NULL ? (size_t)json_number_value(value) : otherwise;
}

/*
 * Cuts the page out of the text, in UTF-16 units. A page that would begin or end inside a surrogate
 * pair moves there by one, so that no page holds half a character.
 */
static void cut_page(read_state *self) {
    size_t from = number_param(self, "offset", 0);
    size_t limit = number_param(self, "limit", PAGE_DEFAULT);
    size_t pos = 0;
    size_t units = 0;
    self->total = arx_text_units(self->text.data, self->text.len);
    size_t start = self->text.len;
    self->page_end = self->total;
    while (pos < self->text.len) {
        if (units >= from && start == self->text.len) {
            start = pos;
            self->page_start = units;
        }
        size_t before = pos;
        uint32_t code = arx_text_next(self->text.data, self->text.len, &pos);
        size_t width = code > 0xFFFF && (code & ARX_TEXT_BAD) == 0 ? 2 : 1;
        if (start < self->text.len && units + width > self->page_start + limit &&
            units > self->page_start) {
            arx_buf_append(&self->page, self->text.data + start, before - start);
            self->page_end = units;
            return;
        }
        units += width;
    }
    arx_buf_append(&self->page, self->text.data + start, self->text.len - start);
}

static void decoded(http_request *request) {
    read_state *self = http_state(request);
    action_call *call = self->work.call;
    api_result result = decode_work_finish(&self->decode);
    if (result != API_OK) {
        action_fail_codec(call, result, &self->decode.error);
        return;
    }
    const arx_json *envelope = self->decode.decoded.envelope;
    const json_t *part = param(self, "artifact_id");
    const arx_json *artifact =
        part != NULL ? arx_envelope_find(envelope, (const uint8_t *)json_string_value(part),
                                         json_string_length(part))
                     : arx_envelope_active(envelope);
    if (artifact == NULL) {
        action_fail_result(call, API_NO_SUCH_ARTIFACT, NULL);
        return;
    }
    arx_artifact_body(artifact, &self->text);
    if (arx_buf_result(&self->text) == ARX_OK) {
        cut_page(self);
    }
    if (arx_buf_result(&self->text) != ARX_OK || arx_buf_result(&self->page) != ARX_OK) {
        action_fail_result(call, API_INTERNAL, NULL);
    } else {
        count_and_answer(request);
    }
}

static void have_row(http_request *request) {
    read_state *self = http_state(request);
    const store_artifact *row = &self->work.op.artifact;
    if (self->as != AS_TEXT) {
        count_and_answer(request);
        return;
    }
    api_result result = decode_work_start(request, &self->decode, (const uint8_t *)row->payload,
                                          row->payload_len, row->asset_set, true, decoded);
    if (result != API_OK) {
        action_fail_codec(self->work.call, result, &self->decode.error);
    }
}

static reading_as as_of(const json_t *word) {
    const char *text = word != NULL ? json_string_value(word) : "text";
    return strcmp(text, "text") == 0     ? AS_TEXT
           : strcmp(text, "record") == 0 ? AS_RECORD
                                         : AS_PAYLOAD;
}

void action_read(http_request *request, action_call *call) {
    read_state *self = action_work_new(request, call, sizeof *self, free_state);
    if (self == NULL) {
        return;
    }
    self->as = as_of(param(self, "as"));
    store_op *op = &self->work.op;
    if (!id_parse(json_string_value(param(self, "id")), op->artifact.id)) {
        action_fail_result(call, API_NO_ARTIFACT, NULL);
        return;
    }
    op->kind = STORE_READ;
    op->touch = self->as != AS_RECORD;
    action_work_wait(request, have_row);
}
