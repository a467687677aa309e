/* fragment_head.c - what a fragment says of itself: format.md section 2. See fragment.h. */
#include "fragment.h"

#include <string.h>

#include "text.h"

static const char legacy_key[] = "agent-render=";

#define MESSAGE_LEGACY "The fragment format is invalid. Expected v1.<codec>.<payload>."
#define MESSAGE_COMPACT                                                                            \
    "The fragment format is invalid. Expected #agent-render=... or a codec tag followed by a "     \
    "payload."

/* Message U; the name is shown as it came. */
static arx_code unsupported(const uint8_t *name, size_t len, arx_error *error) {
    *error = (arx_error){.code = ARX_CODE_INVALID_FORMAT};
    arx_buf_append_str(&error->message, "Unsupported codec \"");
    arx_buf_append(&error->message, name, len);
    arx_buf_append_str(&error->message, "\". Supported codecs are ");
    for (arx_codec codec = 0; codec < ARX_CODEC_COUNT; codec++) {
        arx_buf_append_str(&error->message, codec == 0 ? "" : ", ");
        arx_buf_append_str(&error->message, arx_codec_name(codec));
    }
    arx_buf_append_str(&error->message, ".");
    return arx_error_settle(error);
}

/* What follows `agent-render=`. */
static arx_code parse_legacy(const uint8_t *value, size_t len, arx_fragment_head *head,
                             arx_error *error) {
    if (len == 0) {
        return arx_error_set(error, ARX_CODE_MISSING_KEY, NULL);
    }
    const uint8_t *end = value + len;
    const uint8_t *first = memchr(value, '.', len);
    const uint8_t *codec = first == NULL ? end : first + 1;
    const uint8_t *second = memchr(codec, '.', (size_t)(end - codec));
    if (second == NULL || first == value || second == codec || second + 1 == end) {
        return arx_error_set(error, ARX_CODE_INVALID_FORMAT, MESSAGE_LEGACY);
    }
    if (first - value != 2 || memcmp(value, "v1", 2) != 0) {
        return arx_error_set(error, ARX_CODE_INVALID_FORMAT, MESSAGE_LEGACY);
    }
    if (!arx_codec_from_name(codec, (size_t)(second - codec), &head->codec)) {
        return unsupported(codec, (size_t)(second - codec), error);
    }
    head->legacy = true;
    head->payload = second + 1;
    head->payload_len = (size_t)(end - head->payload);
    return ARX_CODE_OK;
}

arx_code arx_fragment_head_parse(const uint8_t *fragment, size_t len, bool skip_budget,
                                 arx_fragment_head *head, arx_error *error) {
    *error = (arx_error){0};
    if (len > 0 && fragment[0] == '#') {
        fragment++;
        len--;
    }
    if (len == 0) {
        return arx_error_set(error, ARX_CODE_EMPTY, NULL);
    }
    if (len > ARX_FRAGMENT_MAX_BYTES) {
        return arx_error_set(error, ARX_CODE_TOO_LARGE, NULL);
    }
    arx_fragment_head found = {.visible_units = arx_text_visible(fragment, len)};
    if (found.visible_units > ARX_FRAGMENT_BUDGET_UNITS && !skip_budget) {
        return arx_error_set(error, ARX_CODE_TOO_LARGE, NULL);
    }
    const size_t key_len = sizeof legacy_key - 1;
    if (len >= key_len && memcmp(fragment, legacy_key, key_len) == 0) {
        arx_code code = parse_legacy(fragment + key_len, len - key_len, &found, error);
        if (code != ARX_CODE_OK) {
            return code;
        }
    } else {
        /* Tags are ASCII, so two bytes behind a known one are two units. */
        if (len < 2 || !arx_codec_from_tag(fragment[0], &found.codec)) {
            return arx_error_set(error, ARX_CODE_INVALID_FORMAT, MESSAGE_COMPACT);
        }
        found.payload = fragment + 1;
        found.payload_len = len - 1;
    }
    *head = found;
    return ARX_CODE_OK;
}
