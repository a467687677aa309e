/* encode_request.c - see encode_request.h. */
#include "encode_request.h"

#include "draft.h"
#include "url.h"

const char *arx_request_code(arx_request_result result) {
    static const char *const names[] = {
        [ARX_REQUEST_OK] = "ok",
        [ARX_REQUEST_NO_MEMORY] = "no-memory",
        [ARX_REQUEST_INVALID] = "invalid-request",
        [ARX_REQUEST_ENVELOPE] = "invalid-envelope",
    };
    return names[result];
}

/* ---- saying what is wrong ---- */

static arx_request_result settle(arx_request_result result, const arx_buf *message) {
    return arx_buf_result(message) == ARX_OK ? result : ARX_REQUEST_NO_MEMORY;
}

static arx_request_result refuse(arx_buf *message, const char *text) {
    arx_buf_clear(message);
    arx_buf_append_str(message, text);
    return settle(ARX_REQUEST_INVALID, message);
}

/* `"name" must be ...` */
static arx_request_result must_be(arx_buf *message, const char *name, const char *what) {
    arx_buf_clear(message);
    arx_buf_append_byte(message, '"');
    arx_buf_append_str(message, name);
    arx_buf_append_str(message, "\" must be ");
    arx_buf_append_str(message, what);
    arx_buf_append_byte(message, '.');
    return settle(ARX_REQUEST_INVALID, message);
}

static void append_codecs(arx_buf *message) {
    for (arx_codec codec = 0; codec < ARX_CODEC_COUNT; codec++) {
        arx_buf_append_str(message, codec == 0 ? "" : ", ");
        arx_buf_append_str(message, arx_codec_name(codec));
    }
    arx_buf_append_byte(message, '.');
}

/* ---- reading members ---- */

/* A member that was given: there, and not null. */
static arx_json *given(const arx_json *object, const char *name) {
    arx_json *value = arx_json_get(object, name);
    return arx_json_is(value, ARX_JSON_NULL) ? NULL : value;
}

static arx_request_result read_bool(const arx_json *body, const char *name, bool *value,
                                    arx_buf *message) {
    const arx_json *member = given(body, name);
    if (member == NULL) {
        return ARX_REQUEST_OK;
    }
    *value = arx_json_is(member, ARX_JSON_TRUE);
    return *value || arx_json_is(member, ARX_JSON_FALSE) ? ARX_REQUEST_OK
                                                         : must_be(message, name, "true or false");
}

/* A string, or NULL where it was not given. `path` names the member in the error. */
static arx_request_result read_text(const arx_json *object, const char *name, const char *path,
                                    const uint8_t **text, size_t *len, arx_buf *message) {
    const arx_json *member = given(object, name);
    *text = NULL;
    *len = 0;
    if (member == NULL) {
        return ARX_REQUEST_OK;
    }
    if (!arx_json_is(member, ARX_JSON_STRING)) {
        return must_be(message, path, "a string");
    }
    /* An empty string is given, too. */
    *text = member->as.string.len > 0 ? member->as.string.data : (const uint8_t *)"";
    *len = member->as.string.len;
    return ARX_REQUEST_OK;
}

static bool read_codec_name(const arx_json *value, arx_codec *codec) {
    return arx_json_is(value, ARX_JSON_STRING) &&
           arx_codec_from_name(value->as.string.data, value->as.string.len, codec);
}

static arx_request_result read_codec(const arx_json *body, arx_encode_options *options,
                                     arx_buf *message) {
    const arx_json *member = given(body, "codec");
    if (member == NULL || arx_json_string_is(member, "auto")) {
        return ARX_REQUEST_OK;
    }
    options->has_codec = read_codec_name(member, &options->codec);
    if (options->has_codec) {
        return ARX_REQUEST_OK;
    }
    arx_buf_clear(message);
    arx_buf_append_str(message, "\"codec\" must be one of auto, ");
    append_codecs(message);
    return settle(ARX_REQUEST_INVALID, message);
}

static arx_request_result read_priority(const arx_json *body, arx_encode_options *options,
                                        arx_buf *message) {
    const arx_json *member = given(body, "codecPriority");
    if (member == NULL) {
        return ARX_REQUEST_OK;
    }
    bool good = arx_json_is(member, ARX_JSON_ARRAY);
    options->has_priority = true;
    for (const arx_json *item = good ? member->as.list.first : NULL; item != NULL && good;
         item = item->next) {
        arx_codec codec;
        good = read_codec_name(item, &codec);
        if (good) {
            arx_encode_options_add_priority(options, codec);
        }
    }
    if (good) {
        return ARX_REQUEST_OK;
    }
    arx_buf_clear(message);
    arx_buf_append_str(message, "\"codecPriority\" must be a list of codecs, each one of ");
    append_codecs(message);
    return settle(ARX_REQUEST_INVALID, message);
}

static arx_request_result read_target(const arx_json *body, arx_encode_options *options,
                                      arx_buf *message) {
    const arx_json *member = given(body, "targetMaxFragmentLength");
    if (member == NULL) {
        return ARX_REQUEST_OK;
    }
    double number = arx_json_is(member, ARX_JSON_NUMBER) ? member->as.number : 0;
    if (!(number >= 1 && number <= ARX_TARGET_MAX_UNITS) || number != (double)(size_t)number) {
        return must_be(message, "targetMaxFragmentLength", "a whole number from 1 to 1000000000");
    }
    options->target_units = (size_t)number;
    return ARX_REQUEST_OK;
}

static arx_request_result read_prior(const arx_json *body, arx_encode_options *options,
                                     arx_buf *message) {
    const arx_json *member = given(body, "prior");
    if (member == NULL) {
        return ARX_REQUEST_OK;
    }
    if (!arx_json_is(member, ARX_JSON_STRING) || member->as.string.len != 1 ||
        !arx_prior_known((char)member->as.string.data[0])) {
        return must_be(message, "prior", "one of m, c, j, s, n");
    }
    options->prior = (char)member->as.string.data[0];
    return ARX_REQUEST_OK;
}

arx_request_result arx_encode_options_read(const arx_json *body, arx_encode_options *options,
                                           arx_buf *message) {
    arx_encode_options_init(options);
    arx_request_result rc = read_codec(body, options, message);
    if (rc == ARX_REQUEST_OK) {
        rc = read_priority(body, options, message);
    }
    if (rc == ARX_REQUEST_OK) {
        rc = read_bool(body, "preferPacked", &options->prefer_packed, message);
    }
    if (rc == ARX_REQUEST_OK) {
        rc = read_bool(body, "preferCompressed", &options->prefer_compressed, message);
    }
    if (rc == ARX_REQUEST_OK) {
        rc = read_target(body, options, message);
    }
    if (rc == ARX_REQUEST_OK) {
        rc = read_bool(body, "budgetByTransport", &options->budget_by_transport, message);
    }
    if (rc == ARX_REQUEST_OK) {
        rc = read_prior(body, options, message);
    }
    return rc;
}

/* ---- what to encode ---- */

arx_request_result arx_envelope_read(arx_json_doc *doc, arx_json *value, arx_json **envelope,
                                     arx_buf *message) {
    const arx_json *id = NULL;
    /* Normalising may change the value; it belongs to the document, so the copy is ours to change.
     */
    arx_json *own = arx_json_alias(doc, value);
    if (own == NULL) {
        return ARX_REQUEST_NO_MEMORY;
    }
    arx_envelope_result result = arx_envelope_normalise(doc, own, envelope, &id);
    if (result == ARX_ENVELOPE_OK) {
        return ARX_REQUEST_OK;
    }
    if (result == ARX_ENVELOPE_NO_MEMORY) {
        return ARX_REQUEST_NO_MEMORY;
    }
    arx_buf_clear(message);
    arx_envelope_message(result, id, message);
    return settle(ARX_REQUEST_ENVELOPE, message);
}

/* The sides of a diff, or the content of the other kinds. */
static arx_request_result read_content(const arx_json *value, arx_draft *draft, arx_buf *message) {
    const bool diff = draft->kind == ARX_KIND_DIFF;
    arx_request_result rc = ARX_REQUEST_OK;
    if (diff) {
        rc = read_text(value, "patch", "artifact.patch", &draft->content, &draft->content_len,
                       message);
        if (rc == ARX_REQUEST_OK) {
            rc = read_text(value, "oldContent", "artifact.oldContent", &draft->old_content,
                           &draft->old_content_len, message);
        }
        if (rc == ARX_REQUEST_OK) {
            rc = read_text(value, "newContent", "artifact.newContent", &draft->new_content,
                           &draft->new_content_len, message);
        }
    }
    if (rc == ARX_REQUEST_OK && draft->content == NULL) {
        rc = read_text(value, "content", "artifact.content", &draft->content, &draft->content_len,
                       message);
    }
    if (rc != ARX_REQUEST_OK || draft->content != NULL) {
        return rc;
    }
    if (!diff) {
        return must_be(message, "artifact.content", "given, a string");
    }
    return draft->old_content != NULL && draft->new_content != NULL
               ? ARX_REQUEST_OK
               : refuse(message, "A diff needs \"artifact.patch\", or both "
                                 "\"artifact.oldContent\" and \"artifact.newContent\".");
}

static arx_request_result read_view(const arx_json *value, arx_draft *draft, arx_buf *message) {
    const arx_json *view = given(value, "view");
    if (view == NULL) {
        view = given(value, "diffView");
    }
    draft->split_view = arx_json_string_is(view, "split");
    return view == NULL || draft->split_view || arx_json_string_is(view, "unified")
               ? ARX_REQUEST_OK
               : must_be(message, "artifact.view", "unified or split");
}

arx_request_result arx_draft_read(arx_json_doc *doc, const arx_json *value, arx_json **envelope,
                                  arx_buf *message) {
    arx_draft draft = {0};
    const char *text = NULL;
    const arx_json *kind = arx_json_get_string(value, "kind");
    if (!arx_json_is(value, ARX_JSON_OBJECT)) {
        return must_be(message, "artifact", "an object");
    }
    if (kind == NULL ||
        !arx_kind_from_name(kind->as.string.data, kind->as.string.len, &draft.kind)) {
        return must_be(message, "artifact.kind", "one of markdown, code, diff, csv, json");
    }
    arx_request_result rc =
        read_text(value, "title", "artifact.title", &draft.title, &draft.title_len, message);
    if (rc == ARX_REQUEST_OK) {
        rc = read_text(value, "filename", "artifact.filename", &draft.filename, &draft.filename_len,
                       message);
    }
    if (rc == ARX_REQUEST_OK) {
        rc = read_text(value, "language", "artifact.language", &draft.language, &draft.language_len,
                       message);
    }
    if (rc == ARX_REQUEST_OK) {
        rc = read_view(value, &draft, message);
    }
    if (rc == ARX_REQUEST_OK) {
        rc = read_content(value, &draft, message);
    }
    if (rc != ARX_REQUEST_OK) {
        return rc;
    }
    switch (arx_draft_envelope(&draft, doc, envelope, &text)) {
    case ARX_OK:
        return ARX_REQUEST_OK;
    case ARX_MALFORMED:
        arx_buf_clear(message);
        arx_buf_append_str(message, text);
        return settle(ARX_REQUEST_ENVELOPE, message);
    default:
        return ARX_REQUEST_NO_MEMORY;
    }
}

static arx_request_result check_base(const arx_encode_request *request, arx_buf *message) {
    if (request->base_url_len == 0) {
        return ARX_REQUEST_OK;
    }
    arx_buf url;
    arx_buf_init(&url, 0);
    arx_result rc = arx_url_base(request->base_url, request->base_url_len, &url);
    arx_buf_free(&url);
    if (rc == ARX_MALFORMED) {
        return must_be(message, "baseUrl", "an absolute URL, such as https://example.org/");
    }
    return rc == ARX_OK ? ARX_REQUEST_OK : ARX_REQUEST_NO_MEMORY;
}

arx_request_result arx_encode_request_read(arx_json_doc *doc, const arx_json *body,
                                           arx_encode_request *request, arx_buf *message) {
    *request = (arx_encode_request){0};
    if (!arx_json_is(body, ARX_JSON_OBJECT)) {
        return refuse(message, "The request must be a JSON object with an \"envelope\" or an "
                               "\"artifact\".");
    }
    arx_json *envelope = given(body, "envelope");
    const arx_json *artifact = given(body, "artifact");
    if ((envelope == NULL) == (artifact == NULL)) {
        return refuse(message, "The request must have either an \"envelope\" or an \"artifact\".");
    }
    arx_request_result rc = arx_encode_options_read(body, &request->options, message);
    if (rc == ARX_REQUEST_OK) {
        rc = read_text(body, "baseUrl", "baseUrl", &request->base_url, &request->base_url_len,
                       message);
    }
    if (rc == ARX_REQUEST_OK) {
        rc = check_base(request, message);
    }
    if (rc == ARX_REQUEST_OK) {
        rc = read_text(body, "label", "label", &request->label, &request->label_len, message);
    }
    if (rc == ARX_REQUEST_OK) {
        rc = envelope != NULL ? arx_envelope_read(doc, envelope, &request->envelope, message)
                              : arx_draft_read(doc, artifact, &request->envelope, message);
    }
    return rc;
}
