/*
 * store.h - where links are kept, whichever database it is.
 *
 * Every operation is a struct the caller owns: filled in, given to store_submit(), read when it is
 * done. An engine may finish it at once (SQLite reads: microseconds, on the calling thread) or
 * later from another thread (SQLite writes after their group commit; everything on a networked
 * database). Callers treat both alike; store_wait() in request.h does it for handlers.
 *
 * Only store_*.c know a database. Times are Unix milliseconds. Thread-safe. A link has expired when
 * expires_at_ms <= now; it is then never seen again, and removed by a sweep or by the read that
 * met it.
 */
#ifndef ARXD_STORE_H
#define ARXD_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct store store;

typedef enum store_result {
    STORE_OK = 0,
    STORE_NOT_FOUND, /* no such row, or it has expired */
    STORE_BUSY,      /* queue full, lock held past the timeout, or shutting down: try again */
    STORE_FAILED,    /* the database refused or broke; the reason is reported */
    STORE_NO_MEMORY,
} store_result;

/* "ok", "not-found", "busy", "failed", "no-memory". */
const char *store_result_name(store_result result);

#define STORE_ID_BYTES  16
#define STORE_SET_CHARS 16

/* One stored link. Strings are NUL-terminated (and hold no NUL) or NULL where absent. */
typedef struct store_artifact {
    uint8_t id[STORE_ID_BYTES];
    char *payload; /* fragment body, UTF-8, without '#' */
    size_t payload_len;
    char *codec;                         /* name, or NULL: not known */
    char asset_set[STORE_SET_CHARS + 1]; /* "" for not said */
    char *kind;                          /* of the active artifact, or NULL: not read yet */
    char *title;                         /* likewise */
    int64_t created_at_ms;
    int64_t updated_at_ms;
    int64_t last_viewed_at_ms;
    int64_t expires_at_ms;
    int64_t ttl_ms;
    bool sliding; /* a read moves expires_at */
    int64_t views;
} store_artifact;

/* Frees the strings and zeroes the struct. */
void store_artifact_clear(store_artifact *artifact);

typedef enum store_kind {
    /*
     * In: artifact.id, payload, payload_len, ttl_ms, sliding, and codec, asset_set, kind, title as
     * far as known. Out: the four times. STORE_OK only once the row is durable.
     */
    STORE_INSERT,
    /*
     * In: artifact.id, and touch: count a view and move last_viewed_at and (sliding) expires_at.
     * Out: artifact, with the touch applied. The touch itself is written at most a second later,
     * coalesced with others of the same id; later reads see it at once. Touches are dropped when
     * too many ids wait.
     */
    STORE_READ,
    /*
     * What the first decode of a payload found. In: artifact.id; codec, kind, title, asset_set:
     * those given replace what is stored. A non-zero updated_at_ms makes it conditional: a row
     * that was updated since answers STORE_NOT_FOUND.
     */
    STORE_DESCRIBE,
    STORE_SWEEP, /* out: count of expired rows deleted; ops that share a pass count them once */
    STORE_PING,  /* does the database answer, and would it take a write as far as known */
} store_kind;

typedef struct store_op {
    store_kind kind;
    bool touch;
    store_artifact artifact; /* in and out; strings owned by the op: store_op_clear() */
    uint64_t count;
    store_result result;
    /* Called once, on any thread, if store_submit() answered false. The op is the callee's again.
     */
    void (*done)(struct store_op *op);
    void *owner;           /* the caller's */
    struct store_op *next; /* the store's, while it has the op */
    int64_t since_ms;      /* likewise */
} store_op;

void store_op_clear(store_op *op);

/* True: finished, op->result is set, `done` is not called. False: `done` will be. */
bool store_submit(store *store, store_op *op);

typedef struct store_options {
    const char *path;         /* DB_PATH */
    unsigned queue;           /* most writes waiting; 0: 1024 */
    unsigned busy_timeout_ms; /* how long a lock held by someone else is waited for; 0: 5000 */
    /*
     * Told of failures while running, one line each, at most once a minute for each kind of
     * failure. Any thread; must not call the store. NULL: the log is.
     */
    void (*report)(const char *line);
    int64_t (*now_ms)(void); /* NULL: the system's clock */
} store_options;

/*
 * Opens or creates the database (its folder too), migrates it, starts its threads. NULL with one
 * line in `why` that names the path and what to change. One store per database and time: waits
 * busy_timeout_ms for another process that is about to close it, then refuses.
 */
store *store_open(const store_options *options, char *why, size_t why_size);
/*
 * Finishes what is queued, closes cleanly (no -wal left), frees. No other call may be running or
 * follow; `done` functions may still be called from within.
 */
void store_close(store *store);

/* The engine and its version, for the start's log line: "SQLite 3.40.1". */
const char *store_describe(const store *store);

/*
 * Calls `each` for every asset set that live rows name, with how many rows. For the start's check
 * that no row would be orphaned. Blocks.
 */
store_result store_asset_sets(store *store,
                              void (*each)(void *opaque, const char *set, uint64_t rows),
                              void *opaque);

#endif
