/* compose_list.c - see compose_list.h. */
#include "compose_list.h"

#include <stdlib.h>
#include <string.h>

enum { FIELDS = 4 };

static void trim(compose_field *field) {
    while (field->len > 0 && field->text[0] == ' ') {
        field->text++;
        field->len--;
    }
    while (field->len > 0 && field->text[field->len - 1] == ' ') {
        field->len--;
    }
}

/* Cuts a line at its bars. Answers how many fields there are, FIELDS + 1 for too many. */
static int split(compose_field line, compose_field fields[FIELDS]) {
    int count = 0;
    for (;;) {
        const uint8_t *bar = line.len > 0 ? memchr(line.text, '|', line.len) : NULL;
        size_t len = bar != NULL ? (size_t)(bar - line.text) : line.len;
        if (count == FIELDS) {
            return FIELDS + 1;
        }
        fields[count] = (compose_field){line.text, len};
        trim(&fields[count++]);
        if (bar == NULL) {
            return count;
        }
        line.text += len + 1;
        line.len -= len + 1;
    }
}

static bool add(compose_list *list, compose_field line) {
    compose_field fields[FIELDS] = {{0}};
    trim(&line);
    if (line.len == 0 || line.text[0] == '#') {
        return true;
    }
    bool continues = line.text[0] == '+';
    if (continues) {
        line.text++;
        line.len--;
    }
    if (split(line, fields) > FIELDS || fields[0].len == 0 || (continues && list->count == 0)) {
        return false;
    }
    compose_entry *more = realloc(list->entries, (list->count + 1) * sizeof *more);
    if (more == NULL) {
        return false;
    }
    list->entries = more;
    list->entries[list->count++] = (compose_entry){
        .continues = continues,
        .path = fields[0],
        .title = fields[1],
        .filename = fields[2],
        .language = fields[3],
    };
    return true;
}

bool compose_list_parse(const uint8_t *text, size_t len, compose_list *list) {
    *list = (compose_list){0};
    while (len > 0) {
        const uint8_t *end = memchr(text, '\n', len);
        size_t line = end != NULL ? (size_t)(end - text) : len;
        if (!add(list, (compose_field){text, line})) {
            return false;
        }
        size_t step = line + (end != NULL);
        text += step;
        len -= step;
    }
    return true;
}

void compose_list_free(compose_list *list) {
    free(list->entries);
    *list = (compose_list){0};
}

size_t compose_folder_len(const compose_field *path) {
    const uint8_t *slash = memchr(path->text, '/', path->len);
    return slash != NULL ? (size_t)(slash - path->text) : 0;
}
