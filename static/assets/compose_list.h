/*
 * compose_list.h - the list of artifacts that a prior is made of, in its order.
 *
 * One a line: `path | title | filename | language`, all but the path optional and as an agent would
 * give them (code without a language has that of its path). The path's first folder is the
 * artifact's kind. `+` before a path puts the artifact into the bundle
 * of the line above. Empty lines and those that begin with `#` say nothing.
 */
#ifndef ARX_COMPOSE_LIST_H
#define ARX_COMPOSE_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct compose_field {
    const uint8_t *text; /* borrowed from the list's text */
    size_t len;
} compose_field;

typedef struct compose_entry {
    bool continues; /* a `+` line */
    compose_field path;
    compose_field title;
    compose_field filename;
    compose_field language;
} compose_entry;

typedef struct compose_list {
    compose_entry *entries;
    size_t count;
} compose_list;

/*
 * Reads the list; `text` must outlive it. False for a line of more than four fields or without a
 * path, a `+` on the first, or want of memory. Caller: compose_list_free(), whatever the result.
 */
bool compose_list_parse(const uint8_t *text, size_t len, compose_list *list);
void compose_list_free(compose_list *list);

/* Bytes of a path's first folder. */
size_t compose_folder_len(const compose_field *path);

#endif
