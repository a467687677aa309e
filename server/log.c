/* log.c - see log.h. */
#include "log.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "json.h"
#include "text.h"

#define MESSAGE_SIZE 1024

/* Written once, before the first thread. */
static log_format chosen_format = LOG_TEXT;
static log_level chosen_level = LOG_INFO;

static const char *const level_names[] = {
    [LOG_ERROR] = "error", [LOG_WARN] = "warn", [LOG_INFO] = "info", [LOG_DEBUG] = "debug"};

void log_open(log_format format, log_level level) {
    chosen_format = format;
    chosen_level = level;
}

bool log_wants(log_level level) {
    return level <= chosen_level;
}

/* Without memory the line is lost; there is nobody left to tell. */
static void end(arx_buf *line) {
    if (chosen_format == LOG_JSON) {
        arx_buf_append_byte(line, '}');
    }
    arx_buf_append_byte(line, '\n');
    if (arx_buf_result(line) == ARX_OK) {
        ssize_t written = write(STDERR_FILENO, line->data, line->len);
        (void)written;
    }
    arx_buf_free(line);
}

static void begin(arx_buf *line, log_level level) {
    char now[CLOCK_ISO_SIZE];
    clock_iso(clock_unix_ms(), now);
    arx_buf_init(line, 0);
    if (chosen_format == LOG_JSON) {
        arx_buf_append_str(line, "{\"time\":\"");
        arx_buf_append_str(line, now);
        arx_buf_append_str(line, "\",\"level\":\"");
        arx_buf_append_str(line, level_names[level]);
        arx_buf_append_byte(line, '"');
    } else {
        arx_buf_append_str(line, now);
        arx_buf_append_byte(line, ' ');
        arx_buf_append_str(line, level_names[level]);
    }
}

static void append_field(arx_buf *line, const char *name, const char *value) {
    if (chosen_format == LOG_JSON) {
        arx_buf text;
        arx_buf_init(&text, 0);
        arx_text_from_bytes((const uint8_t *)value, strlen(value), &text);
        arx_buf_append_str(line, ",\"");
        arx_buf_append_str(line, name);
        arx_buf_append_str(line, "\":");
        if (arx_buf_result(&text) == ARX_OK) {
            arx_json_write_string(text.data, text.len, line);
        } else {
            arx_buf_append_str(line, "null");
        }
        arx_buf_free(&text);
        return;
    }
    arx_buf_append_byte(line, ' ');
    for (; *value != '\0'; value++) {
        unsigned char c = (unsigned char)*value;
        arx_buf_append_byte(line, c < 0x20 || c == 0x7f ? '?' : c);
    }
}

void log_vwrite(log_level level, const char *format, va_list arguments) {
    if (!log_wants(level)) {
        return;
    }
    char message[MESSAGE_SIZE];
    if (vsnprintf(message, sizeof message, format, arguments) < 0) {
        return;
    }
    message[strcspn(message, "\r\n")] = '\0';
    arx_buf line;
    begin(&line, level);
    append_field(&line, "message", message);
    end(&line);
}

void log_write(log_level level, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    log_vwrite(level, format, arguments);
    va_end(arguments);
}

/* As `name=value` in text: what stands there is told apart by its name alone. */
static void append_named(arx_buf *line, const char *name, const char *value) {
    if (value == NULL) {
        return;
    }
    if (chosen_format == LOG_TEXT) {
        arx_buf_append_byte(line, ' ');
        arx_buf_append_str(line, name);
        arx_buf_append_byte(line, '=');
        arx_buf_append_str(line, value);
    } else {
        append_field(line, name, value);
    }
}

log_level log_level_of(unsigned status) {
    bool failed = status >= 500 && status != 501 && status != 503 && status != 507;
    return failed ? LOG_WARN : LOG_DEBUG;
}

void log_request(const log_answer *answer) {
    log_level level = log_level_of(answer->status);
    if (!log_wants(level)) {
        return;
    }
    char number[64];
    arx_buf line;
    begin(&line, level);
    append_field(&line, "method", answer->method);
    append_field(&line, "route", answer->route);
    (void)snprintf(
        number, sizeof number,
        chosen_format == LOG_JSON ? ",\"status\":%u,\"ms\":%lld.%03d" : " %u %lld.%03d ms",
        answer->status, (long long)(answer->elapsed_us / 1000), (int)(answer->elapsed_us % 1000));
    arx_buf_append_str(&line, number);
    append_named(&line, "id", answer->object);
    append_named(&line, "client", answer->client);
    append_named(&line, "request", answer->request);
    end(&line);
}

void log_audit(const log_act *act) {
    if (!log_wants(LOG_INFO)) {
        return;
    }
    arx_buf line;
    begin(&line, LOG_INFO);
    append_field(&line, "event", "audit");
    append_named(&line, "act", act->act);
    append_named(&line, "method", act->method);
    append_named(&line, "actor", act->actor);
    append_named(&line, "id", act->object);
    append_named(&line, "outcome", act->outcome);
    append_named(&line, "client", act->client);
    append_named(&line, "request", act->request);
    end(&line);
}
