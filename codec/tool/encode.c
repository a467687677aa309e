/*
 * encode.c - `arx encode`: a file, an envelope or a batch of requests into links.
 *
 * The command line is turned into the body that POST /encode takes (encode_request.h), so that both
 * mean the same by the same words and refuse the same mistakes.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "filetype.h"
#include "tool.h"

static const char COMMAND[] = "arx encode";

static const char help[] =
    "usage: arx encode [OPTION]... [FILE]\n"
    "       arx encode --jsonl [--assets DIR] < REQUESTS > RESULTS\n"
    "\n"
    "Prints the fragment that holds FILE (standard input without one, or for \"-\"), or with\n"
    "--base-url the whole link.\n"
    "\n"
    "The kind follows from the file name: .csv is a table, .json a JSON document, .diff and "
    ".patch\n"
    "a patch, the endings of source files are code with its language, all else is Markdown. A "
    ".json\n"
    "file that holds an envelope (standard or packed) is taken as that envelope; --kind json "
    "makes\n"
    "it a document all the same, --kind envelope demands one whatever the name.\n"
    "\n"
    "Artifact:\n"
    "  --kind KIND           markdown, code, diff, csv, json or envelope\n"
    "  --title TEXT          its title\n"
    "  --filename NAME       its file name (default: FILE's)\n"
    "  --language NAME       language of code (default: by file name)\n"
    "Choice:\n"
    "  --codec CODEC         auto (default), plain, lz, deflate, arx, arx2, arx3, arx4 or arx5\n"
    "  --codec-priority A,B  the codecs to choose among\n"
    "  --no-packed           no short keys in plain, lz, deflate and arx\n"
    "  --no-compress         plain only, unless --codec says otherwise\n"
    "  --target N            the length aimed at; exit status is 0 whether it is met or not\n"
    "  --budget-by-transport choose what is shortest once chat has escaped it\n"
    "  --prior X             model of arx4 and arx5: m, c, j, s or n (default: by kind)\n"
    "Link:\n"
    "  --base-url URL        the viewer's address\n"
    "  --label TEXT          what the Markdown link says\n"
    "Output:\n"
    "  --json                the whole result as one JSON object\n"
    "  --jsonl               one request a line from standard input (the body of POST /encode),\n"
    "                        one result a line: {\"ok\":true,...} or "
    "{\"ok\":false,\"code\",\"message\"}\n"
    "Asset sets:\n"
    "  --assets DIR          use this set instead of the built-in one\n"
    "  --compat DIR          accepted for symmetry with decode; encoding uses one set\n"
    "  --help                this text\n";

typedef struct settings {
    tool_set_options sets;
    const char *file;
    const char *kind;
    const char *title;
    const char *filename;
    const char *language;
    const char *codec;
    const char *priority;
    const char *target;
    const char *prior;
    const char *base_url;
    const char *label;
    bool no_packed;
    bool no_compress;
    bool by_transport;
    bool json;
    bool jsonl;
} settings;

/* What encoding needs once. */
typedef struct encoder {
    const arx_assets *assets;
    arx_coder *coder;
} encoder;

/* How an encode went wrong. */
typedef struct failure {
    const char *code;
    arx_buf message;
} failure;

/* ---- one request ---- */

/* Encodes a request body and appends its result's members. False fills `why`. */
static bool answer_body(const encoder *with, arx_json_doc *doc, arx_json *body, arx_buf *members,
                        arx_buf *link_text, failure *why) {
    arx_encode_request request;
    arx_encoded encoded;
    arx_link link;
    arx_error error = {0};
    arx_request_result read = arx_encode_request_read(doc, body, &request, &why->message);
    if (read != ARX_REQUEST_OK) {
        why->code = arx_request_code(read);
        return false;
    }
    arx_code code =
        arx_encode(with->coder, with->assets, request.envelope, &request.options, &encoded, &error);
    if (code != ARX_CODE_OK) {
        why->code = arx_code_name(code);
        arx_buf_append(&why->message, error.message.data, error.message.len);
        arx_error_free(&error);
        return false;
    }
    arx_result linked =
        arx_link_create(request.envelope, &encoded, request.base_url, request.base_url_len,
                        request.label, request.label_len, &link);
    if (linked == ARX_OK) {
        const arx_encode_result result = {
            .encoded = &encoded, .link = &link, .asset_set = arx_assets_id(with->assets)};
        arx_encode_result_write(&result, members);
        if (request.base_url_len > 0) {
            arx_buf_append(link_text, link.url.data, link.url.len);
        } else {
            arx_buf_append(link_text, encoded.fragment, encoded.fragment_len);
        }
        arx_budget_warning(encoded.winner.visible_units, &why->message);
        arx_link_free(&link);
    } else {
        why->code = "no-memory";
        arx_buf_append_str(&why->message, "Not enough memory.");
    }
    arx_encoded_free(&encoded);
    return linked == ARX_OK;
}

static void answer_line(void *arg, const uint8_t *line, size_t len, arx_buf *out) {
    arx_json_doc *doc;
    arx_json *body;
    if (!tool_parse_line(line, len, &doc, &body, out)) {
        return;
    }
    failure why = {0};
    arx_buf link_text;
    arx_buf_init(&link_text, 0);
    arx_buf_append_str(out, "{\"ok\":true,");
    if (answer_body(arg, doc, body, out, &link_text, &why)) {
        arx_buf_append_byte(out, '}');
    } else {
        arx_buf_clear(out);
        tool_write_error(why.code, why.message.data, why.message.len, out);
    }
    arx_buf_free(&why.message);
    arx_buf_free(&link_text);
    arx_json_doc_free(doc);
}

/* ---- from the command line to a body ---- */

static bool set_string(arx_json_doc *doc, arx_json *object, const char *key, const char *value) {
    return value == NULL ||
           arx_json_set(object, key,
                        arx_json_new_string(doc, (const uint8_t *)value, strlen(value))) == ARX_OK;
}

static bool set_false(arx_json_doc *doc, arx_json *object, const char *key, bool wanted) {
    return !wanted || arx_json_set(object, key, arx_json_new(doc, ARX_JSON_FALSE)) == ARX_OK;
}

/* "a,b" as an array; the empty text as an empty one. */
static bool set_list(arx_json_doc *doc, arx_json *object, const char *key, const char *list) {
    if (list == NULL) {
        return true;
    }
    arx_json *array = arx_json_new(doc, ARX_JSON_ARRAY);
    while (array != NULL && *list != '\0') {
        size_t len = strcspn(list, ",");
        arx_json *item = arx_json_new_string(doc, (const uint8_t *)list, len);
        if (item == NULL) {
            return false;
        }
        arx_json_append(array, item);
        list += len;
        list += *list == ',' ? 1 : 0;
    }
    return arx_json_set(object, key, array) == ARX_OK;
}

static bool set_number(arx_json_doc *doc, arx_json *object, const char *key, const char *digits) {
    if (digits == NULL) {
        return true;
    }
    char *end;
    errno = 0;
    unsigned long long number = strtoull(digits, &end, 10);
    /* What is no number is left to the request's reader to refuse. */
    bool good = digits[0] >= '0' && digits[0] <= '9' && *end == '\0' && errno == 0;
    return arx_json_set(object, key, arx_json_new_number(doc, good ? (double)number : 0)) == ARX_OK;
}

static bool set_options(const settings *s, arx_json_doc *doc, arx_json *body) {
    return set_string(doc, body, "codec", s->codec) &&
           set_list(doc, body, "codecPriority", s->priority) &&
           set_false(doc, body, "preferPacked", s->no_packed) &&
           set_false(doc, body, "preferCompressed", s->no_compress) &&
           set_number(doc, body, "targetMaxFragmentLength", s->target) &&
           (!s->by_transport ||
            arx_json_set(body, "budgetByTransport", arx_json_new(doc, ARX_JSON_TRUE)) == ARX_OK) &&
           set_string(doc, body, "prior", s->prior) &&
           set_string(doc, body, "baseUrl", s->base_url) &&
           set_string(doc, body, "label", s->label);
}

/* Does a JSON value claim to be an envelope, standard or packed? */
static bool looks_like_envelope(const arx_json *value) {
    const arx_json *version = arx_json_get(value, "v");
    const arx_json *artifacts = arx_json_get(value, "artifacts");
    const arx_json *records = arx_json_get(value, "r");
    return arx_json_is(version, ARX_JSON_NUMBER) && version->as.number == 1 &&
           (arx_json_is(artifacts, ARX_JSON_ARRAY) || arx_json_is(records, ARX_JSON_ARRAY));
}

/* The draft that a file makes. */
static bool set_artifact(const settings *s, const arx_buf *content, const char *kind,
                         const char *filename, const char *language, arx_json_doc *doc,
                         arx_json *body) {
    arx_json *artifact = arx_json_new(doc, ARX_JSON_OBJECT);
    return artifact != NULL && set_string(doc, artifact, "kind", kind) &&
           set_string(doc, artifact, "title", s->title) &&
           set_string(doc, artifact, "filename", filename) &&
           set_string(doc, artifact, "language", language) &&
           arx_json_set(artifact, strcmp(kind, "diff") == 0 ? "patch" : "content",
                        arx_json_new_string(doc, content->data, content->len)) == ARX_OK &&
           arx_json_set(body, "artifact", artifact) == ARX_OK;
}

/* What FILE turned out to be. */
typedef struct reading {
    arx_json_doc *doc; /* holds the body; of the file's JSON when it is an envelope */
    arx_json *body;
} reading;

/* Makes the body for a file's content; returns an exit code. */
static int make_body(const settings *s, const arx_buf *content, reading *made) {
    const uint8_t *name = (const uint8_t *)(s->filename != NULL ? s->filename : s->file);
    size_t name_len = name != NULL ? strlen((const char *)name) : 0;
    arx_filetype type = {ARX_KIND_MARKDOWN, NULL};
    if (name != NULL) {
        arx_file_basename(&name, &name_len);
        arx_filetype_of(name, name_len, &type);
    }
    const char *filename = (const char *)name; /* the end of a path, so NUL-terminated */
    const char *kind = s->kind != NULL ? s->kind : arx_kind_name(type.kind);
    bool demanded = strcmp(kind, "envelope") == 0;
    arx_json *envelope = NULL;

    if (demanded || (s->kind == NULL && type.kind == ARX_KIND_JSON)) {
        arx_result rc = arx_json_parse(content->data, content->len, 0, &made->doc, &envelope);
        if (rc == ARX_NO_MEMORY) {
            return tool_fail(COMMAND, "out of memory");
        }
        if (rc != ARX_OK && demanded) {
            return tool_fail(COMMAND, "invalid-envelope: the input is not a JSON text");
        }
        if (!demanded && !looks_like_envelope(envelope)) {
            arx_json_doc_free(made->doc);
            made->doc = NULL;
            envelope = NULL;
        }
    }
    if (envelope != NULL && (s->title != NULL || s->filename != NULL || s->language != NULL)) {
        return tool_usage(COMMAND, "the input is an envelope: --title, --filename and --language "
                                   "are for a single artifact (--kind json makes it one)");
    }
    if (made->doc == NULL) {
        made->doc = arx_json_doc_create();
    }
    made->body = made->doc != NULL ? arx_json_new(made->doc, ARX_JSON_OBJECT) : NULL;
    const char *language = s->language != NULL ? s->language : type.language;
    if (made->body == NULL || !set_options(s, made->doc, made->body) ||
        (envelope != NULL
             ? arx_json_set(made->body, "envelope", arx_json_alias(made->doc, envelope)) != ARX_OK
             : !set_artifact(s, content, kind, filename, language, made->doc, made->body))) {
        return tool_fail(COMMAND, "out of memory");
    }
    return TOOL_OK;
}

static int encode_file(const settings *s, const encoder *with) {
    reading made = {0};
    failure why = {0};
    arx_buf content;
    arx_buf members;
    arx_buf out;
    arx_buf_init(&content, 0);
    arx_buf_init(&members, 0);
    arx_buf_init(&out, 0);
    int status = tool_read(s->file, &content, COMMAND) ? TOOL_OK : TOOL_FAILED;
    if (status == TOOL_OK && !arx_text_is_utf8(content.data, content.len)) {
        status = tool_fail(COMMAND, "%s is not UTF-8 text",
                           s->file != NULL ? s->file : "standard input");
    }
    if (status == TOOL_OK) {
        status = make_body(s, &content, &made);
    }
    if (status != TOOL_OK) {
        goto out;
    }
    bool done = answer_body(with, made.doc, made.body, &members, &out, &why);
    if (why.message.len > 0) { /* what is wrong, or that the link is long */
        fprintf(stderr, "%s: %s%s%.*s\n", COMMAND, done ? "" : why.code, done ? "" : ": ",
                (int)why.message.len, (const char *)why.message.data);
    }
    if (!done) {
        bool usage = strcmp(why.code, "invalid-request") == 0;
        status = usage ? tool_usage_hint(COMMAND) : TOOL_FAILED;
        goto out;
    }
    if (s->json) {
        arx_buf_clear(&out);
        arx_buf_append_byte(&out, '{');
        arx_buf_append(&out, members.data, members.len);
        arx_buf_append_byte(&out, '}');
    }
    arx_buf_append_byte(&out, '\n');
    status = tool_write(&out, COMMAND) ? TOOL_OK : TOOL_FAILED;
out:
    arx_json_doc_free(made.doc);
    arx_buf_free(&why.message);
    arx_buf_free(&content);
    arx_buf_free(&members);
    arx_buf_free(&out);
    return status;
}

/* ---- the command ---- */

/* Reads the command line; -1 to go on, else the exit code. */
static int read_settings(int argc, char **argv, settings *s) {
    const tool_option options[] = {
        {"kind", .text = &s->kind},           {"title", .text = &s->title},
        {"filename", .text = &s->filename},   {"language", .text = &s->language},
        {"codec", .text = &s->codec},         {"codec-priority", .text = &s->priority},
        {"no-packed", .flag = &s->no_packed}, {"no-compress", .flag = &s->no_compress},
        {"target", .text = &s->target},       {"budget-by-transport", .flag = &s->by_transport},
        {"prior", .text = &s->prior},         {"base-url", .text = &s->base_url},
        {"label", .text = &s->label},         {"json", .flag = &s->json},
        {"jsonl", .flag = &s->jsonl},
    };
    int status = tool_options_read(argc, argv, options, sizeof options / sizeof options[0],
                                   &s->sets, COMMAND, help);
    if (status >= 0) {
        return status;
    }
    if (argc - optind > 1) {
        return tool_usage(COMMAND, "one FILE at a time, and there are %d", argc - optind);
    }
    s->file = optind < argc ? argv[optind] : NULL;
    if (s->file != NULL && strcmp(s->file, "-") == 0) {
        s->file = NULL;
    }
    if (s->jsonl && s->file != NULL) {
        return tool_usage(COMMAND, "--jsonl reads standard input, not \"%s\"", s->file);
    }
    return -1;
}

/* Command-line texts go into JSON, which must be well-formed text. */
static bool texts_are_utf8(const settings *s) {
    const char *texts[] = {s->kind,     s->title, s->filename, s->language, s->codec,
                           s->priority, s->prior, s->base_url, s->label,    s->file};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        if (texts[i] != NULL && !arx_text_is_utf8((const uint8_t *)texts[i], strlen(texts[i]))) {
            return false;
        }
    }
    return true;
}

int tool_encode(int argc, char **argv) {
    settings s = {0};
    tool_sets sets = {0};
    tool_images *images = NULL;
    encoder with = {0};
    int status = read_settings(argc, argv, &s);
    if (status >= 0) {
        goto out;
    }
    if (!texts_are_utf8(&s)) {
        status = tool_usage(COMMAND, "the options and the file name must be UTF-8");
        goto out;
    }
    status = TOOL_FAILED;
    if (!tool_sets_open(&sets, &s.sets, COMMAND)) {
        goto out;
    }
    images = tool_images_create();
    with.assets = sets.sets[0];
    with.coder =
        images != NULL ? arx_coder_create(&arx_entropy_native, tool_images_source(images)) : NULL;
    if (with.coder == NULL) {
        tool_fail(COMMAND, "out of memory");
        goto out;
    }
    status = s.jsonl ? tool_lines(answer_line, &with, COMMAND) : encode_file(&s, &with);
out:
    arx_coder_free(with.coder);
    tool_images_free(images);
    tool_sets_free(&sets);
    tool_set_options_free(&s.sets);
    return status;
}
