/*
 * commands.h - what arxd does instead of serving: `arxd token`, `delete`, `backup`, `restore`,
 * `copy`, `check` and `stats`. Each runs in a process of its own, mostly beside a daemon.
 */
#ifndef ARXD_COMMANDS_H
#define ARXD_COMMANDS_H

#include "config.h"
#include "store.h"

enum {
    COMMAND_DONE = 0,
    COMMAND_NOT_DONE = 1, /* it came to nothing, or found what should not be */
    COMMAND_WRONG = 2,    /* it was not said rightly */
};

/* Runs the command and answers the process's exit code; anything but 0 may come with a line in
 * `why`.
 */
int command_run(config_action action, const server_config *config, char *why, size_t why_size);

/* How the configuration would have the database opened. */
store_options command_store(const server_config *config);

#endif
