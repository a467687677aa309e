/* pointer.c - see pointer.h. */
#include "pointer.h"

#include <string.h>

void oui_pointer_name(arx_buf *pointer, const uint8_t *name, size_t len) {
    arx_buf_append_byte(pointer, '/');
    for (size_t i = 0; i < len; i++) {
        if (name[i] == '~' || name[i] == '/') {
            arx_buf_append_str(pointer, name[i] == '~' ? "~0" : "~1");
        } else {
            arx_buf_append_byte(pointer, name[i]);
        }
    }
}

void oui_pointer_row(arx_buf *pointer, size_t row) {
    arx_buf_append_byte(pointer, '/');
    arx_buf_append_u64(pointer, row);
}

bool oui_pointer_is(const uint8_t *pointer, size_t len) {
    return len == 0 || pointer[0] == '/';
}

bool oui_pointer_next(const uint8_t *pointer, size_t len, size_t *pos, arx_buf *step) {
    if (*pos >= len) {
        return false;
    }
    arx_buf_clear(step);
    size_t i = *pos + 1; /* behind the slash */
    while (i < len && pointer[i] != '/') {
        bool escape =
            pointer[i] == '~' && i + 1 < len && (pointer[i + 1] == '0' || pointer[i + 1] == '1');
        if (escape) {
            arx_buf_append_byte(step, pointer[i + 1] == '0' ? '~' : '/');
            i++;
        } else {
            arx_buf_append_byte(step, pointer[i]); /* a stray ~ stays */
        }
        i++;
    }
    *pos = i;
    return true;
}

static arx_json *find_row(const arx_json *array, const uint8_t *step, size_t len) {
    if (len == 0 || len > 18 || (step[0] == '0' && len > 1)) {
        return NULL;
    }
    size_t row = 0;
    for (size_t i = 0; i < len; i++) {
        if (step[i] < '0' || step[i] > '9') {
            return NULL;
        }
        row = row * 10 + (size_t)(step[i] - '0');
    }
    return row < array->as.list.count ? arx_json_at(array, row) : NULL;
}

static arx_json *find_member(const arx_json *object, const uint8_t *step, size_t len) {
    for (arx_json *member = object->as.list.first; member != NULL; member = member->next) {
        if (member->key_len == len && (len == 0 || memcmp(member->key, step, len) == 0)) {
            return member;
        }
    }
    return NULL;
}

arx_result oui_pointer_find(arx_json *value, const uint8_t *pointer, size_t len, arx_json **found) {
    arx_buf step;
    arx_buf_init(&step, 0);
    size_t pos = 0;
    *found = oui_pointer_is(pointer, len) ? value : NULL;
    while (*found != NULL && oui_pointer_next(pointer, len, &pos, &step)) {
        if (arx_buf_result(&step) != ARX_OK) {
            break;
        }
        if ((*found)->type == ARX_JSON_ARRAY) {
            *found = find_row(*found, step.data, step.len);
        } else if ((*found)->type == ARX_JSON_OBJECT) {
            *found = find_member(*found, step.data, step.len);
        } else {
            *found = NULL;
        }
    }
    arx_result result = arx_buf_result(&step);
    arx_buf_free(&step);
    return result;
}
