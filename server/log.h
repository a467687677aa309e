/*
 * log.h - one line an event on stderr, as text or as JSON.
 *
 * Never logged: payloads, fragments, bodies, headers, whole ids. Any thread may log; a line is one
 * write(). log_open() comes before the first thread.
 */
#ifndef ARXD_LOG_H
#define ARXD_LOG_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>

typedef enum log_level { LOG_ERROR, LOG_WARN, LOG_INFO, LOG_DEBUG } log_level;
typedef enum log_format { LOG_TEXT, LOG_JSON } log_format;

/* Defaults: text, info. */
void log_open(log_format format, log_level level);
bool log_wants(log_level level);

/* A sentence without a final dot; line ends and control characters in it are made harmless. */
void log_write(log_level level, const char *format, ...) __attribute__((format(printf, 2, 3)));
void log_vwrite(log_level level, const char *format, va_list arguments)
    __attribute__((format(printf, 2, 0)));

/* One answered request, at debug level. id_prefix: the first characters of an id, or NULL. */
void log_request(const char *method, const char *route, const char *id_prefix, unsigned status,
                 int64_t elapsed_us);

#endif
