/* attempt.c - see attempt.h. */
#include "attempt.h"

#include "lz.h"
#include "text.h"

bool arx_codec_is_tuple(arx_codec codec) {
    return codec >= ARX_CODEC_ARX2;
}

bool arx_codec_has_packing(arx_codec codec) {
    return !arx_codec_is_tuple(codec);
}

bool arx_codec_has_prior(arx_codec codec) {
    return codec == ARX_CODEC_ARX4 || codec == ARX_CODEC_ARX5;
}

/* ---- text: what the entropy stage reads ---- */

/* Replaces `text` by its substituted form. */
static void substitute(const arx_dictionary *dictionary, arx_buf *text, arx_buf *scratch) {
    arx_buf_clear(scratch);
    arx_dictionary_encode(dictionary, text->data, text->len, scratch);
    arx_buf swap = *text;
    *text = *scratch;
    *scratch = swap;
}

static arx_result write_text(const arx_attempt *attempt, const arx_assets *assets,
                             const arx_json *envelope, arx_buf *text) {
    arx_buf scratch;
    arx_buf_init(&scratch, 0);
    if (arx_codec_is_tuple(attempt->codec)) {
        arx_envelope_write_tuple(envelope, text);
    } else if (attempt->packed) {
        arx_envelope_write_packed(envelope, attempt->codec, text);
    } else {
        arx_envelope_write_unpacked(envelope, attempt->codec, text);
    }
    arx_result rc = arx_buf_result(text);
    if (rc == ARX_OK && arx_codec_is_tuple(attempt->codec)) {
        substitute(arx_assets_overlay(assets), text, &scratch);
        rc = arx_buf_result(text);
    }
    if (rc == ARX_OK && attempt->codec >= ARX_CODEC_ARX) {
        substitute(arx_assets_base(assets), text, &scratch);
        rc = arx_buf_result(text);
    }
    arx_buf_free(&scratch);
    return rc;
}

/* ---- coded: what the wire carries ---- */

static arx_result code(const arx_attempt *attempt, const arx_assets *assets, arx_coder *coder,
                       const arx_buf *text, arx_buf *coded) {
    const arx_entropy *entropy = arx_coder_entropy(coder);
    arx_mixer *mixer;
    arx_result rc;
    switch (attempt->codec) {
    case ARX_CODEC_PLAIN:
        arx_buf_append(coded, text->data, text->len);
        return arx_buf_result(coded);
    case ARX_CODEC_LZ:
        return arx_lz_compress(text->data, text->len, coded);
    case ARX_CODEC_DEFLATE:
        if (entropy->deflate_compress == NULL) {
            return ARX_UNAVAILABLE;
        }
        return entropy->deflate_compress(text->data, text->len, coded);
    case ARX_CODEC_ARX:
    case ARX_CODEC_ARX2:
    case ARX_CODEC_ARX3:
        if (entropy->brotli_compress == NULL) {
            return ARX_UNAVAILABLE;
        }
        return entropy->brotli_compress(text->data, text->len, coded);
    case ARX_CODEC_ARX4:
    case ARX_CODEC_ARX5:
        rc = arx_coder_mixer(coder, assets, attempt->prior, &mixer);
        return rc == ARX_OK ? arx_mixer_encode(mixer, text->data, text->len, coded) : rc;
    case ARX_CODEC_COUNT:
        break;
    }
    return ARX_UNAVAILABLE;
}

/* ---- fragments ---- */

/* Tag and prior: what stands before the wire. */
static void start_fragment(const arx_attempt *attempt, arx_buf *fragment) {
    arx_buf_clear(fragment);
    arx_buf_append_byte(fragment, (uint8_t)arx_codec_tag(attempt->codec));
    if (attempt->prior != '\0') {
        arx_buf_append_byte(fragment, (uint8_t)attempt->prior);
    }
}

static size_t prefix_units(const arx_attempt *attempt) {
    return attempt->prior != '\0' ? 2 : 1;
}

/* Scored by what a person sees? */
static bool by_visible(arx_codec codec, arx_wire wire, arx_policy policy) {
    return policy == ARX_POLICY_DEFAULT && wire == ARX_WIRE_BASEBMP &&
           (codec == ARX_CODEC_ARX3 || codec == ARX_CODEC_ARX4);
}

static arx_candidate measure(const arx_attempt *attempt, const arx_buf *fragment,
                             size_t coded_bytes) {
    return (arx_candidate){
        .codec = attempt->codec,
        .packed = attempt->packed,
        .prior = attempt->prior,
        .visible_units = arx_text_visible(fragment->data, fragment->len),
        .transport_units = arx_text_transport(fragment->data, fragment->len),
        .coded_bytes = coded_bytes,
    };
}

/* plain, lz and deflate: one form, counted in units. */
static arx_result finish_simple(arx_attempt *attempt, const arx_buf *coded) {
    arx_pick *pick = &attempt->picks[ARX_POLICY_DEFAULT];
    start_fragment(attempt, &pick->fragment);
    if (attempt->codec == ARX_CODEC_LZ) {
        arx_buf_append(&pick->fragment, coded->data, coded->len);
    } else {
        arx_base64url_encode(coded->data, coded->len, &pick->fragment);
    }
    if (arx_buf_result(&pick->fragment) != ARX_OK) {
        return arx_buf_result(&pick->fragment);
    }
    size_t coded_bytes = attempt->codec == ARX_CODEC_LZ ? 0 : coded->len;
    pick->candidate = measure(attempt, &pick->fragment, coded_bytes);
    pick->candidate.score = pick->candidate.visible_units;
    attempt->wires[attempt->wire_count++] = pick->candidate;
    return ARX_OK;
}

/*
 * Encodes `wire` unless it can win under no policy. A wire that stands earlier in candidate order
 * than the one that leads wins a tie, so its bound is one higher.
 */
static arx_result encode_wire(arx_attempt *attempt, arx_wire wire, const arx_buf *coded,
                              arx_buf *fragment, bool *encoded) {
    size_t bound = 0;
    bool any = attempt->all_wires;
    start_fragment(attempt, fragment);
    for (arx_policy p = 0; p < ARX_POLICY_COUNT; p++) {
        const arx_pick *lead = &attempt->picks[p];
        if (lead->fragment.len == 0 || by_visible(attempt->codec, wire, p)) {
            any = true;
            continue;
        }
        size_t room = lead->candidate.score - prefix_units(attempt);
        room += lead->candidate.wire > wire ? 1 : 0;
        bound = room > bound ? room : bound;
    }
    *encoded = true;
    return any ? arx_wire_encode(wire, coded->data, coded->len, fragment)
               : arx_wire_encode_below(wire, coded->data, coded->len, bound, fragment, encoded);
}

/* Compares an encoded wire with the lead under each policy. */
static arx_result weigh(arx_attempt *attempt, arx_wire wire, size_t coded_bytes,
                        const arx_buf *fragment) {
    arx_candidate candidate = measure(attempt, fragment, coded_bytes);
    candidate.has_wire = true;
    candidate.wire = wire;
    for (arx_policy p = 0; p < ARX_POLICY_COUNT; p++) {
        arx_pick *lead = &attempt->picks[p];
        candidate.score = by_visible(attempt->codec, wire, p) ? candidate.visible_units
                                                              : candidate.transport_units;
        if (p == ARX_POLICY_DEFAULT) {
            attempt->wires[wire] = candidate;
        }
        if (lead->fragment.len == 0 || candidate.score < lead->candidate.score ||
            (candidate.score == lead->candidate.score && wire < lead->candidate.wire)) {
            lead->candidate = candidate;
            arx_buf_clear(&lead->fragment);
            arx_buf_append(&lead->fragment, fragment->data, fragment->len);
            if (arx_buf_result(&lead->fragment) != ARX_OK) {
                return arx_buf_result(&lead->fragment);
            }
        }
    }
    return ARX_OK;
}

/* The arx family: the best wire of four. base64url goes first: nearly free, and nearly always best.
 */
static arx_result finish_wires(arx_attempt *attempt, const arx_buf *coded) {
    static const arx_wire order[] = {ARX_WIRE_BASE64URL, ARX_WIRE_BASE76, ARX_WIRE_BASE1K,
                                     ARX_WIRE_BASEBMP};
    arx_buf fragment;
    arx_buf_init(&fragment, 0);
    arx_result rc = ARX_OK;
    for (size_t i = 0; rc == ARX_OK && i < ARX_WIRE_COUNT; i++) {
        bool encoded;
        rc = encode_wire(attempt, order[i], coded, &fragment, &encoded);
        if (rc == ARX_OK && encoded) {
            rc = weigh(attempt, order[i], coded->len, &fragment);
        }
    }
    attempt->wire_count = attempt->all_wires ? ARX_WIRE_COUNT : 0;
    arx_buf_free(&fragment);
    return rc;
}

void arx_attempt_run(arx_attempt *attempt, const arx_assets *assets, const arx_json *envelope,
                     arx_coder *coder) {
    arx_buf text;
    arx_buf coded;
    arx_buf_init(&text, 0);
    arx_buf_init(&coded, 0);
    arx_result rc = write_text(attempt, assets, envelope, &text);
    if (rc == ARX_OK) {
        rc = code(attempt, assets, coder, &text, &coded);
    }
    if (rc == ARX_OK) {
        rc = attempt->codec >= ARX_CODEC_ARX ? finish_wires(attempt, &coded)
                                             : finish_simple(attempt, &coded);
    }
    attempt->result = rc;
    arx_buf_free(&text);
    arx_buf_free(&coded);
}

void arx_attempt_free(arx_attempt *attempt) {
    for (arx_policy p = 0; p < ARX_POLICY_COUNT; p++) {
        arx_buf_free(&attempt->picks[p].fragment);
    }
}

arx_pick *arx_attempt_pick(arx_attempt *attempt, arx_policy policy) {
    if (attempt->result != ARX_OK) {
        return NULL;
    }
    /* Codecs with one form have one pick, whatever the policy. */
    bool wired = attempt->codec >= ARX_CODEC_ARX;
    return &attempt->picks[wired ? policy : ARX_POLICY_DEFAULT];
}
