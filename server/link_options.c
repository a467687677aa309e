/* link_options.c - see link_options.h. */
#include "link_options.h"

#include <string.h>

static const json_t *given(const json_t *root, const char *name) {
    const json_t *value = json_object_get(root, name);
    return json_is_null(value) ? NULL : value;
}

/* `"name" must be ...` */
static api_result must_be(arx_buf *message, const char *name, const char *what) {
    arx_buf_append_byte(message, '"');
    arx_buf_append_str(message, name);
    arx_buf_append_str(message, "\" must be ");
    arx_buf_append_str(message, what);
    return API_INVALID_OPTION;
}

static api_result must_be_number(arx_buf *message, const char *name, uint64_t min, uint64_t max) {
    (void)must_be(message, name, "a whole number from ");
    arx_buf_append_u64(message, min);
    arx_buf_append_str(message, " to ");
    arx_buf_append_u64(message, max);
    arx_buf_append_byte(message, '.');
    return API_INVALID_OPTION;
}

void link_options_init(const server_config *config, link_options *options) {
    *options = (link_options){
        .ttl_ms = (int64_t)config->ttl_hours * 3600 * 1000,
        .sliding = true,
    };
}

api_result link_options_read_flag(const json_t *root, const char *name, bool *flag,
                                  arx_buf *message) {
    const json_t *value = given(root, name);
    if (value == NULL) {
        return API_OK;
    }
    if (!json_is_boolean(value)) {
        return must_be(message, name, "true or false.");
    }
    *flag = json_is_true(value);
    return API_OK;
}

/* A whole number of the body, or `*has` false. */
static api_result read_number(const json_t *root, const char *name, int64_t min, int64_t max,
                              bool *has, int64_t *number, arx_buf *message) {
    const json_t *value = given(root, name);
    *has = value != NULL;
    if (value == NULL) {
        return API_OK;
    }
    *number = json_integer_value(value);
    if (!json_is_integer(value) || *number < min || *number > max) {
        return must_be_number(message, name, (uint64_t)min, (uint64_t)max);
    }
    return API_OK;
}

static int64_t max_ttl_seconds(const server_config *config) {
    return (int64_t)config->max_ttl_hours * 3600;
}

api_result link_options_read(const server_config *config, const json_t *root, link_options *options,
                             arx_buf *message) {
    link_options_init(config, options);
    int64_t seconds = 0;
    api_result result = read_number(root, "ttl_seconds", TTL_MIN_SECONDS, max_ttl_seconds(config),
                                    &options->has_ttl, &seconds, message);
    if (result == API_OK && options->has_ttl) {
        options->ttl_ms = seconds * 1000;
    }
    if (result == API_OK) {
        options->has_sliding = given(root, "sliding") != NULL;
        result = link_options_read_flag(root, "sliding", &options->sliding, message);
    }
    if (result == API_OK) {
        result = read_number(root, "max_views", 1, MAX_VIEWS_LIMIT, &options->has_max_views,
                             &options->max_views, message);
    }
    const json_t *set = given(root, "asset_set");
    if (result == API_OK && set != NULL && !json_is_string(set)) {
        result = must_be(message, "asset_set", "the id of a set in /assets/index.json.");
    }
    options->asset_set = json_string_value(set);
    return result;
}

api_result link_options_read_ttl(const server_config *config, const char *text,
                                 link_options *options, arx_buf *message) {
    int64_t seconds = 0;
    size_t len = strlen(text);
    bool digits = len > 0 && len <= 10 && strspn(text, "0123456789") == len;
    for (size_t i = 0; digits && i < len; i++) {
        seconds = seconds * 10 + (text[i] - '0');
    }
    if (!digits || seconds < (int64_t)TTL_MIN_SECONDS || seconds > max_ttl_seconds(config)) {
        return must_be_number(message, "ttl_seconds", TTL_MIN_SECONDS,
                              (uint64_t)max_ttl_seconds(config));
    }
    options->has_ttl = true;
    options->ttl_ms = seconds * 1000;
    return API_OK;
}

void link_options_apply(const link_options *options, store_op *op) {
    op->artifact.ttl_ms = options->ttl_ms;
    op->artifact.sliding = options->sliding;
    op->artifact.max_views = options->max_views;
    if (op->kind == STORE_UPDATE) {
        op->keep_ttl = !options->has_ttl;
        op->keep_sliding = !options->has_sliding;
        op->keep_max_views = !options->has_max_views;
    }
}
