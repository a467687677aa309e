/* describe.c - see describe.h. */
#include "describe.h"

#include <stdlib.h>
#include <string.h>

#include "text.h"

char *describe_copy(const uint8_t *text, size_t len, size_t max) {
    arx_buf copy;
    arx_buf_init(&copy, 0);
    for (size_t pos = 0; pos < len;) {
        uint32_t c = arx_text_next(text, len, &pos);
        if (c == 0 || c >= ARX_TEXT_BAD || (c >= 0xD800 && c <= 0xDFFF)) {
            c = 0xFFFD;
        }
        size_t before = copy.len;
        arx_text_append(&copy, c);
        if (copy.len > max) {
            copy.len = before;
            break;
        }
    }
    return (char *)arx_buf_take(&copy, &len);
}

bool describe_envelope(const arx_json *envelope, store_artifact *artifact) {
    const arx_json *active = arx_envelope_active(envelope);
    if (active == NULL) {
        return true;
    }
    const arx_json *const titles[] = {
        arx_json_get_string(active, "title"),
        arx_json_get_string(envelope, "title"),
        arx_json_get_string(active, "filename"),
    };
    artifact->kind = strdup(arx_kind_name(arx_artifact_kind(active)));
    if (artifact->kind == NULL) {
        return false;
    }
    for (size_t i = 0; i < sizeof titles / sizeof titles[0]; i++) {
        if (titles[i] != NULL && titles[i]->as.string.len > 0) {
            artifact->title = describe_copy(titles[i]->as.string.data, titles[i]->as.string.len,
                                            DESCRIBE_TITLE_MAX);
            return artifact->title != NULL;
        }
    }
    return true;
}

bool describe_codec_uses_set(arx_codec codec) {
    return codec != ARX_CODEC_PLAIN && codec != ARX_CODEC_LZ && codec != ARX_CODEC_DEFLATE;
}
