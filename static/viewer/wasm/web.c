/*
 * web.c - the calls of web.h: from a JSON text to what the codec makes of it, and back.
 *
 * A call that lacks something says so before it has done any work it would have to do again.
 */
#include "call.h"

#include "decode_sets.h"
#include "encode_request.h"
#include "encode_result.h"
#include "filetype.h"
#include "inspect_result.h"
#include "text.h"

static bool by_brotli(arx_codec codec) {
    return codec == ARX_CODEC_ARX || codec == ARX_CODEC_ARX2 || codec == ARX_CODEC_ARX3;
}

static bool by_mixer(arx_codec codec) {
    return codec == ARX_CODEC_ARX4 || codec == ARX_CODEC_ARX5;
}

/* ---- decode and inspect ---- */

typedef enum reading { READ, REFUSED, LACKS } reading; /* of the last two the answer tells */

/* A decoded fragment and the set that did it. */
typedef struct finding {
    arx_decoded decoded;
    bool by_set; /* else the codec needs none */
    size_t used;
} finding;

/* Worth fetching the priors before trying? A guess that costs a fetch or a turn, no more. */
static bool asks_for_priors(const arx_fragment_head *head) {
    const char prior = head->payload_len > 0 ? (char)head->payload[0] : '\0';
    return by_mixer(head->codec) && arx_prior_known(prior) && prior != 's' && prior != 'n';
}

/* Tries one set. `error` is written when it is REFUSED. */
static reading try_set(const web_call *c, size_t i, const arx_fragment_head *head,
                       const uint8_t *fragment, size_t len, bool skip_budget, finding *found,
                       arx_error *error) {
    const arx_assets *assets = web_sets_find(c->id[i], asks_for_priors(head));
    if (assets == NULL) {
        web_need_set(c->id[i], asks_for_priors(head));
        return LACKS;
    }
    arx_code code =
        arx_decode(c->coder, assets, fragment, len, skip_budget, &found->decoded, error);
    if (code == ARX_CODE_OK) {
        found->by_set = true;
        found->used = i;
        return READ;
    }
    if (code == ARX_CODE_ASSET_UNAVAILABLE && web_sets_incomplete(c->id[i])) {
        arx_error_free(error);
        web_need_set(c->id[i], true);
        return LACKS;
    }
    return REFUSED;
}

/*
 * The sets one after the other, as arx_decode_sets() does: the error is the first one's. A set that
 * could not be loaded is passed over, but not the first: with another one the words may be wrong.
 */
static reading try_sets(const web_call *c, const arx_fragment_head *head, const uint8_t *fragment,
                        size_t len, bool skip_budget, finding *found) {
    arx_error first = {0};
    if (web_is_unavailable(c, c->id[0])) {
        web_refuse_unavailable(c->id[0]);
        return REFUSED;
    }
    reading result = try_set(c, 0, head, fragment, len, skip_budget, found, &first);
    bool more = result == REFUSED && arx_decode_may_need_other_set(first.code, fragment, len);
    for (size_t i = 1; more && i < c->try_count; i++) {
        arx_error other = {0};
        if (web_is_unavailable(c, c->id[i])) {
            continue;
        }
        result = try_set(c, i, head, fragment, len, skip_budget, found, &other);
        if (result == REFUSED && other.code == ARX_CODE_NO_MEMORY) {
            arx_error_free(&first);
            first = other;
            break;
        }
        arx_error_free(&other);
        more = result == REFUSED;
    }
    if (result == REFUSED) {
        web_refuse_error(&first);
    }
    arx_error_free(&first);
    return result;
}

static reading decode(const web_call *c, const arx_json *text, bool skip_budget, finding *found) {
    arx_fragment_head head;
    arx_error error;
    *found = (finding){0};
    const uint8_t *fragment = text->as.string.data;
    const size_t len = text->as.string.len;
    arx_code code = arx_fragment_head_parse(fragment, len, skip_budget, &head, &error);
    if (code == ARX_CODE_OK && head.codec < ARX_CODEC_ARX) {
        /* No dictionary: these codecs never look at a set. */
        code = arx_decode(c->coder, NULL, fragment, len, skip_budget, &found->decoded, &error);
        if (code == ARX_CODE_OK) {
            return READ;
        }
    }
    if (code != ARX_CODE_OK) {
        web_refuse_error(&error);
        return REFUSED;
    }
    if (!c->has_index) {
        web_need_index();
        return LACKS;
    }
    if (by_brotli(head.codec) && web_need_modules(1u << WEB_BROTLI_DECODE)) {
        return LACKS;
    }
    return try_sets(c, &head, fragment, len, skip_budget, found);
}

/* "request"."fragment", or NULL and the answer says so. */
static const arx_json *fragment_of(const web_call *c) {
    const arx_json *fragment = arx_json_get_string(c->request, "fragment");
    if (fragment == NULL) {
        web_refuse_str("invalid-request", "\"fragment\" must be a string: what follows the # of a "
                                          "link.");
    }
    return fragment;
}

static void say_other_sets(const web_call *c, const finding *found) {
    bool any = false;
    web_say(",\"otherSets\":[");
    for (size_t i = 0; found->by_set && i < c->id_count; i++) {
        if (i != found->used) {
            web_say(any ? "," : "");
            web_say_str(c->id[i]);
            any = true;
        }
    }
    web_say("]");
}

web_outcome web_decode(uint8_t *json, size_t len) {
    web_call c;
    finding found;
    web_outcome outcome = WEB_DONE;
    const arx_json *fragment = web_begin_call(&c, json, len) ? fragment_of(&c) : NULL;
    if (fragment == NULL) {
        return web_end_call(&c, WEB_DONE);
    }
    bool skip_budget = arx_json_is(arx_json_get(c.request, "skipFragmentBudget"), ARX_JSON_TRUE);
    switch (decode(&c, fragment, skip_budget, &found)) {
    case READ: {
        arx_buf *out = web_new_answer();
        web_say("{\"ok\":true,");
        arx_decode_result_write_ids(&found.decoded, c.id, found.by_set ? c.id_count : 0, found.used,
                                    out);
        arx_carried_write(&found.decoded, out);
        say_other_sets(&c, &found);
        web_say("}");
        arx_decoded_free(&found.decoded);
        break;
    }
    case LACKS:
        outcome = WEB_NEEDS;
        break;
    case REFUSED:
        break;
    }
    return web_end_call(&c, outcome);
}

/* Length of the Markdown link; false when the base is no URL or there is no memory. */
static bool measure_link(const web_call *c, const arx_json *envelope, const arx_json *fragment,
                         size_t *units) {
    const arx_encoded encoded = {
        .fragment = (uint8_t *)fragment->as.string.data,
        .fragment_len = fragment->as.string.len,
    };
    const arx_json *base = arx_json_get_string(c->request, "baseUrl");
    arx_link link;
    arx_result rc = arx_link_create(envelope, &encoded, base != NULL ? base->as.string.data : NULL,
                                    base != NULL ? base->as.string.len : 0, NULL, 0, &link);
    if (rc == ARX_MALFORMED) {
        web_refuse_str("invalid-request",
                       "\"baseUrl\" must be an absolute URL, such as https://example.org/.");
    } else if (rc != ARX_OK) {
        web_refuse_memory();
    } else {
        *units = link.markdown_link_units;
        arx_link_free(&link);
    }
    return rc == ARX_OK;
}

/* Says all about a fragment that was read; `text` as it was given, with or without "#". */
static void say_inspection(const web_call *c, arx_json *text, const finding *found) {
    arx_fragment_head head = {0};
    arx_error error;
    if (text->as.string.len > 0 && text->as.string.data[0] == '#') {
        text->as.string.data++;
        text->as.string.len--;
    }
    const uint8_t *fragment = text->as.string.data;
    const size_t len = text->as.string.len;
    arx_inspection inspection = {
        .decoded = &found->decoded,
        .asset_set = found->by_set ? c->id[found->used] : NULL,
        .transport_units = arx_text_transport(fragment, len),
    };
    if (arx_fragment_head_parse(fragment, len, true, &head, &error) != ARX_CODE_OK) {
        web_refuse_error(&error);
        return;
    }
    inspection.legacy = head.legacy;
    if (measure_link(c, found->decoded.envelope, text, &inspection.markdown_units)) {
        arx_buf *out = web_new_answer();
        web_say("{\"ok\":true,");
        arx_inspection_write(&inspection, out);
        web_say("}");
    }
}

web_outcome web_inspect(uint8_t *json, size_t len) {
    web_call c;
    finding found;
    web_outcome outcome = WEB_DONE;
    const arx_json *fragment = web_begin_call(&c, json, len) ? fragment_of(&c) : NULL;
    if (fragment == NULL) {
        return web_end_call(&c, WEB_DONE);
    }
    switch (decode(&c, fragment, true, &found)) {
    case READ: {
        arx_json text = *fragment;
        say_inspection(&c, &text, &found);
        arx_decoded_free(&found.decoded);
        break;
    }
    case LACKS:
        outcome = WEB_NEEDS;
        break;
    case REFUSED:
        break;
    }
    return web_end_call(&c, outcome);
}

/* ---- encode ---- */

static void say_encoded(const web_call *c, const arx_encode_request *request,
                        const arx_encoded *encoded) {
    arx_link link;
    arx_result rc =
        arx_link_create(request->envelope, encoded, request->base_url, request->base_url_len,
                        request->label, request->label_len, &link);
    if (rc != ARX_OK) {
        web_refuse_memory(); /* the base was parsed when the request was read */
        return;
    }
    const arx_encode_result result = {.encoded = encoded, .link = &link, .asset_set = c->id[0]};
    arx_buf *out = web_new_answer();
    web_say("{\"ok\":true,");
    arx_encode_result_write(&result, out);
    web_say("}");
    arx_link_free(&link);
}

static unsigned modules_of(const arx_plan *plan) {
    unsigned modules = 0;
    for (size_t i = 0; i < arx_plan_tasks(plan); i++) {
        arx_codec codec = arx_plan_codec(plan, i);
        modules |= by_brotli(codec) ? 1u << WEB_BROTLI_ENCODE : 0;
        modules |= codec == ARX_CODEC_DEFLATE ? 1u << WEB_DEFLATE_ENCODE : 0;
    }
    return modules;
}

static web_outcome run_plan(const web_call *c, const arx_encode_request *request, arx_plan *plan) {
    arx_encoded encoded;
    arx_error error;
    const size_t total = arx_plan_tasks(plan);
    if (web_need_modules(modules_of(plan))) {
        return WEB_NEEDS;
    }
    for (size_t i = 0; i < total; i++) {
        host_progress(i, total);
        arx_plan_run(plan, i, c->coder);
    }
    host_progress(total, total);
    if (arx_plan_finish(plan, &encoded, &error) != ARX_CODE_OK) {
        return web_refuse_error(&error);
    }
    say_encoded(c, request, &encoded);
    arx_encoded_free(&encoded);
    return WEB_DONE;
}

static web_outcome encode(web_call *c) {
    arx_encode_request request;
    arx_plan *plan;
    arx_error error;
    arx_buf message;
    arx_buf_init(&message, 0);
    arx_request_result read = arx_encode_request_read(c->doc, c->request, &request, &message);
    if (read != ARX_REQUEST_OK) {
        web_refuse(arx_request_code(read), message.data, message.len);
    }
    arx_buf_free(&message);
    if (read == ARX_REQUEST_NO_MEMORY) {
        return web_refuse_memory();
    }
    if (read != ARX_REQUEST_OK) {
        return WEB_DONE;
    }
    if (!c->has_index) {
        return web_need_index();
    }
    if (web_is_unavailable(c, c->id[0])) {
        return web_refuse_unavailable(c->id[0]);
    }
    /* Whole: the choice of a prior depends on which ones there are. */
    const arx_assets *assets = web_sets_find(c->id[0], true);
    if (assets == NULL) {
        return web_need_set(c->id[0], true);
    }
    if (arx_plan_create(assets, request.envelope, &request.options, &plan, &error) != ARX_CODE_OK) {
        return web_refuse_error(&error);
    }
    web_outcome outcome = run_plan(c, &request, plan);
    arx_plan_free(plan);
    return outcome;
}

web_outcome web_encode(uint8_t *json, size_t len) {
    web_call c;
    web_outcome outcome = web_begin_call(&c, json, len) ? encode(&c) : WEB_DONE;
    return web_end_call(&c, outcome);
}

/* ---- files ---- */

web_outcome web_filetype(uint8_t *json, size_t len) {
    web_call c;
    if (web_begin_call(&c, json, len)) {
        const arx_json *name = arx_json_get_string(c.request, "filename");
        arx_filetype type = {ARX_KIND_MARKDOWN, NULL};
        bool told =
            name != NULL && arx_filetype_of(name->as.string.data, name->as.string.len, &type);
        web_say("{\"ok\":true,\"known\":");
        web_say(told ? "true,\"kind\":" : "false,\"kind\":");
        web_say_str(arx_kind_name(type.kind));
        web_say(",\"language\":");
        if (type.language != NULL) {
            web_say_str(type.language);
        } else {
            web_say("null");
        }
        web_say("}");
    }
    return web_end_call(&c, WEB_DONE);
}
