/*
 * tool.h - what the commands of `arx` share: asset sets, one coder, input, output, exit codes.
 *
 * One thread. The tool does the reading, writing and exiting that the library must not do.
 */
#ifndef ARX_TOOL_H
#define ARX_TOOL_H

#include <stdio.h>

#include "arx.h"
#include "decode_sets.h"
#include "encode_request.h"
#include "encode_result.h"

#ifndef ARX_VERSION
#define ARX_VERSION "0.1.0"
#endif

enum {
    TOOL_OK = 0,
    TOOL_FAILED = 1, /* the input cannot be encoded or decoded, or a file cannot be read */
    TOOL_USAGE = 2,  /* the command line is wrong */
};

/* A command: its arguments with argv[0] its name. Returns an exit code. */
typedef int tool_command(int argc, char **argv);
tool_command tool_encode, tool_decode, tool_inspect, tool_assets;

/* ---- errors: one line on stderr, "arx encode: ...", and a pointer to --help for usage ---- */

int tool_fail(const char *command, const char *format, ...) __attribute__((format(printf, 2, 3)));
int tool_usage(const char *command, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* After getopt_long() has said what it did not like. */
int tool_usage_hint(const char *command);

/* ---- options (options.c) ---- */

/* One option of a command, and where it is put: either a text or, when it is given, true. */
typedef struct tool_option {
    const char *name;
    const char **text;
    bool *flag;
} tool_option;

typedef struct tool_set_options tool_set_options;

/*
 * Reads a command line: the command's own options, at most 28, and those of every command,
 * --assets,
 * --compat and --help, which prints `help`. Arguments are behind getopt's optind then. Returns -1
 * to go on, else the exit code. The texts are argv's.
 */
int tool_options_read(int argc, char **argv, const tool_option *own, size_t count,
                      tool_set_options *sets, const char *command, const char *help);

/* ---- asset sets (sets.c) ---- */

/* Options --assets and --compat of every command. */
struct tool_set_options {
    const char *active; /* NULL: the built-in default */
    const char **compat;
    size_t compat_count;
};

bool tool_add_compat(tool_set_options *options, const char *folder);
void tool_set_options_free(tool_set_options *options);

/* Sets in the order they are tried: active, --compat, the built-in ones. None twice. */
typedef struct tool_sets {
    arx_assets **sets;
    const char **sources; /* a folder, or "built in" */
    size_t count;
} tool_sets;

/* False after a line on stderr. Caller: tool_sets_free(). */
bool tool_sets_open(tool_sets *sets, const tool_set_options *options, const char *command);
void tool_sets_free(tool_sets *sets);
static inline const arx_assets *const *tool_sets_list(const tool_sets *sets) {
    return (const arx_assets *const *)sets->sets;
}

/* ---- primed images (images.c) ---- */

/* A batch that mixes kinds would prime a model for every line: keep the few it needs. */
typedef struct tool_images tool_images;
tool_images *tool_images_create(void);
void tool_images_free(tool_images *images);
const arx_image_source *tool_images_source(tool_images *images);

/* ---- input and output (io.c) ---- */

/* Reads a file, or stdin for "-" and NULL. False after a line on stderr. */
bool tool_read(const char *path, arx_buf *out, const char *command);

/* Writes bytes to stdout and flushes. False after a line on stderr. */
bool tool_write(const arx_buf *bytes, const char *command);

/*
 * Reads stdin line by line, hands each without its line feed to `answer`, which appends a line
 * without its own, and writes that. One line in, one line out, flushed at once. Returns an exit
 * code. On a terminal, stderr shows how far it is.
 */
typedef void tool_answer(void *arg, const uint8_t *line, size_t len, arx_buf *out);
int tool_lines(tool_answer *answer, void *arg, const char *command);

/* Appends {"ok":false,"code":...,"message":...}. */
void tool_write_error(const char *code, const uint8_t *message, size_t len, arx_buf *out);
/* Parses a line as JSON, or appends why it is none and returns false. */
bool tool_parse_line(const uint8_t *line, size_t len, arx_json_doc **doc, arx_json **root,
                     arx_buf *out);

/* Narrows a text to what stands behind its first '#', and trims white space around it. */
void tool_fragment_of(const uint8_t **text, size_t *len);
/* The argument of decode and inspect: a fragment, a URL, a file; stdin for NULL and "-". */
bool tool_read_fragment(const char *argument, arx_buf *out, const char *command);

#endif
