/* io.c - input, output and errors of the commands; see tool.h. */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "tool.h"

/* ---- errors ---- */

static void complain(const char *command, const char *format, va_list arguments)
    __attribute__((format(printf, 2, 0)));

static void complain(const char *command, const char *format, va_list arguments) {
    fprintf(stderr, "%s: ", command);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
}

int tool_fail(const char *command, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    complain(command, format, arguments);
    va_end(arguments);
    return TOOL_FAILED;
}

int tool_usage(const char *command, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    complain(command, format, arguments);
    va_end(arguments);
    return tool_usage_hint(command);
}

int tool_usage_hint(const char *command) {
    fprintf(stderr, "Try `%s --help`.\n", command);
    return TOOL_USAGE;
}

/* ---- whole files ---- */

bool tool_read(const char *path, arx_buf *out, const char *command) {
    enum { CHUNK = 64 * 1024 };
    bool is_stdin = path == NULL || strcmp(path, "-") == 0;
    const char *name = is_stdin ? "standard input" : path;
    FILE *file = is_stdin ? stdin : fopen(path, "rb");
    if (file == NULL) {
        tool_fail(command, "%s: %s", name, strerror(errno));
        return false;
    }
    size_t got;
    do {
        uint8_t *room = arx_buf_extend(out, CHUNK);
        if (room == NULL) {
            break;
        }
        errno = 0;
        got = fread(room, 1, CHUNK, file);
        out->len -= CHUNK - got;
    } while (got == CHUNK);
    bool failed = ferror(file) != 0;
    if (failed) {
        tool_fail(command, "%s: %s", name, strerror(errno));
    } else if (arx_buf_result(out) != ARX_OK) {
        tool_fail(command, "%s: out of memory", name);
        failed = true;
    }
    if (!is_stdin) {
        fclose(file);
    }
    return !failed;
}

bool tool_write(const arx_buf *bytes, const char *command) {
    if (arx_buf_result(bytes) != ARX_OK) {
        tool_fail(command, "out of memory");
        return false;
    }
    if (fwrite(bytes->data, 1, bytes->len, stdout) != bytes->len || fflush(stdout) != 0) {
        tool_fail(command, "cannot write: %s", strerror(errno));
        return false;
    }
    return true;
}

/* ---- lines ---- */

/* "1,234 lines" on a terminal, at most five times a second. */
typedef struct progress {
    bool shown;
    bool wanted;
    struct timespec last;
} progress;

static void show_progress(progress *p, size_t lines) {
    struct timespec now;
    if (!p->wanted || clock_gettime(CLOCK_MONOTONIC, &now) != 0) {
        return;
    }
    double passed =
        (double)(now.tv_sec - p->last.tv_sec) + (double)(now.tv_nsec - p->last.tv_nsec) / 1e9;
    if (passed >= 0.2) {
        fprintf(stderr, "\r%zu lines", lines);
        p->last = now;
        p->shown = true;
    }
}

int tool_lines(tool_answer *answer, void *arg, const char *command) {
    char *line = NULL;
    size_t cap = 0;
    size_t count = 0;
    int status = TOOL_OK;
    arx_buf out;
    progress p = {.wanted = isatty(STDERR_FILENO) && !isatty(STDOUT_FILENO)};
    arx_buf_init(&out, 0);
    clock_gettime(CLOCK_MONOTONIC, &p.last);
    for (;;) {
        errno = 0;
        ssize_t got = getdelim(&line, &cap, '\n', stdin);
        if (got < 0) {
            if (ferror(stdin) || errno == ENOMEM) {
                status = tool_fail(command, "standard input: %s", strerror(errno));
            }
            break;
        }
        size_t len = (size_t)got;
        if (line[len - 1] == '\n') {
            len--;
        }
        arx_buf_clear(&out);
        answer(arg, (const uint8_t *)line, len, &out);
        if (arx_buf_result(&out) != ARX_OK) {
            arx_buf_clear(&out);
            tool_write_error("no-memory", (const uint8_t *)"Not enough memory.", 18, &out);
        }
        arx_buf_append_byte(&out, '\n');
        if (!tool_write(&out, command)) {
            status = TOOL_FAILED;
            break;
        }
        show_progress(&p, ++count);
    }
    if (p.shown) {
        fprintf(stderr, "\r%zu lines\n", count);
    }
    arx_buf_free(&out);
    free(line);
    return status;
}

void tool_write_error(const char *code, const uint8_t *message, size_t len, arx_buf *out) {
    arx_buf_append_str(out, "{\"ok\":false,\"code\":\"");
    arx_buf_append_str(out, code);
    arx_buf_append_str(out, "\",\"message\":");
    arx_json_write_string(message, len, out);
    arx_buf_append_byte(out, '}');
}

bool tool_parse_line(const uint8_t *line, size_t len, arx_json_doc **doc, arx_json **root,
                     arx_buf *out) {
    const char *code = "invalid-request";
    const char *message = "The line is not a JSON text.";
    if (!arx_text_is_utf8(line, len)) {
        message = "The line is not UTF-8.";
    } else {
        switch (arx_json_parse(line, len, 0, doc, root)) {
        case ARX_OK:
            return true;
        case ARX_NO_MEMORY:
            code = "no-memory";
            message = "Not enough memory.";
            break;
        default:
            break;
        }
    }
    tool_write_error(code, (const uint8_t *)message, strlen(message), out);
    return false;
}

/* ---- fragments ---- */

void tool_fragment_of(const uint8_t **text, size_t *len) {
    const uint8_t *hash = *len > 0 ? memchr(*text, '#', *len) : NULL;
    if (hash != NULL) {
        *len -= (size_t)(hash + 1 - *text);
        *text = hash + 1;
    }
    arx_text_trim(text, len);
}

bool tool_read_fragment(const char *argument, arx_buf *out, const char *command) {
    struct stat status;
    bool literal = argument != NULL && strcmp(argument, "-") != 0 &&
                   (strchr(argument, '#') != NULL || stat(argument, &status) != 0);
    arx_buf bytes;
    arx_buf_init(&bytes, 0);
    bool done = true;
    if (literal) {
        arx_buf_append_str(&bytes, argument);
    } else {
        done = tool_read(argument, &bytes, command);
    }
    if (done) {
        arx_text_from_bytes(bytes.data, bytes.len, out);
        if (arx_buf_result(&bytes) != ARX_OK || arx_buf_result(out) != ARX_OK) {
            tool_fail(command, "out of memory");
            done = false;
        }
    }
    arx_buf_free(&bytes);
    return done;
}
