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

/* One answered request: at debug level, or as a warning when the server failed (5xx but 503). */
typedef struct log_answer {
    const char *request; /* its id */
    const char *client;  /* address */
    const char *method;
    const char *route;  /* the pattern: a path may be a payload pasted wrongly */
    const char *object; /* the first characters of an id, or NULL */
    unsigned status;
    int64_t elapsed_us;
} log_answer;
void log_request(const log_answer *answer);
/* The level such a line has. */
log_level log_level_of(unsigned status);

/* One use of a privilege, at info level. Strings that are NULL are left out. */
typedef struct log_act {
    const char *act;
    const char *method;
    const char *actor;   /* the token's name */
    const char *object;  /* the first characters of an id */
    const char *outcome; /* "done", "refused", … */
    const char *client;
    const char *request;
} log_act;
void log_audit(const log_act *act);

#endif
