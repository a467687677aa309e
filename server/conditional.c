/* conditional.c - see conditional.h. */
#include "conditional.h"

#include <string.h>

static const char *skip_separators(const char *list) {
    return list + strspn(list, " \t,");
}

/* Is `etag` (quoted, strong) in the list, by weak comparison? */
static bool list_has(const char *list, const char *etag) {
    list = skip_separators(list);
    if (strcmp(list, "*") == 0) {
        return true;
    }
    while (*list != '\0') {
        if (list[0] == 'W' && list[1] == '/') {
            list += 2;
        }
        if (*list != '"') {
            return false; /* no entity tag: nothing behind it can be trusted either */
        }
        const char *end = strchr(list + 1, '"');
        if (end == NULL) {
            return false;
        }
        size_t len = (size_t)(end - list) + 1;
        if (strlen(etag) == len && memcmp(list, etag, len) == 0) {
            return true;
        }
        list = skip_separators(end + 1);
    }
    return false;
}

bool not_modified(const char *if_none_match, const char *if_modified_since, const char *etag,
                  const char *last_modified) {
    if (if_none_match != NULL) {
        return list_has(if_none_match, etag);
    }
    return if_modified_since != NULL && strcmp(if_modified_since, last_modified) == 0;
}
