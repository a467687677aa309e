/*
 * probe.c - every stage of the codec by itself, for the page's tests: linked into a module of its
 * own beside all of the core. JSON in and out, as web.h; texts that are no Unicode go as hex.
 *
 *   {"do": "texts", "set", "envelope"}   the five texts before the entropy stage
 *   {"do": "mix", "set", "prior", "hex"} coded, and decoded again
 *   {"do": "substitute", "set", "text"}  by the base and by the overlay, and back
 *   {"do": "wire", "wire", "hex"}        text, and its lengths
 *   {"do": "unwire", "wire", "text"}     bytes, or null
 *   {"do": "detect", "text"}             the wire a text seems to be in
 *   {"do": "lz", "text"}                 an lz payload
 *   {"do": "measure", "text"}            its lengths
 */
#include "../../static/viewer/wasm/web.h"

#include <string.h>

#include "lz.h"
#include "text.h"
#include "wire.h"

WEB_EXPORT("probe") int probe(uint8_t *json, size_t len);
WEB_EXPORT("probe_answer") const uint8_t *probe_answer(void);
WEB_EXPORT("probe_answer_len") size_t probe_answer_len(void);

static arx_buf out;
static arx_coder *coder;

const uint8_t *probe_answer(void) {
    return out.data;
}

size_t probe_answer_len(void) {
    return out.len;
}

/* Starts a member; the object's brace is the caller's. */
static void key(const char *name) {
    arx_buf_append_str(&out, out.len > 1 ? ",\"" : "\"");
    arx_buf_append_str(&out, name);
    arx_buf_append_str(&out, "\":");
}

static void member_text(const char *name, const arx_buf *text) {
    key(name);
    arx_json_write_string(text->data, text->len, &out);
}

static void member_hex(const char *name, const arx_buf *bytes) {
    static const char digits[] = "0123456789abcdef";
    key(name);
    arx_buf_append_byte(&out, '"');
    for (size_t i = 0; i < bytes->len; i++) {
        arx_buf_append_byte(&out, (uint8_t)digits[bytes->data[i] >> 4]);
        arx_buf_append_byte(&out, (uint8_t)digits[bytes->data[i] & 15]);
    }
    arx_buf_append_byte(&out, '"');
}

static void member_number(const char *name, size_t number) {
    key(name);
    arx_buf_append_u64(&out, number);
}

static void member_null(const char *name) {
    key(name);
    arx_buf_append_str(&out, "null");
}

static uint8_t nibble(uint8_t digit) {
    return (uint8_t)(digit <= '9' ? digit - '0' : digit - 'a' + 10);
}

static void unhex(const arx_json *hex, arx_buf *bytes) {
    for (size_t i = 0; hex != NULL && i + 1 < hex->as.string.len; i += 2) {
        const uint8_t *at = hex->as.string.data + i;
        arx_buf_append_byte(bytes, (uint8_t)(nibble(at[0]) << 4 | nibble(at[1])));
    }
}

/* A string member NUL-terminated in `copy`, as far as it fits. */
static const char *name_of(const arx_json *call, const char *member, char copy[20]) {
    const arx_json *value = arx_json_get_string(call, member);
    size_t len = value != NULL ? value->as.string.len : 0;
    len = len < 19 ? len : 19;
    if (len > 0) {
        memcpy(copy, value->as.string.data, len);
    }
    copy[len] = '\0';
    return copy;
}

static const arx_assets *set_of(const arx_json *call) {
    char id[20];
    return web_sets_find(name_of(call, "set", id), false);
}

static void substituted(const char *name, const arx_dictionary *first, const arx_dictionary *second,
                        const arx_buf *text) {
    arx_buf once;
    arx_buf twice;
    arx_buf_init(&once, 0);
    arx_buf_init(&twice, 0);
    arx_dictionary_encode(first, text->data, text->len, &once);
    if (second != NULL) {
        arx_dictionary_encode(second, once.data, once.len, &twice);
    }
    member_hex(name, second != NULL ? &twice : &once);
    arx_buf_free(&once);
    arx_buf_free(&twice);
}

static void texts(const arx_json *call) {
    const arx_json *envelope = arx_json_get(call, "envelope");
    const arx_assets *set = set_of(call);
    arx_buf text;
    arx_buf_init(&text, 0);
    arx_envelope_write_packed(envelope, ARX_CODEC_PLAIN, &text);
    member_text("packed", &text);
    arx_buf_clear(&text);
    arx_envelope_write_unpacked(envelope, ARX_CODEC_PLAIN, &text);
    member_text("unpacked", &text);
    if (set != NULL) {
        arx_buf_clear(&text);
        arx_envelope_write_packed(envelope, ARX_CODEC_ARX, &text);
        substituted("arxPacked", arx_assets_base(set), NULL, &text);
        arx_buf_clear(&text);
        arx_envelope_write_unpacked(envelope, ARX_CODEC_ARX, &text);
        substituted("arxUnpacked", arx_assets_base(set), NULL, &text);
        arx_buf_clear(&text);
        arx_envelope_write_tuple(envelope, &text);
        member_text("tuple", &text);
        substituted("tupleSubstituted", arx_assets_overlay(set), arx_assets_base(set), &text);
    }
    arx_buf_free(&text);
}

static void mix(const arx_json *call) {
    char prior[20];
    arx_mixer *mixer;
    arx_buf bytes;
    arx_buf coded;
    arx_buf back;
    arx_buf_init(&bytes, 0);
    arx_buf_init(&coded, 0);
    arx_buf_init(&back, 0);
    unhex(arx_json_get_string(call, "hex"), &bytes);
    if (coder == NULL) {
        coder = arx_coder_create(&web_entropy, NULL);
    }
    if (arx_coder_mixer(coder, set_of(call), *name_of(call, "prior", prior), &mixer) == ARX_OK &&
        arx_mixer_encode(mixer, bytes.data, bytes.len, &coded) == ARX_OK &&
        arx_mixer_decode(mixer, coded.data, coded.len, &back) == ARX_OK) {
        member_hex("coded", &coded);
        member_hex("back", &back);
    }
    arx_buf_free(&bytes);
    arx_buf_free(&coded);
    arx_buf_free(&back);
}

static void substitute_one(const char *name, const char *back_name,
                           const arx_dictionary *dictionary, const arx_json *text) {
    arx_buf coded;
    arx_buf back;
    arx_buf_init(&coded, 0);
    arx_buf_init(&back, 0);
    arx_dictionary_encode(dictionary, text->as.string.data, text->as.string.len, &coded);
    member_hex(name, &coded);
    if (arx_dictionary_decode(dictionary, coded.data, coded.len, ARX_STAGE_MAX, &back) == ARX_OK) {
        member_text(back_name, &back);
    }
    arx_buf_free(&coded);
    arx_buf_free(&back);
}

static void substitute(const arx_json *call) {
    const arx_json *text = arx_json_get_string(call, "text");
    const arx_assets *set = set_of(call);
    substitute_one("base", "baseBack", arx_assets_base(set), text);
    substitute_one("overlay", "overlayBack", arx_assets_overlay(set), text);
}

static void lengths(const uint8_t *text, size_t len) {
    member_number("transport", arx_text_transport(text, len));
    member_number("visible", arx_text_visible(text, len));
    member_number("utf16", arx_text_units(text, len));
}

static void wire(const arx_json *call) {
    char name[20];
    arx_wire which;
    arx_buf bytes;
    arx_buf text;
    arx_buf_init(&bytes, 0);
    arx_buf_init(&text, 0);
    unhex(arx_json_get_string(call, "hex"), &bytes);
    if (arx_wire_from_name(name_of(call, "wire", name), &which) &&
        arx_wire_encode(which, bytes.data, bytes.len, &text) == ARX_OK) {
        member_text("text", &text);
        lengths(text.data, text.len);
    }
    arx_buf_free(&bytes);
    arx_buf_free(&text);
}

static void unwire(const arx_json *call) {
    char name[20];
    arx_wire which;
    arx_buf bytes;
    arx_buf_init(&bytes, 0);
    const arx_json *text = arx_json_get_string(call, "text");
    if (!arx_wire_from_name(name_of(call, "wire", name), &which)) {
        return;
    }
    arx_result rc = arx_wire_decode(which, text->as.string.data, text->as.string.len, &bytes);
    if (rc == ARX_OK) {
        member_hex("hex", &bytes);
    } else {
        member_null("hex");
        member_number("result", (size_t)rc);
    }
    arx_buf_free(&bytes);
}

static void detect(const arx_json *call) {
    const arx_json *text = arx_json_get_string(call, "text");
    size_t marker;
    const char *name =
        arx_wire_name(arx_wire_detect(text->as.string.data, text->as.string.len, &marker));
    key("wire");
    arx_json_write_string((const uint8_t *)name, strlen(name), &out);
}

static void lz(const arx_json *call) {
    const arx_json *text = arx_json_get_string(call, "text");
    arx_buf payload;
    arx_buf_init(&payload, 0);
    if (arx_lz_compress(text->as.string.data, text->as.string.len, &payload) == ARX_OK) {
        member_text("payload", &payload);
    }
    arx_buf_free(&payload);
}

static void measure(const arx_json *call) {
    const arx_json *text = arx_json_get_string(call, "text");
    lengths(text->as.string.data, text->as.string.len);
}

static const struct {
    const char *name;
    void (*run)(const arx_json *call);
} actions[] = {
    {"texts", texts}, {"mix", mix},         {"substitute", substitute},
    {"wire", wire},   {"unwire", unwire},   {"detect", detect},
    {"lz", lz},       {"measure", measure},
};

int probe(uint8_t *json, size_t len) {
    arx_json_doc *doc;
    arx_json *call;
    arx_buf_clear(&out);
    arx_buf_append_byte(&out, '{');
    arx_result rc = arx_json_parse(json, len, 0, &doc, &call);
    web_free(json);
    if (rc != ARX_OK) {
        return 1;
    }
    for (size_t i = 0; i < sizeof actions / sizeof actions[0]; i++) {
        if (arx_json_string_is(arx_json_get(call, "do"), actions[i].name)) {
            actions[i].run(call);
        }
    }
    arx_json_doc_free(doc);
    arx_buf_append_byte(&out, '}');
    return arx_buf_result(&out) != ARX_OK;
}
