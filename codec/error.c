/* error.c - codes and texts of format.md section 11; see fragment.h. */
#include "fragment.h"

#define RELOAD " Reload to try again."

/* Name, and the text of a code that has only one. */
static const struct {
    const char *name;
    const char *text;
} codes[] = {
    [ARX_CODE_OK] = {"ok", ""},
    [ARX_CODE_EMPTY] = {"empty", "Add a fragment payload to start rendering artifacts."},
    [ARX_CODE_TOO_LARGE] = {"too-large", "This payload exceeds the supported fragment budget of "
                                         "8,192 characters."},
    [ARX_CODE_MISSING_KEY] = {"missing-key", "Expected a fragment starting with "
                                             "#agent-render=..."},
    [ARX_CODE_INVALID_FORMAT] = {"invalid-format", ""},
    [ARX_CODE_INVALID_JSON] = {"invalid-json",
                               "The fragment payload could not be decoded as valid JSON."},
    [ARX_CODE_DECODED_TOO_LARGE] = {"decoded-too-large",
                                    "The decoded payload exceeds the supported limit of 200,000 "
                                    "characters."},
    [ARX_CODE_INVALID_ENVELOPE] = {"invalid-envelope", ""},
    [ARX_CODE_ASSET_UNAVAILABLE] = {"asset-unavailable", ""},
    [ARX_CODE_NO_CANDIDATES] = {"no-candidates", "No payload codec candidates are available."},
    [ARX_CODE_NO_MEMORY] = {"no-memory", "Not enough memory."},
};

const char *arx_code_name(arx_code code) {
    return codes[code].name;
}

void arx_error_free(arx_error *error) {
    arx_buf_free(&error->message);
    *error = (arx_error){0};
}

arx_code arx_error_settle(arx_error *error) {
    if (arx_buf_result(&error->message) != ARX_OK) {
        arx_error_free(error);
        error->code = ARX_CODE_NO_MEMORY;
        arx_buf_append_str(&error->message, codes[ARX_CODE_NO_MEMORY].text);
    }
    return error->code;
}

arx_code arx_error_set(arx_error *error, arx_code code, const char *text) {
    *error = (arx_error){.code = code};
    arx_buf_append_str(&error->message, text == NULL ? codes[code].text : text);
    return arx_error_settle(error);
}

arx_code arx_error_set_prior(arx_error *error, char prior) {
    *error = (arx_error){.code = ARX_CODE_ASSET_UNAVAILABLE};
    arx_buf_append_str(&error->message, "The arx4 priors asset is unavailable, so the \"");
    arx_buf_append_byte(&error->message, (uint8_t)prior);
    arx_buf_append_str(&error->message, "\" prior cannot be rebuilt." RELOAD);
    return arx_error_settle(error);
}
