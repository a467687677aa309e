/* commands.c - see commands.h. Main thread; there is no other. */
#include "commands.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "asset_sets.h"
#include "check.h"
#include "copying.h"
#include "ids.h"
#include "store_admin.h"
#include "tokens.h"

/* A wait of a write for another process's lock may not outlast what a client will wait. */
#define STORE_BUSY_MS 5000

store_options command_store(const server_config *config) {
    return (store_options){
        .path = config->db,
        .busy_timeout_ms = STORE_BUSY_MS,
        .gone = config->gone,
        .quota_rows = config->quota.rows,
        .quota_bytes = config->quota.bytes,
    };
}

static int make_token(const server_config *config, char *why, size_t why_size) {
    const char *const *operands = config->operands;
    return tokens_make(operands[0], operands[1], operands[2], stdout, why, why_size)
               ? COMMAND_DONE
               : COMMAND_WRONG;
}

static int delete_link(const server_config *config, char *why, size_t why_size) {
    uint8_t id[ID_BYTES];
    if (!id_parse(config->operands[0], id)) {
        (void)snprintf(why, why_size, "delete: \"%.200s\" is not the id of a link",
                       config->operands[0]);
        return COMMAND_WRONG;
    }
    const store_options stored = command_store(config);
    switch (store_remove(&stored, id, why, why_size)) {
    case STORE_OK:
        return COMMAND_DONE;
    case STORE_NOT_FOUND:
    case STORE_GONE:
        (void)snprintf(why, why_size, "delete: there is no link %s in %s", config->operands[0],
                       config_db_name(config));
        return COMMAND_NOT_DONE;
    default:
        return COMMAND_NOT_DONE;
    }
}

static int backup(const server_config *config, char *why, size_t why_size) {
    const store_options stored = command_store(config);
    return store_backup(&stored, config->operands[0], NULL, NULL, why, why_size) == STORE_OK
               ? COMMAND_DONE
               : COMMAND_NOT_DONE;
}

static int restore(const server_config *config, char *why, size_t why_size) {
    const store_options stored = command_store(config);
    char kept[4096];
    if (store_restore(&stored, config->operands[0], kept, sizeof kept, why, why_size) != STORE_OK) {
        return COMMAND_NOT_DONE;
    }
    if (kept[0] != '\0') {
        (void)printf("what was there is kept as %s\n", kept);
    }
    return COMMAND_DONE;
}

static int copy(const server_config *config, char *why, size_t why_size) {
    store_options from = command_store(config);
    store_options to = from;
    from.path = config->operands[0];
    to.path = config->operands[1];
    FILE *terminal = isatty(STDERR_FILENO) == 1 ? stderr : NULL;
    return copy_database(&from, &to, stdout, terminal, why, why_size) == COPY_SAME
               ? COMMAND_DONE
               : COMMAND_NOT_DONE;
}

static int check(const server_config *config, char *why, size_t why_size) {
    const store_options stored = command_store(config);
    asset_sets *sets =
        asset_sets_open(config->assets, config->compat, config->compat_count, why, why_size);
    check_counts counts = {0};
    int status = COMMAND_NOT_DONE;
    if (sets != NULL && check_database(&stored, sets, stdout, &counts, why, why_size)) {
        status = counts.problems == 0 && counts.orphaned == 0 ? COMMAND_DONE : COMMAND_NOT_DONE;
    }
    asset_sets_free(sets);
    return status;
}

static void print_number(void *opaque, const char *name, uint64_t number) {
    (void)fprintf(opaque, "%s %llu\n", name, (unsigned long long)number);
}

static int stats(const server_config *config, char *why, size_t why_size) {
    const store_options stored = command_store(config);
    return store_count(&stored, print_number, stdout, why, why_size) == STORE_OK ? COMMAND_DONE
                                                                                 : COMMAND_NOT_DONE;
}

int command_run(config_action action, const server_config *config, char *why, size_t why_size) {
    static const struct {
        config_action action;
        int (*run)(const server_config *config, char *why, size_t why_size);
    } commands[] = {
        {CONFIG_TOKEN, make_token}, {CONFIG_DELETE, delete_link}, {CONFIG_BACKUP, backup},
        {CONFIG_RESTORE, restore},  {CONFIG_COPY, copy},          {CONFIG_CHECK, check},
        {CONFIG_STATS, stats},
    };
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
        if (commands[i].action == action) {
            return commands[i].run(config, why, why_size);
        }
    }
    return COMMAND_WRONG;
}
