/* inspect.c - `arx inspect`: how a link is made, and what it costs where links are pasted. */
#include <string.h>
#include <unistd.h>

#include "inspect_result.h"
#include "tool.h"

static const char COMMAND[] = "arx inspect";

static const char help[] =
    "usage: arx inspect [OPTION]... [FRAGMENT|FILE]\n"
    "\n"
    "Says how a fragment is made: codec, wire, prior, sizes, what it costs in chat and whether "
    "the\n"
    "Markdown link fits a Discord message. The argument is read as by `arx decode`; the address "
    "in\n"
    "front of a # counts towards the Markdown link.\n"
    "\n"
    "  --base-url URL the viewer's address, for a bare fragment\n"
    "  --json         the same as one JSON object\n"
    "  --assets DIR   try this set first, instead of the built-in one\n"
    "  --compat DIR   then this one (may be repeated); the built-in sets are tried last\n"
    "  --help         this text\n";

typedef struct settings {
    tool_set_options sets;
    const char *argument;
    const char *base_url;
    bool json;
} settings;

static bool has_wire(const arx_inspection *f) {
    return f->decoded->codec >= ARX_CODEC_ARX;
}

static bool has_packing(const arx_inspection *f) {
    return f->decoded->codec <= ARX_CODEC_ARX;
}

/* ---- as text ---- */

static void print_artifacts(const arx_decoded *decoded) {
    const arx_json *active = arx_envelope_active(decoded->envelope);
    const arx_json *artifacts = arx_json_get(decoded->envelope, "artifacts");
    arx_buf body;
    arx_buf_init(&body, 0);
    printf("artifacts       %zu\n", artifacts->as.list.count);
    for (const arx_json *a = artifacts->as.list.first; a != NULL; a = a->next) {
        const arx_json *id = arx_json_get_string(a, "id");
        arx_buf_clear(&body);
        arx_artifact_body(a, &body);
        /* As a JSON text: ids are the sender's, and must not play with the terminal. */
        size_t units = arx_text_units(body.data, body.len);
        arx_buf_clear(&body);
        arx_json_write_string(id->as.string.data, id->as.string.len, &body);
        printf("  %c %-10s %7zu units  %.*s\n", a == active ? '*' : ' ',
               arx_kind_name(arx_artifact_kind(a)), units, (int)body.len, (const char *)body.data);
    }
    arx_buf_free(&body);
}

static void print_text(const arx_inspection *f) {
    const arx_decoded *decoded = f->decoded;
    printf("codec           %s%s\n", arx_codec_name(decoded->codec),
           f->legacy ? " (legacy form)" : "");
    printf("wire            %s\n", has_wire(f) ? arx_wire_name(decoded->wire) : "none");
    if (decoded->prior != '\0') {
        printf("prior           %c\n", decoded->prior);
    }
    if (has_packing(f)) {
        printf("packed          %s\n", decoded->packed ? "yes" : "no");
    }
    printf("asset set       %s\n", f->asset_set);
    printf("visible length  %zu of %u%s\n", decoded->visible_units, ARX_FRAGMENT_BUDGET_UNITS,
           decoded->visible_units > ARX_FRAGMENT_BUDGET_UNITS ? ": too long for the viewer" : "");
    printf("in chat         %zu characters once escaped\n", f->transport_units);
    if (decoded->coded_bytes > 0) {
        printf("coded           %zu bytes\n", decoded->coded_bytes);
    }
    printf("decoded         %zu of %u units\n", decoded->decoded_units, ARX_DECODED_MAX_UNITS);
    printf("markdown link   %zu of %u: %s\n", f->markdown_units, ARX_DISCORD_MAX_UNITS,
           f->markdown_units > ARX_DISCORD_MAX_UNITS ? "too long for a Discord message"
                                                     : "fits a Discord message");
    print_artifacts(decoded);
}

/* ---- as JSON ---- */

static void write_json(const arx_inspection *f, arx_buf *out) {
    arx_buf_append_byte(out, '{');
    arx_inspection_write(f, out);
    arx_buf_append_str(out, "}\n");
}

/* ---- the command ---- */

/* Length of the Markdown link the fragment would have; 0 and a line on stderr on failure. */
static size_t measure_link(const arx_decoded *decoded, const uint8_t *base, size_t base_len,
                           const uint8_t *fragment, size_t len) {
    const arx_encoded encoded = {.fragment = (uint8_t *)fragment, .fragment_len = len};
    arx_link link;
    arx_result rc = arx_link_create(decoded->envelope, &encoded, base, base_len, NULL, 0, &link);
    if (rc == ARX_MALFORMED) {
        tool_fail(COMMAND, "\"%.*s\" is no absolute URL, such as https://example.org/",
                  (int)base_len, (const char *)base);
        return 0;
    }
    if (rc != ARX_OK) {
        tool_fail(COMMAND, "out of memory");
        return 0;
    }
    size_t units = link.markdown_link_units;
    arx_link_free(&link);
    return units;
}

static int inspect(const settings *s, const tool_sets *sets, arx_coder *coder) {
    int status = TOOL_FAILED;
    arx_decoded decoded;
    arx_error error;
    arx_fragment_head head = {0};
    arx_inspection f;
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
    const uint8_t *base = text.data;
    size_t base_len = len < text.len && fragment > base && fragment[-1] == '#'
                          ? (size_t)(fragment - 1 - base)
                          : 0;
    arx_text_trim(&base, &base_len);
    if (s->base_url != NULL) {
        base = (const uint8_t *)s->base_url;
        base_len = strlen(s->base_url);
    }

    arx_code code = arx_decode_sets(coder, tool_sets_list(sets), sets->count, fragment, len, true,
                                    &used, &decoded, &error);
    if (code != ARX_CODE_OK) {
        tool_fail(COMMAND, "%s: %.*s", arx_code_name(code), (int)error.message.len,
                  (const char *)error.message.data);
        arx_error_free(&error);
        goto out;
    }
    if (arx_fragment_head_parse(fragment, len, true, &head, &error) != ARX_CODE_OK) {
        arx_error_free(&error); /* it was parsed a moment ago */
    }
    f = (arx_inspection){
        .decoded = &decoded,
        .asset_set = arx_assets_id(sets->sets[used]),
        .legacy = head.legacy,
        .transport_units = arx_text_transport(fragment, len),
        .markdown_units = measure_link(&decoded, base, base_len, fragment, len),
    };
    if (f.markdown_units > 0 && s->json) {
        write_json(&f, &out);
        status = tool_write(&out, COMMAND) ? TOOL_OK : TOOL_FAILED;
    } else if (f.markdown_units > 0) {
        print_text(&f);
        status = fflush(stdout) == 0 ? TOOL_OK : tool_fail(COMMAND, "cannot write");
    }
    if (status == TOOL_OK && sets->count > 1 && arx_codec_needs_right_set(decoded.codec)) {
        arx_buf_clear(&out);
        arx_set_warning(tool_sets_list(sets), sets->count, used, &out);
        fprintf(stderr, "%s: %.*s\n", COMMAND, (int)out.len, (const char *)out.data);
    }
    arx_decoded_free(&decoded);
out:
    arx_buf_free(&text);
    arx_buf_free(&out);
    return status;
}

static int read_settings(int argc, char **argv, settings *s) {
    const tool_option options[] = {
        {"base-url", .text = &s->base_url},
        {"json", .flag = &s->json},
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
    return -1;
}

int tool_inspect(int argc, char **argv) {
    settings s = {0};
    tool_sets sets = {0};
    arx_coder *coder = NULL;
    int status = read_settings(argc, argv, &s);
    if (status >= 0) {
        goto out;
    }
    status = TOOL_FAILED;
    if (!tool_sets_open(&sets, &s.sets, COMMAND)) {
        goto out;
    }
    coder = arx_coder_create(&arx_entropy_native, NULL);
    if (coder == NULL) {
        tool_fail(COMMAND, "out of memory");
        goto out;
    }
    status = inspect(&s, &sets, coder);
out:
    arx_coder_free(coder);
    tool_sets_free(&sets);
    tool_set_options_free(&s.sets);
    return status;
}
