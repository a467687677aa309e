/* measure.c - encodes the corpus; see codecs.h. */
#include "codecs.h"

/* Keeps a candidate's lengths if its codec has none yet, or longer ones. */
static void keep(codecs_measured *measured, const arx_candidate *candidate) {
    codecs_lengths *at = &measured->codec[candidate->codec];
    if (at->transport == 0 || candidate->transport_units < at->transport) {
        *at = (codecs_lengths){candidate->coded_bytes, candidate->transport_units,
                               candidate->visible_units};
    }
}

static void encode(arx_coder *coder, const arx_assets *assets, const codecs_row *row,
                   const arx_encode_options *options, codecs_measured *measured,
                   arx_candidate *winner) {
    arx_encoded encoded;
    arx_error error;
    if (arx_encode(coder, assets, row->envelope, options, &encoded, &error) != ARX_CODE_OK) {
        codecs_stop("%s: %.*s", row->name, (int)error.message.len,
                    (const char *)error.message.data);
    }
    for (size_t i = 0; i < encoded.candidate_count; i++) {
        keep(measured, &encoded.candidates[i]);
    }
    *winner = encoded.winner;
    arx_encoded_free(&encoded);
}

void codecs_measure_row(arx_coder *coder, const arx_assets *assets, const codecs_row *row,
                        bool with_arx3, codecs_measured *measured) {
    arx_encode_options options;
    arx_candidate winner;
    *measured = (codecs_measured){0};
    if (with_arx3) {
        arx_encode_options_init(&options);
        options.has_codec = true;
        options.codec = ARX_CODEC_ARX3;
        encode(coder, assets, row, &options, measured, &winner);
    }
    arx_encode_options_init(&options);
    encode(coder, assets, row, &options, measured, &winner);
    measured->chosen = winner.codec;
    measured->transport = winner.transport_units;
    measured->visible = winner.visible_units;
}

codecs_measured *codecs_measure(const codecs_corpus *corpus, const arx_assets *assets,
                                bool with_arx3) {
    codecs_measured *measured = codecs_alloc(corpus->count, sizeof *measured);
    arx_coder *coder = arx_coder_create(&arx_entropy_native, NULL);
    if (coder == NULL) {
        codecs_stop("out of memory");
    }
    for (size_t i = 0; i < corpus->count; i++) {
        codecs_measure_row(coder, assets, &corpus->rows[i], with_arx3, &measured[i]);
    }
    arx_coder_free(coder);
    return measured;
}
