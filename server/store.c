/* store.c - the part of the store that is the same for every database; see store.h. */
#include "clock.h"
#include "log.h"
#include "store_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Which engine serves a path: the first row whose prefix it starts with. */
static const struct {
    const char *prefix;
    const store_engine *engine;
} ENGINES[] = {
    {"postgresql://", &store_engine_postgres},
    {"postgres://", &store_engine_postgres},
    {"", &store_engine_sqlite},
};

static void report_to_log(const char *line) {
    log_write(LOG_ERROR, "%s", line);
}

static void note_to_log(const char *line) {
    log_write(LOG_WARN, "%s", line);
}

const store_engine *store_complete(store_options *options, char *why, size_t why_size) {
    if (options->path == NULL || options->path[0] == '\0') {
        snprintf(why, why_size, "the database path is empty: name a file with --db or DB_PATH");
        return NULL;
    }
    if (options->queue == 0) {
        options->queue = 1024;
    }
    if (options->busy_timeout_ms == 0) {
        options->busy_timeout_ms = 5000;
    }
    if (options->log_limit_bytes == 0) {
        options->log_limit_bytes = UINT64_C(1) << 30;
    }
    if (options->now_ms == NULL) {
        options->now_ms = clock_unix_ms;
    }
    if (options->report == NULL) {
        options->report = report_to_log;
    }
    if (options->note == NULL) {
        options->note = note_to_log;
    }
    size_t i = 0;
    while (strncmp(options->path, ENGINES[i].prefix, strlen(ENGINES[i].prefix)) != 0) {
        i++; /* the last prefix is empty and fits all */
    }
    return ENGINES[i].engine;
}

bool store_keeps_quotas(const store_options *options) {
    char why[128];
    store_options completed = *options;
    const store_engine *engine = store_complete(&completed, why, sizeof why);
    return engine != NULL && engine->keeps_quotas;
}

store *store_open(const store_options *options, char *why, size_t why_size) {
    store_options completed = *options;
    const store_engine *engine = store_complete(&completed, why, why_size);
    return engine == NULL ? NULL : engine->open(&completed, why, why_size);
}

store_result store_remove(const store_options *options, const uint8_t id[STORE_ID_BYTES], char *why,
                          size_t why_size) {
    store_options completed = *options;
    const store_engine *engine = store_complete(&completed, why, why_size);
    return engine == NULL ? STORE_FAILED : engine->remove(&completed, id, why, why_size);
}

/* ---- store_admin.h ---- */

static store_result not_here(const store_engine *engine, const char *what, char *why,
                             size_t why_size) {
    snprintf(why, why_size, "%s: arxd does not do that for %s: %s", what, engine->name,
             engine->instead != NULL ? engine->instead : "it has tools of its own");
    return STORE_FAILED;
}

store_result store_backup(const store_options *options, const char *to, bool (*go_on)(void *opaque),
                          void *opaque, char *why, size_t why_size) {
    store_options completed = *options;
    const store_engine *engine = store_complete(&completed, why, why_size);
    return engine == NULL           ? STORE_FAILED
           : engine->backup == NULL ? not_here(engine, "backup", why, why_size)
                                    : engine->backup(&completed, to, go_on, opaque, why, why_size);
}

bool store_has_backup(const store_options *options, char *why, size_t why_size) {
    store_options completed = *options;
    const store_engine *engine = store_complete(&completed, why, why_size);
    if (engine != NULL && engine->backup == NULL) {
        (void)not_here(engine, "backup", why, why_size);
    }
    return engine != NULL && engine->backup != NULL;
}

store_result store_restore(const store_options *options, const char *from, char *kept,
                           size_t kept_size, char *why, size_t why_size) {
    store_options completed = *options;
    const store_engine *engine = store_complete(&completed, why, why_size);
    return engine == NULL ? STORE_FAILED
           : engine->restore == NULL
               ? not_here(engine, "restore", why, why_size)
               : engine->restore(&completed, from, kept, kept_size, why, why_size);
}

store_result store_inspect(const store_options *options, const store_inspector *inspector,
                           char *why, size_t why_size) {
    store_options completed = *options;
    const store_engine *engine = store_complete(&completed, why, why_size);
    return engine == NULL            ? STORE_FAILED
           : engine->inspect == NULL ? not_here(engine, "check", why, why_size)
                                     : engine->inspect(&completed, inspector, why, why_size);
}

store_result store_count(const store_options *options,
                         void (*each)(void *opaque, const char *name, uint64_t number),
                         void *opaque, char *why, size_t why_size) {
    store_options completed = *options;
    const store_engine *engine = store_complete(&completed, why, why_size);
    return engine == NULL          ? STORE_FAILED
           : engine->count == NULL ? not_here(engine, "stats", why, why_size)
                                   : engine->count(&completed, each, opaque, why, why_size);
}

void store_close(store *self) {
    if (self != NULL) {
        self->engine->close(self);
    }
}

bool store_submit(store *self, store_op *op) {
    return self->engine->submit(self, op);
}

void store_look(store *self, store_gauges *gauges) {
    *gauges = (store_gauges){0};
    if (self->engine->look != NULL) {
        self->engine->look(self, gauges);
    }
}

const char *store_describe(const store *self) {
    return self->engine->describe(self);
}

store_result store_asset_sets(store *self,
                              void (*each)(void *opaque, const char *set, uint64_t rows),
                              void *opaque) {
    return self->engine->asset_sets(self, each, opaque);
}

const char *store_result_name(store_result result) {
    static const char *const names[] = {
        [STORE_OK] = "ok",
        [STORE_NOT_FOUND] = "not-found",
        [STORE_GONE] = "gone",
        [STORE_CONFLICT] = "conflict",
        [STORE_BUSY] = "busy",
        [STORE_FAILED] = "failed",
        [STORE_NO_MEMORY] = "no-memory",
        [STORE_FULL] = "full",
        [STORE_MAKER_FULL] = "maker-full",
    };
    return names[result];
}

void store_artifact_clear(store_artifact *artifact) {
    free(artifact->payload);
    free(artifact->codec);
    free(artifact->kind);
    free(artifact->title);
    free(artifact->label);
    *artifact = (store_artifact){0};
}

void store_op_clear(store_op *op) {
    store_artifact_clear(&op->artifact);
    free(op->record.response);
    op->record = (store_record){0};
    free(op->note.value);
    op->note = (store_note){0};
    store_op_clear_lists(op);
}

void store_op_guard(store_op *op, const store_artifact *row) {
    store_artifact *wanted = &op->artifact;
    memcpy(wanted->id, row->id, sizeof wanted->id);
    wanted->has_edit_key = row->has_edit_key;
    wanted->has_maker = row->has_maker;
    memcpy(wanted->edit_key_hash, row->edit_key_hash, sizeof wanted->edit_key_hash);
    memcpy(wanted->maker, row->maker, sizeof wanted->maker);
    op->guarded = true;
}

void store_op_clear_lists(store_op *op) {
    for (uint64_t i = 0; op->artifacts != NULL && i < op->count; i++) {
        store_artifact_clear(&op->artifacts[i]);
    }
    free(op->artifacts);
    op->artifacts = NULL;
    for (uint64_t i = 0; op->notes != NULL && i < op->count; i++) {
        free(op->notes[i].value);
    }
    free(op->notes);
    op->notes = NULL;
    op->count = 0;
}

char *store_copy(const void *bytes, size_t len) {
    char *copy = malloc(len + 1);
    if (copy != NULL) {
        if (len > 0) {
            memcpy(copy, bytes, len);
        }
        copy[len] = '\0';
    }
    return copy;
}

int64_t store_time_add(int64_t a, int64_t b) {
    return a > INT64_MAX - b ? INT64_MAX : a + b;
}
