/* call.c - see call.h. */
#include "call.h"

#include <stdlib.h>
#include <string.h>

static arx_coder *coder; /* made by the first call */
static arx_buf answer;

/* ---- memory, and the answer ---- */

uint8_t *web_alloc(size_t len) {
    return malloc(len > 0 ? len : 1);
}

void web_free(uint8_t *block) {
    free(block);
}

/* What is said when there is no memory to say anything. */
static const char no_memory[] =
    "{\"ok\":false,\"code\":\"no-memory\",\"message\":\"Not enough memory.\"}";

const uint8_t *web_answer(void) {
    return arx_buf_result(&answer) == ARX_OK ? answer.data : (const uint8_t *)no_memory;
}

size_t web_answer_len(void) {
    return arx_buf_result(&answer) == ARX_OK ? answer.len : sizeof no_memory - 1;
}

uint8_t *web_extend(arx_buf *out, size_t len) {
    return arx_buf_extend(out, len);
}

arx_buf *web_new_answer(void) {
    arx_buf_clear(&answer);
    return &answer;
}

void web_say(const char *text) {
    arx_buf_append_str(&answer, text);
}

void web_say_string(const uint8_t *text, size_t len) {
    arx_json_write_string(text, len, &answer);
}

void web_say_str(const char *text) {
    web_say_string((const uint8_t *)text, strlen(text));
}

web_outcome web_refuse(const char *code, const uint8_t *message, size_t len) {
    arx_buf_clear(&answer);
    web_say("{\"ok\":false,\"code\":");
    web_say_str(code);
    web_say(",\"message\":");
    web_say_string(message, len);
    web_say("}");
    return WEB_DONE;
}

web_outcome web_refuse_str(const char *code, const char *message) {
    return web_refuse(code, (const uint8_t *)message, strlen(message));
}

web_outcome web_refuse_memory(void) {
    return web_refuse_str("no-memory", "Not enough memory.");
}

web_outcome web_refuse_error(arx_error *error) {
    web_refuse(arx_code_name(error->code), error->message.data, error->message.len);
    arx_error_free(error);
    return WEB_DONE;
}

/* "The asset set <id> <what>." */
static web_outcome refuse_set(const char *code, const uint8_t *id, size_t len, const char *what) {
    arx_buf text;
    arx_buf_init(&text, 0);
    arx_buf_append_str(&text, "The asset set ");
    arx_buf_append(&text, id, len);
    arx_buf_append_str(&text, what);
    web_refuse(code, text.data, text.len);
    arx_buf_free(&text);
    return WEB_DONE;
}

/* ---- what a call lacks ---- */

web_outcome web_need_index(void) {
    arx_buf_clear(&answer);
    web_say("{\"index\":true}");
    return WEB_NEEDS;
}

web_outcome web_need_set(const char *id, bool priors) {
    arx_buf_clear(&answer);
    web_say("{\"set\":");
    web_say_str(id);
    web_say(priors ? ",\"priors\":true}" : ",\"priors\":false}");
    return WEB_NEEDS;
}

bool web_need_modules(unsigned modules) {
    static const char *const names[] = {
        [WEB_BROTLI_DECODE] = "brotli-decode",
        [WEB_BROTLI_ENCODE] = "brotli-encode",
        [WEB_DEFLATE_ENCODE] = "deflate-encode",
    };
    bool any = false;
    arx_buf_clear(&answer);
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++) {
        if ((modules >> i & 1u) != 0 && host_has((web_module)i) == 0) {
            web_say(any ? "," : "{\"modules\":[");
            web_say_str(names[i]);
            any = true;
        }
    }
    web_say(any ? "]}" : "");
    return any;
}

/* ---- reading a call ---- */

static bool is_id(const arx_json *value) {
    if (!arx_json_is(value, ARX_JSON_STRING) || value->as.string.len != ARX_ASSET_ID_CHARS) {
        return false;
    }
    for (size_t i = 0; i < ARX_ASSET_ID_CHARS; i++) {
        uint8_t c = value->as.string.data[i];
        if (!(c >= '0' && c <= '9') && !(c >= 'a' && c <= 'f')) {
            return false;
        }
    }
    return true;
}

static bool lists(const arx_json *array, const char *id) {
    const arx_json *first = arx_json_is(array, ARX_JSON_ARRAY) ? array->as.list.first : NULL;
    for (const arx_json *item = first; item != NULL; item = item->next) {
        if (arx_json_string_is(item, id)) {
            return true;
        }
    }
    return false;
}

static void add_id(web_call *c, const arx_json *value) {
    if (!is_id(value) || c->id_count == WEB_MAX_SETS) {
        return;
    }
    char *id = c->ids[c->id_count];
    memcpy(id, value->as.string.data, ARX_ASSET_ID_CHARS);
    for (size_t i = 0; i < c->id_count; i++) {
        if (strcmp(c->ids[i], id) == 0) {
            return;
        }
    }
    c->id[c->id_count++] = id;
}

/* The sets in the order they are tried. False: the one that was named is not among them. */
static bool read_sets(web_call *c, const arx_json *sets, const arx_json *named) {
    if (arx_json_is(named, ARX_JSON_STRING)) {
        add_id(c, named);
        if (c->id_count == 0 || !lists(sets, c->ids[0])) {
            return false;
        }
        c->try_count = 1;
    }
    for (const arx_json *item = sets->as.list.first; item != NULL; item = item->next) {
        add_id(c, item);
    }
    if (c->try_count == 0) {
        c->try_count = c->id_count;
    }
    return c->id_count > 0;
}

/* Reads a call and frees its block. False: the answer says why. Caller: web_end_call(), either way.
 */
bool web_begin_call(web_call *c, uint8_t *json, size_t len) {
    arx_json *root;
    *c = (web_call){0};
    arx_buf_clear(&answer);
    arx_result rc = arx_json_parse(json, len, 0, &c->doc, &root);
    free(json);
    if (rc != ARX_OK) {
        c->doc = NULL;
        if (rc == ARX_NO_MEMORY) {
            web_refuse_memory();
        } else {
            web_refuse_str("invalid-request", "The call is not JSON.");
        }
        return false;
    }
    c->request = arx_json_get(root, "request");
    c->unavailable = arx_json_get(root, "unavailable");
    const arx_json *sets = arx_json_get(root, "sets");
    const arx_json *named = arx_json_get(root, "assetSet");
    c->has_index = arx_json_is(sets, ARX_JSON_ARRAY);
    if (c->has_index && !read_sets(c, sets, named)) {
        if (arx_json_is(named, ARX_JSON_STRING)) {
            refuse_set("unknown-asset-set", named->as.string.data, named->as.string.len,
                       ", with which this link was made, is not known here.");
        } else {
            web_refuse_str("unknown-asset-set", "No asset set is known here.");
        }
        return false;
    }
    if (coder == NULL) {
        coder = arx_coder_create_small(&web_entropy);
    }
    if (coder == NULL) {
        web_refuse_memory();
    }
    c->coder = coder;
    return coder != NULL;
}

web_outcome web_end_call(web_call *c, web_outcome outcome) {
    arx_json_doc_free(c->doc);
    return arx_buf_result(&answer) == ARX_OK ? outcome : WEB_DONE;
}

web_outcome web_refuse_unavailable(const char *id) {
    return refuse_set("asset-unavailable", (const uint8_t *)id, strlen(id),
                      " could not be loaded.");
}

bool web_is_unavailable(const web_call *c, const char *id) {
    return lists(c->unavailable, id);
}

web_outcome web_set(uint8_t *block, size_t dictionary_len, size_t overlay_len, size_t priors_len,
                    int whole) {
    char id[ARX_ASSET_ID_CHARS + 1] = {0};
    arx_buf why;
    arx_buf_init(&why, 0);
    memcpy(id, block, ARX_ASSET_ID_CHARS);
    const uint8_t *dictionary = block + ARX_ASSET_ID_CHARS;
    const arx_asset_files files = {
        .dictionary = dictionary,
        .dictionary_len = dictionary_len,
        .overlay = dictionary + dictionary_len,
        .overlay_len = overlay_len,
        .priors = priors_len > 0 ? dictionary + dictionary_len + overlay_len : NULL,
        .priors_len = priors_len,
    };
    arx_result rc = web_sets_add(id, &files, whole != 0, &why);
    arx_buf_clear(&answer);
    if (rc == ARX_OK) {
        web_say("{\"ok\":true}");
    } else if (rc == ARX_NO_MEMORY) {
        web_refuse_memory();
    } else if (rc == ARX_OVER_LIMIT) {
        web_refuse_str("asset-unavailable", "There are too many asset sets.");
    } else {
        web_refuse("asset-unavailable", why.data, why.len);
    }
    arx_buf_free(&why);
    free(block);
    return WEB_DONE;
}
