/* options.c - the command line of a command; see tool.h. */
#include <getopt.h>
#include <stdlib.h>

#include "tool.h"

enum { MOST_OPTIONS = 32, OPT_ASSETS = 256, OPT_COMPAT, OPT_HELP, OPT_OWN };

int tool_options_read(int argc, char **argv, const tool_option *own, size_t count,
                      tool_set_options *sets, const char *command, const char *help) {
    struct option options[MOST_OPTIONS] = {
        {"assets", required_argument, NULL, OPT_ASSETS},
        {"compat", required_argument, NULL, OPT_COMPAT},
        {"help", no_argument, NULL, OPT_HELP},
    };
    if (count > MOST_OPTIONS - 4) { /* the last row is the end */
        abort();
    }
    for (size_t i = 0; i < count; i++) {
        options[3 + i] =
            (struct option){own[i].name, own[i].text != NULL ? required_argument : no_argument,
                            NULL, OPT_OWN + (int)i};
    }
    int option;
    while ((option = getopt_long(argc, argv, "h", options, NULL)) != -1) {
        switch (option) {
        case OPT_ASSETS:
            sets->active = optarg;
            break;
        case OPT_COMPAT:
            if (!tool_add_compat(sets, optarg)) {
                return tool_fail(command, "out of memory");
            }
            break;
        case OPT_HELP:
        case 'h':
            fputs(help, stdout);
            return TOOL_OK;
        case '?':
            return tool_usage_hint(command);
        default:
            if (own[option - OPT_OWN].text != NULL) {
                *own[option - OPT_OWN].text = optarg;
            } else {
                *own[option - OPT_OWN].flag = true;
            }
        }
    }
    return -1;
}
