/*
 * embedded.h - files compiled into the daemon: those of static/ as static/embed.sh writes them.
 */
#ifndef ARXD_EMBEDDED_H
#define ARXD_EMBEDDED_H

#include <stddef.h>
#include <stdint.h>

typedef struct embedded_file {
    const char *name;
    const uint8_t *data;
    size_t len;
} embedded_file;

/* static/discovery: what tells people, crawlers and agents what there is. */
extern const embedded_file embedded_discovery[];
extern const size_t embedded_discovery_count;

/* server/actions.json. */
extern const uint8_t embedded_actions[];
extern const size_t embedded_actions_len;
/* server/own_tools.json */
extern const uint8_t embedded_own_tools[];
extern const size_t embedded_own_tools_len;

#endif
