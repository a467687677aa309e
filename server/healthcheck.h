/*
 * healthcheck.h - `arxd --healthcheck`: asks a running server whether it is well.
 */
#ifndef ARXD_HEALTHCHECK_H
#define ARXD_HEALTHCHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * GET /health at host and port (a wildcard address means this machine), at most 5 s. False with
 * one line in `why`. Blocks; main thread.
 */
bool healthcheck(const char *host, uint16_t port, char *why, size_t why_size);

#endif
