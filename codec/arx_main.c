/*
 * arx_main.c - arx: artifact bundles as URL fragments, offline.
 *
 * Finds the command; each lives in a file of its own under tool/.
 */
#include <stdio.h>
#include <string.h>

#include "tool/tool.h"

static const struct {
    const char *name;
    const char *full_name; /* what getopt_long() calls it in its messages */
    tool_command *run;
} commands[] = {
    {"encode", "arx encode", tool_encode},
    {"decode", "arx decode", tool_decode},
    {"inspect", "arx inspect", tool_inspect},
    {"assets", "arx assets", tool_assets},
};

static const char help[] =
    "usage: arx COMMAND [OPTION]... [ARGUMENT]\n"
    "\n"
    "Puts an artifact (a report, a source file, a patch, a table, a JSON document) into a link,\n"
    "and takes it out again. Works offline; nothing leaves this machine.\n"
    "\n"
    "  encode [FILE]           print the link of a file\n"
    "  decode [FRAGMENT|FILE]  print the artifact a link holds\n"
    "  inspect [FRAGMENT|FILE] say how a link is made and what it costs in chat\n"
    "  assets                  list the asset sets at hand\n"
    "\n"
    "  --help                  this text; arx COMMAND --help for one command\n"
    "  --version               the version\n"
    "\n"
    "Exit status: 0; 1 for input that cannot be encoded or decoded; 2 for a wrong command line.\n";

int main(int argc, char **argv) {
    if (argc < 2) {
        fputs(help, stderr);
        return TOOL_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        fputs(help, stdout);
        return TOOL_OK;
    }
    if (strcmp(argv[1], "--version") == 0) {
        puts("arx " ARX_VERSION);
        return TOOL_OK;
    }
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
        if (strcmp(argv[1], commands[i].name) == 0) {
            argv[1] = (char *)commands[i].full_name;
            return commands[i].run(argc - 1, argv + 1);
        }
    }
    return tool_usage("arx", "\"%s\" is no command; there are encode, decode, inspect and assets",
                      argv[1]);
}
