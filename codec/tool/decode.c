/* decode.c - `arx decode`: a fragment, a link or a batch of fragments back into artifacts. */
#include <string.h>
#include <unistd.h>

#include "tool.h"

static const char COMMAND[] = "arx decode";

static const char help[] =
    "usage: arx decode [OPTION]... [FRAGMENT|FILE]\n"
    "       arx decode --jsonl [--assets DIR] [--compat DIR]... < REQUESTS > RESULTS\n"
    "\n"
    "Prints the body of the artifact that a fragment shows first. The argument is a fragment, a\n"
    "whole link (what stands behind its # counts) or a file with either; without one, or for "
    "\"-\",\n"
    "standard input is read.\n"
    "\n"
    "  --artifact ID  print this artifact of the bundle\n"
    "  --json         print the envelope and how it was carried, as one JSON object\n"
    "  --jsonl        one {\"fragment\":...,\"skipFragmentBudget\":bool} a line from standard "
    "input,\n"
    "                 one result a line: {\"ok\":true,\"envelope\",\"codec\",\"assetSet\",\n"
    "                 \"visibleLength\",\"decodedLength\",\"warnings\"} or\n"
    "                 {\"ok\":false,\"code\",\"message\"}\n"
    "  --skip-budget  read fragments of more than 8,192 characters, too\n"
    "  --assets DIR   try this set first, instead of the built-in one\n"
    "  --compat DIR   then this one (may be repeated); the built-in sets are tried last\n"
    "  --help         this text\n";

typedef struct settings {
    tool_set_options sets;
    const char *argument;
    const char *artifact;
    bool json;
    bool jsonl;
    bool skip_budget;
} settings;

typedef struct decoder {
    const tool_sets *sets;
    arx_coder *coder;
    bool skip_budget;
} decoder;

/* ---- batches ---- */

static void answer_line(void *arg, const uint8_t *line, size_t len, arx_buf *out) {
    const decoder *with = arg;
    arx_json_doc *doc;
    arx_json *request;
    const char *wrong = NULL;
    if (!tool_parse_line(line, len, &doc, &request, out)) {
        return;
    }
    const arx_json *fragment = arx_json_get_string(request, "fragment");
    const arx_json *skip = arx_json_get(request, "skipFragmentBudget");
    if (!arx_json_is(request, ARX_JSON_OBJECT)) {
        wrong = "The line must be a JSON object with a \"fragment\".";
    } else if (fragment == NULL) {
        wrong = "\"fragment\" must be given, a string.";
    } else if (skip != NULL && skip->type != ARX_JSON_NULL && skip->type != ARX_JSON_TRUE &&
               skip->type != ARX_JSON_FALSE) {
        wrong = "\"skipFragmentBudget\" must be true or false.";
    }
    if (wrong != NULL) {
        tool_write_error("invalid-request", (const uint8_t *)wrong, strlen(wrong), out);
        arx_json_doc_free(doc);
        return;
    }
    arx_decoded decoded;
    arx_error error;
    size_t used;
    bool skip_budget = with->skip_budget || arx_json_is(skip, ARX_JSON_TRUE);
    arx_code code = arx_decode_sets(with->coder, tool_sets_list(with->sets), with->sets->count,
                                    fragment->as.string.data, fragment->as.string.len, skip_budget,
                                    &used, &decoded, &error);
    if (code == ARX_CODE_OK) {
        arx_buf_append_str(out, "{\"ok\":true,");
        arx_decode_result_write(&decoded, tool_sets_list(with->sets), with->sets->count, used, out);
        arx_buf_append_byte(out, '}');
        arx_decoded_free(&decoded);
    } else {
        tool_write_error(arx_code_name(code), error.message.data, error.message.len, out);
        arx_error_free(&error);
    }
    arx_json_doc_free(doc);
}

/* ---- one fragment ---- */

static void list_ids(const arx_json *envelope, arx_buf *out) {
    const arx_json *artifacts = arx_json_get(envelope, "artifacts");
    const char *separator = "";
    for (const arx_json *a = artifacts->as.list.first; a != NULL; a = a->next) {
        const arx_json *id = arx_json_get_string(a, "id");
        arx_buf_append_str(out, separator);
        arx_json_write_string(id->as.string.data, id->as.string.len, out);
        separator = ", ";
    }
}

/* Appends the body that was asked for. False after a line on stderr. */
static bool write_body(const settings *s, const arx_decoded *decoded, arx_buf *out) {
    const char *id = s->artifact;
    const arx_json *artifact =
        id == NULL ? arx_envelope_active(decoded->envelope)
                   : arx_envelope_find(decoded->envelope, (const uint8_t *)id, strlen(id));
    if (artifact == NULL) {
        arx_buf ids;
        arx_buf_init(&ids, 0);
        list_ids(decoded->envelope, &ids);
        tool_fail(COMMAND, "there is no artifact \"%s\"; there are %.*s", id, (int)ids.len,
                  (const char *)ids.data);
        arx_buf_free(&ids);
        return false;
    }
    arx_artifact_body(artifact, out);
    size_t mended = arx_text_mend_surrogates(out->data, out->len);
    if (mended > 0) {
        fprintf(stderr,
                "%s: %zu halves of broken characters were written as U+FFFD; --json keeps "
                "them\n",
                COMMAND, mended);
    }
    return true;
}

static int decode_one(const settings *s, const decoder *with) {
    int status = TOOL_FAILED;
    arx_decoded decoded;
    arx_error error;
    size_t used;
    arx_buf text;
    arx_buf out;
    arx_buf_init(&text, 0);
    arx_buf_init(&out, 0);
    if (!tool_read_fragment(s->argument, &text, COMMAND)) {
        goto out;
    }
    const uint8_t *fragment = text.data;
    size_t len = text.len;
    tool_fragment_of(&fragment, &len);
    arx_code code = arx_decode_sets(with->coder, tool_sets_list(with->sets), with->sets->count,
                                    fragment, len, s->skip_budget, &used, &decoded, &error);
    if (code != ARX_CODE_OK) {
        tool_fail(COMMAND, "%s: %.*s%s", arx_code_name(code), (int)error.message.len,
                  (const char *)error.message.data,
                  code == ARX_CODE_TOO_LARGE ? " (--skip-budget reads it all the same)" : "");
        arx_error_free(&error);
        goto out;
    }
    bool done = true;
    if (s->json) {
        arx_buf_append_byte(&out, '{');
        arx_decode_result_write(&decoded, tool_sets_list(with->sets), with->sets->count, used,
                                &out);
        arx_buf_append_str(&out, "}\n");
    } else {
        done = write_body(s, &decoded, &out);
    }
    arx_decoded_free(&decoded);
    status = done && tool_write(&out, COMMAND) ? TOOL_OK : TOOL_FAILED;
out:
    arx_buf_free(&text);
    arx_buf_free(&out);
    return status;
}

/* ---- the command ---- */

static int read_settings(int argc, char **argv, settings *s) {
    const tool_option options[] = {
        {"artifact", .text = &s->artifact},
        {"json", .flag = &s->json},
        {"jsonl", .flag = &s->jsonl},
        {"skip-budget", .flag = &s->skip_budget},
    };
    int status = tool_options_read(argc, argv, options, sizeof options / sizeof options[0],
                                   &s->sets, COMMAND, help);
    if (status >= 0) {
        return status;
    }
    if (argc - optind > 1) {
        return tool_usage(COMMAND, "one fragment at a time, and there are %d", argc - optind);
    }
    s->argument = optind < argc ? argv[optind] : NULL;
    if (s->jsonl && (s->argument != NULL || s->artifact != NULL || s->json)) {
        return tool_usage(COMMAND, "--jsonl reads standard input and takes neither an argument nor "
                                   "--artifact or --json");
    }
    if (s->json && s->artifact != NULL) {
        return tool_usage(COMMAND, "--json prints the whole envelope: leave out --artifact");
    }
    return -1;
}

int tool_decode(int argc, char **argv) {
    settings s = {0};
    tool_sets sets = {0};
    tool_images *images = NULL;
    decoder with = {0};
    int status = read_settings(argc, argv, &s);
    if (status >= 0) {
        goto out;
    }
    status = TOOL_FAILED;
    if (!tool_sets_open(&sets, &s.sets, COMMAND)) {
        goto out;
    }
    images = tool_images_create();
    with = (decoder){.sets = &sets, .skip_budget = s.skip_budget};
    with.coder =
        images != NULL ? arx_coder_create(&arx_entropy_native, tool_images_source(images)) : NULL;
    if (with.coder == NULL) {
        tool_fail(COMMAND, "out of memory");
        goto out;
    }
    status = s.jsonl ? tool_lines(answer_line, &with, COMMAND) : decode_one(&s, &with);
out:
    arx_coder_free(with.coder);
    tool_images_free(images);
    tool_sets_free(&sets);
    tool_set_options_free(&s.sets);
    return status;
}
