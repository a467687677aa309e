/*
 * mixer.c - see mixer.h: the stream around the coder's bytes, and the choice of a kernel.
 */
#include "mixer_coder.h"
#include "mixer_image.h"
#include "mixer_tables.h"

#define VARINT_BYTES 8 /* longest a decoder accepts; zeros at its end are fine */

arx_kernel arx_kernel_best(void) {
#if ARX_HAVE_AVX2
    if (__builtin_cpu_supports("avx2")) {
        return ARX_KERNEL_AVX2;
    }
#endif
    return ARX_KERNEL_PORTABLE;
}

const arx_mixer_functions *arx_mixer_functions_of(arx_kernel kernel) {
#if ARX_HAVE_AVX2
    if (kernel == ARX_KERNEL_AVX2) {
        return &arx_mixer_avx2;
    }
#endif
    (void)kernel;
    return &arx_mixer_portable;
}

static void write_varint(uint64_t number, arx_buf *out) {
    while (number >= 0x80) {
        arx_buf_append_byte(out, (uint8_t)(number | 0x80));
        number >>= 7;
    }
    arx_buf_append_byte(out, (uint8_t)number);
}

static bool read_varint(const uint8_t **bytes, size_t *len, uint64_t *number) {
    uint64_t got = 0;
    for (size_t i = 0; i < VARINT_BYTES && i < *len; i++) {
        uint8_t byte = (*bytes)[i];
        got |= (uint64_t)(byte & 0x7F) << (7 * i);
        if (byte < 0x80) {
            *bytes += i + 1;
            *len -= i + 1;
            *number = got;
            return true;
        }
    }
    return false;
}

arx_result arx_mixer_encode(arx_mixer *mixer, const uint8_t *text, size_t len, arx_buf *out) {
    if (!arx_mixer_has_base(mixer)) {
        return ARX_UNAVAILABLE;
    }
    if (len > ARX_MIXER_MAX_TEXT) {
        return ARX_OVER_LIMIT;
    }
    write_varint(len, out);
    arx_undo_log log = arx_mixer_begin(mixer, len);
    mixer->functions->encode(mixer->model, text, len, &log, out);
    arx_mixer_rewind(mixer, &log);
    return arx_buf_result(out);
}

arx_result arx_mixer_decode(arx_mixer *mixer, const uint8_t *coded, size_t len, arx_buf *out) {
    if (!arx_mixer_has_base(mixer)) {
        return ARX_UNAVAILABLE;
    }
    uint64_t text_len;
    if (!read_varint(&coded, &len, &text_len)) {
        return ARX_MALFORMED;
    }
    if (text_len > ARX_MIXER_MAX_TEXT) {
        return ARX_OVER_LIMIT;
    }
    if (len < ARX_CODER_BYTES) {
        return ARX_MALFORMED;
    }
    arx_undo_log log = arx_mixer_begin(mixer, (size_t)text_len);
    bool whole = mixer->functions->decode(mixer->model, coded, len, (size_t)text_len, &log, out);
    arx_mixer_rewind(mixer, &log);
    if (arx_buf_result(out) != ARX_OK) {
        return arx_buf_result(out);
    }
    return whole ? ARX_OK : ARX_MALFORMED;
}

const int16_t *arx_mixer_stretch(void) {
    return arx_mixer_st;
}

const int16_t *arx_mixer_squash(void) {
    return arx_mixer_sq;
}
