/* assets.c - `arx assets`: which asset sets are at hand. */
#include <string.h>
#include <unistd.h>

#include "tool.h"

static const char COMMAND[] = "arx assets";

static const char help[] = "usage: arx assets [OPTION]...\n"
                           "\n"
                           "Lists the asset sets that encode and decode would use, in the order "
                           "they are tried; the first\n"
                           "is the active one.\n"
                           "\n"
                           "  --json        the same as one JSON object\n"
                           "  --assets DIR  a set to use instead of the built-in one\n"
                           "  --compat DIR  a set to try after it (may be repeated)\n"
                           "  --help        this text\n";

typedef struct settings {
    tool_set_options sets;
    bool json;
} settings;

static void print_text(const tool_sets *sets) {
    for (size_t i = 0; i < sets->count; i++) {
        const arx_assets *set = sets->sets[i];
        const arx_dictionary *base = arx_assets_base(set);
        const arx_dictionary *overlay = arx_assets_overlay(set);
        printf("%s  %s  dictionary v%g, %zu slots; overlay v%g, %zu slots; priors %s; %s\n",
               arx_assets_id(set), i == 0 ? "active" : "compat", arx_dictionary_version(base),
               arx_dictionary_slots(base), arx_dictionary_version(overlay),
               arx_dictionary_slots(overlay), arx_assets_has_priors(set) ? ARX_PRIOR_IDS : "s n",
               sets->sources[i]);
    }
}

static void write_dictionary(const char *name, const arx_dictionary *dictionary, arx_buf *out) {
    arx_buf_append_str(out, ",\"");
    arx_buf_append_str(out, name);
    arx_buf_append_str(out, "\":{\"version\":");
    arx_json_write_number(arx_dictionary_version(dictionary), out);
    arx_buf_append_str(out, ",\"slots\":");
    arx_buf_append_u64(out, arx_dictionary_slots(dictionary));
    arx_buf_append_byte(out, '}');
}

static void write_json(const tool_sets *sets, arx_buf *out) {
    arx_buf_append_str(out, "{\"active\":\"");
    arx_buf_append_str(out, arx_assets_id(sets->sets[0]));
    arx_buf_append_str(out, "\",\"sets\":[");
    for (size_t i = 0; i < sets->count; i++) {
        const arx_assets *set = sets->sets[i];
        const char *source = sets->sources[i];
        arx_buf_append_str(out, i == 0 ? "{\"id\":\"" : ",{\"id\":\"");
        arx_buf_append_str(out, arx_assets_id(set));
        arx_buf_append_str(out, "\",\"source\":");
        arx_json_write_string((const uint8_t *)source, strlen(source), out);
        write_dictionary("dictionary", arx_assets_base(set), out);
        write_dictionary("overlay", arx_assets_overlay(set), out);
        arx_buf_append_str(out, ",\"priors\":");
        arx_buf_append_str(out, arx_assets_has_priors(set) ? "true" : "false");
        arx_buf_append_byte(out, '}');
    }
    arx_buf_append_str(out, "]}\n");
}

static int read_settings(int argc, char **argv, settings *s) {
    const tool_option options[] = {
        {"json", .flag = &s->json},
    };
    int status = tool_options_read(argc, argv, options, sizeof options / sizeof options[0],
                                   &s->sets, COMMAND, help);
    if (status >= 0) {
        return status;
    }
    if (optind < argc) {
        return tool_usage(COMMAND, "takes no argument, and there is \"%s\"", argv[optind]);
    }
    return -1;
}

int tool_assets(int argc, char **argv) {
    settings s = {0};
    tool_sets sets = {0};
    arx_buf out;
    arx_buf_init(&out, 0);
    int status = read_settings(argc, argv, &s);
    if (status >= 0) {
        goto out;
    }
    status = TOOL_FAILED;
    if (!tool_sets_open(&sets, &s.sets, COMMAND)) {
        goto out;
    }
    if (s.json) {
        write_json(&sets, &out);
        status = tool_write(&out, COMMAND) ? TOOL_OK : TOOL_FAILED;
    } else {
        print_text(&sets);
        status = fflush(stdout) == 0 ? TOOL_OK : tool_fail(COMMAND, "cannot write");
    }
out:
    tool_sets_free(&sets);
    tool_set_options_free(&s.sets);
    arx_buf_free(&out);
    return status;
}
