/* decode_sets.c - see decode_sets.h. */
#include "decode_sets.h"

#include <string.h>

/* May another set succeed where one failed like this? */
static bool depends_on_set(arx_code code) {
    return code == ARX_CODE_INVALID_JSON || code == ARX_CODE_INVALID_ENVELOPE ||
           code == ARX_CODE_DECODED_TOO_LARGE || code == ARX_CODE_ASSET_UNAVAILABLE;
}

static bool is_arx_family(const uint8_t *fragment, size_t len) {
    arx_fragment_head head;
    arx_error error;
    if (arx_fragment_head_parse(fragment, len, true, &head, &error) != ARX_CODE_OK) {
        arx_error_free(&error);
        return false;
    }
    return head.codec >= ARX_CODEC_ARX;
}

bool arx_decode_may_need_other_set(arx_code code, const uint8_t *fragment, size_t len) {
    return depends_on_set(code) && is_arx_family(fragment, len);
}

arx_code arx_decode_sets(arx_coder *coder, const arx_assets *const *sets, size_t count,
                         const uint8_t *fragment, size_t len, bool skip_budget, size_t *used,
                         arx_decoded *decoded, arx_error *error) {
    arx_code code = arx_decode(coder, sets[0], fragment, len, skip_budget, decoded, error);
    *used = 0;
    if (count < 2 || !arx_decode_may_need_other_set(code, fragment, len)) {
        return code;
    }
    for (size_t i = 1; i < count; i++) {
        arx_error other;
        arx_code again = arx_decode(coder, sets[i], fragment, len, skip_budget, decoded, &other);
        if (again == ARX_CODE_OK) {
            arx_error_free(error);
            *used = i;
            return ARX_CODE_OK;
        }
        if (again == ARX_CODE_NO_MEMORY) {
            arx_error_free(error);
            *error = other;
            return again;
        }
        arx_error_free(&other);
    }
    return code;
}

bool arx_codec_needs_right_set(arx_codec codec) {
    return codec == ARX_CODEC_ARX || codec == ARX_CODEC_ARX2 || codec == ARX_CODEC_ARX3;
}

/* ---- the answer; sets are known as such or by their ids ---- */

typedef struct set_list {
    const arx_assets *const *sets; /* or NULL, and ids */
    const char *const *ids;
    size_t count;
    size_t used;
} set_list;

static const char *id_at(const set_list *list, size_t i) {
    return list->sets != NULL ? arx_assets_id(list->sets[i]) : list->ids[i];
}

static void write_warning(const set_list *list, arx_buf *out) {
    arx_buf_append_str(out, "Read with asset set ");
    arx_buf_append_str(out, id_at(list, list->used));
    arx_buf_append_str(out,
                       ". If words look wrong, the link was made with another set; known here:");
    for (size_t i = 0, listed = 0; i < list->count; i++) {
        if (i != list->used) {
            arx_buf_append_str(out, listed++ == 0 ? " " : ", ");
            arx_buf_append_str(out, id_at(list, i));
        }
    }
    arx_buf_append_byte(out, '.');
}

void arx_set_warning(const arx_assets *const *sets, size_t count, size_t used, arx_buf *out) {
    write_warning(&(set_list){.sets = sets, .count = count, .used = used}, out);
}

static void write_str(const char *str, arx_buf *out) {
    arx_json_write_string((const uint8_t *)str, strlen(str), out);
}

static void write_result(const arx_decoded *decoded, const set_list *list, arx_buf *out) {
    arx_buf_append_str(out, "\"envelope\":");
    arx_json_write(decoded->envelope, out);
    arx_buf_append_str(out, ",\"codec\":");
    write_str(arx_codec_name(decoded->codec), out);
    arx_buf_append_str(out, ",\"assetSet\":");
    if (list->count > 0) {
        write_str(id_at(list, list->used), out);
    } else {
        arx_buf_append_str(out, "null");
    }
    arx_buf_append_str(out, ",\"visibleLength\":");
    arx_buf_append_u64(out, decoded->visible_units);
    arx_buf_append_str(out, ",\"decodedLength\":");
    arx_buf_append_u64(out, decoded->decoded_units);
    arx_buf_append_str(out, ",\"warnings\":[");
    if (list->count > 1 && arx_codec_needs_right_set(decoded->codec)) {
        arx_buf text;
        arx_buf_init(&text, 0);
        write_warning(list, &text);
        arx_json_write_string(text.data, text.len, out);
        if (arx_buf_result(&text) != ARX_OK) {
            out->status = ARX_NO_MEMORY;
        }
        arx_buf_free(&text);
    }
    arx_buf_append_byte(out, ']');
}

void arx_decode_result_write(const arx_decoded *decoded, const arx_assets *const *sets,
                             size_t count, size_t used, arx_buf *out) {
    write_result(decoded, &(set_list){.sets = sets, .count = count, .used = used}, out);
}

void arx_decode_result_write_ids(const arx_decoded *decoded, const char *const *ids, size_t count,
                                 size_t used, arx_buf *out) {
    write_result(decoded, &(set_list){.ids = ids, .count = count, .used = used}, out);
}
