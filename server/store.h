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
    STORE_GONE,      /* the same, at most 24 h ago; only with store_options.gone */
    STORE_CONFLICT,  /* the request was answered before: STORE_RECALL tells how; or the note, or
                        with `unchanged` the row, is another than was read */
    STORE_BUSY,      /* queue full, lock held past the timeout, or shutting down: try again */
    STORE_FAILED,    /* the database refused or broke; the reason is reported */
    STORE_NO_MEMORY,
    STORE_FULL,       /* it would need more than the quota leaves */
    STORE_MAKER_FULL, /* the same of its maker's quota */
} store_result;

/* "ok", "not-found", "gone", "conflict", "busy", "failed", "no-memory", "full",
 * "maker-full". */
const char *store_result_name(store_result result);

#define STORE_ID_BYTES   16
#define STORE_SET_CHARS  16
#define STORE_HASH_BYTES 32

/* How long replies are recalled and STORE_GONE is said. */
#define STORE_MEMORY_MS (INT64_C(24) * 60 * 60 * 1000)

/* One stored link. Strings are NUL-terminated (and hold no NUL) or NULL where absent. */
typedef struct store_artifact {
    uint8_t id[STORE_ID_BYTES];
    char *payload; /* fragment body, UTF-8, without '#' */
    size_t payload_len;
    char *codec;                         /* name, or NULL: not known */
    char asset_set[STORE_SET_CHARS + 1]; /* "" for not said */
    char *kind;                          /* of the active artifact, or NULL: not read yet */
    char *title;                         /* likewise */
    char *label;                         /* its maker's own name for it, or NULL */
    int64_t created_at_ms;
    int64_t updated_at_ms;
    int64_t last_viewed_at_ms;
    int64_t expires_at_ms;
    int64_t ttl_ms;
    bool sliding; /* a read moves expires_at */
    int64_t views;
    int64_t max_views;  /* 0: no limit */
    int64_t views_left; /* of max_views; 0 without a limit, and in what the last view returned */
    /* Who may change it. Given once, at the insert; never changed by an update. */
    bool has_edit_key;
    bool has_maker;
    uint8_t edit_key_hash[STORE_HASH_BYTES]; /* SHA-256 of its edit key */
    uint8_t maker[STORE_HASH_BYTES];         /* SHA-256 of the token that made it */
} store_artifact;

/* Frees the strings and zeroes the struct. */
void store_artifact_clear(store_artifact *artifact);

/*
 * What a request was answered, kept for a client that sends it again. `scope` names the request
 * (who asks, under which key); the store compares nothing else. Bytes are kept as given: what must
 * be secret is encrypted by the caller.
 */
typedef struct store_record {
    uint8_t scope[STORE_HASH_BYTES];
    uint8_t body_hash[STORE_HASH_BYTES];
    unsigned status;
    char *response; /* malloc'd; owned by the op */
    size_t response_len;
} store_record;

/*
 * A note is a small value under a key that every node sees and one writer at a time changes: a
 * grant, an answer that is kept for whoever asks for it. Its owner is only what it is listed by.
 */
typedef struct store_note {
    uint32_t space; /* what kind of note: a store_space; keys of two spaces never meet */
    uint8_t key[STORE_HASH_BYTES];
    uint8_t owner[STORE_HASH_BYTES];
    /*
     * Which writing of it this is: positive, and later than any before it under its key, whatever
     * the clock says. The time of the writing in ms as long as the clock does not stand or jump.
     */
    int64_t version;
    int64_t expires_at_ms; /* from then on it is not there */
    char *value;           /* malloc'd; owned by the op, or by the list it stands in */
    size_t value_len;      /* at most STORE_NOTE_MAX_BYTES */
} store_note;

#define STORE_NOTE_MAX_BYTES (2u << 20)

/* Frozen: the numbers stand in databases. */
typedef enum store_space {
    STORE_SPACE_APPROVAL = 1,        /* approvals.h */
    STORE_SPACE_APPROVAL_PARAMS = 2, /* likewise */
    STORE_SPACE_APPROVER = 3,        /* approvals_page.c */
    STORE_SPACE_JOB = 4,             /* job_note.h */
} store_space;

/* Bounds of one listing: of what it returns, of the values in it, of rows it looks at. */
#define STORE_LIST_MAX       200
#define STORE_LIST_MAX_BYTES (8u << 20)
#define STORE_LIST_LOOK      2000

#define STORE_CLEAN_MAX 10000

/* What the database holds now. */
typedef struct store_totals {
    uint64_t live;      /* links that have not expired */
    uint64_t expired;   /* and those that have, and were not removed yet */
    uint64_t last_hour; /* of both: made within the last hour */
    uint64_t bytes;     /* that the database takes, without what is free in it */
} store_totals;

/* Which links a listing returns. */
typedef enum store_state { STORE_LIVE, STORE_EXPIRED, STORE_ANY } store_state;

typedef enum store_kind {
    /*
     * In: artifact.id, payload, payload_len, ttl_ms, sliding, max_views, edit key, maker, label,
     * and codec, asset_set, kind, title as far as known. Out: times, views, views_left. STORE_OK
     * only once the row is durable; so for every write below.
     */
    STORE_INSERT,
    /*
     * In: artifact.id, touch, expired_too. Out: artifact. `touch` counts a view and moves
     * last_viewed_at and (sliding) expires_at; it is applied to what is returned, written at most
     * a second later, coalesced with others of the same id, and seen by later reads at once.
     * Touches are dropped when too many ids wait. A row with max_views is returned untouched:
     * whoever goes on to show its payload asks STORE_VIEW for it.
     */
    STORE_READ,
    /*
     * In: artifact.id. Out: artifact, as after this view. Counts the view for good before it is
     * answered, one by one however many ask at once; the view that uses up max_views also removes
     * the row. Rows without max_views are counted likewise.
     */
    STORE_VIEW,
    /*
     * In: artifact.id, payload, payload_len, codec, asset_set, kind, title, which replace what is
     * stored (NULL and "" too), and ttl_ms, sliding, max_views unless their keep_ is set; max_views
     * counts from here on; with `relabel` also label. `guarded`, `unchanged`. Out: the whole
     * artifact. updated_at is later than it was, whatever the clock says, so no two versions of a
     * row share it; expires_at is now + ttl; created_at, last_viewed_at and views stay. An expired
     * row is not found.
     * With `keep_payload` the payload and what tells of it stay as they are, and are returned;
     * expires_at then stays too, unless a ttl is given.
     */
    STORE_UPDATE,
    /* In: artifact.id. `guarded`, `unchanged`. Expired rows too; never STORE_GONE. */
    STORE_DELETE,
    /*
     * What the first decode of a payload found. In: artifact.id; codec, kind, title, asset_set:
     * those given replace what is stored. A non-zero updated_at_ms makes it conditional: a row
     * that was updated since answers STORE_NOT_FOUND.
     */
    STORE_DESCRIBE,
    /* In: record.scope. Out: record, if it was written within STORE_MEMORY_MS. */
    STORE_RECALL,
    /* Writes a record and nothing else, for a request that has no other write to ride on. */
    STORE_REMEMBER,
    /*
     * A maker's links, newest first, a page at a time. In: artifact.maker; `state`; limit; where
     * the page before ended: artifact.created_at_ms and id as that left them, or 0 for the first.
     * Out: artifacts, count of them, more, and where this page ended. payload is NULL in them, the
     * rest as a read that touches nothing returns it. A page may be short, even empty, although
     * there is more: no more than STORE_LIST_LOOK rows are looked at for one.
     */
    STORE_LIST,
    /* In: note.space, key. Out: note. STORE_NOT_FOUND: there is none, or it has expired. */
    STORE_NOTE_GET,
    /*
     * In: the note; version is what was read, or 0 where there must be none. Out: note.version as
     * written. STORE_CONFLICT: another version is there, or there is (not) one; nothing is written.
     * The owner is given with the first and stays. expires_at_ms in the past removes it.
     */
    STORE_NOTE_PUT,
    /*
     * In: note.space, owner; limit. Out: notes, the newest first (by when there was none before),
     * count of them; more, if older ones are left for their number or size. Expired ones are not
     * in it.
     */
    STORE_NOTE_LIST,
    /*
     * In: artifact.expires_at_ms, limit (1 to STORE_CLEAN_MAX). Deletes rows that expired before
     * that moment, those that did first first. Out: count of them; more, if others are left.
     */
    STORE_CLEAN,
    /* Out: totals. Costs a walk along all rows: callers keep the answer for a while. */
    STORE_TOTALS,
    /*
     * Out: count of expired rows deleted; ops that share a pass count them once. Old records and
     * expired notes go too, uncounted.
     */
    STORE_SWEEP,
    STORE_PING, /* does the database answer, and would it take a write as far as known */
} store_kind;

typedef struct store_op {
    store_kind kind;
    bool touch;       /* READ */
    bool expired_too; /* READ: a row past its end that is still there is returned all the same */
    /*
     * UPDATE, DELETE: only the row whose edit key and maker are those in artifact, as a read
     * returned them; STORE_NOT_FOUND for another that took its place since. (Whether the client
     * may do it is the caller's question, answered before.)
     */
    bool guarded;
    bool keep_ttl;       /* UPDATE: ttl_ms stays what it is */
    bool keep_sliding;   /* likewise */
    bool keep_max_views; /* likewise, with what is left of it */
    bool keep_payload;   /* likewise, with codec, asset_set, kind and title */
    bool relabel;        /* UPDATE: label replaces what is stored, NULL too */
    /* UPDATE, DELETE: STORE_CONFLICT unless updated_at is still artifact.updated_at_ms. */
    bool unchanged;
    /*
     * INSERT, VIEW, UPDATE, DELETE, CLEAN, NOTE_PUT, and always REMEMBER: `record` is written
     * together with the row, or neither. A scope that is on record already answers STORE_CONFLICT,
     * and nothing is written; an op that ends otherwise than STORE_OK records nothing.
     */
    bool recorded;
    /*
     * INSERT, VIEW, UPDATE, DELETE, REMEMBER, and always NOTE_PUT: `note` is put, as STORE_NOTE_PUT
     * says, together with the row and the record, or none of them.
     */
    bool noted;
    store_state state;         /* LIST */
    unsigned limit;            /* LIST, NOTE_LIST: 1 to STORE_LIST_MAX; what is beyond is cut off */
    bool more;                 /* LIST, NOTE_LIST: out */
    store_artifact artifact;   /* in and out; strings owned by the op: store_op_clear() */
    store_record record;       /* in and out; likewise */
    store_note note;           /* in and out; likewise */
    store_totals totals;       /* TOTALS: out */
    store_artifact *artifacts; /* LIST: out, `count` of them; likewise */
    store_note *notes;         /* NOTE_LIST: out, likewise */
    /*
     * For a recorded op whose response needs what the write finds out. Called within the
     * transaction, once `artifact` is what the op will return; sets record.status, response and
     * response_len. Any thread; must neither block nor call the store; may be called again if the
     * transaction is. False: no memory. NULL: the record is complete as given.
     */
    bool (*render)(struct store_op *op);
    uint64_t count;
    store_result result;
    /* Called once, on any thread, if store_submit() answered false. The op is the callee's again.
     */
    void (*done)(struct store_op *op);
    void *owner;           /* the caller's */
    struct store_op *next; /* the store's, while it has the op */
    int64_t since_ms;      /* likewise */
} store_op;

/* Frees what the op owns; its other fields stay, so that it can be filled in anew. */
void store_op_clear(store_op *op);
/* Makes `op` a guarded one on the row that a read returned. */
void store_op_guard(store_op *op, const store_artifact *row);

/* Frees artifacts and notes alone; count is 0 then. */
void store_op_clear_lists(store_op *op);

/* True: finished, op->result is set, `done` is not called. False: `done` will be. */
bool store_submit(store *store, store_op *op);

typedef struct store_options {
    const char *path;         /* DB_PATH */
    unsigned queue;           /* most writes waiting; 0: 1024 */
    unsigned busy_timeout_ms; /* how long a lock held by someone else is waited for; 0: 5000 */
    /*
     * How long the database's log of writes may get while somebody else's reading keeps it from
     * being emptied; past that, writes answer STORE_BUSY. 0: 1 GiB.
     */
    uint64_t log_limit_bytes;
    /*
     * Most links, expired ones that are not removed yet among them, and most bytes that the
     * database may take, without what is free in it. 0: no limit. Past them an INSERT, and an
     * UPDATE with a payload, answers STORE_FULL. An engine that keeps no quota refuses to open.
     */
    uint64_t quota_rows;
    uint64_t quota_bytes;
    /*
     * How many links, and bytes of payload, one maker's may be; 0: no limit. Asked by the writer
     * whenever a link of a maker is inserted or gets another payload; past them that answers
     * STORE_MAKER_FULL. NULL: nobody has a limit. See store_keeps_quotas().
     */
    void (*maker_quota)(void *opaque, const uint8_t maker[STORE_HASH_BYTES], uint64_t *links,
                        uint64_t *bytes);
    void *maker_opaque;
    bool gone; /* remember what was deleted or has expired, and say STORE_GONE */
    /*
     * Told of failures while running, one line each, at most once a minute for each kind of
     * failure. Any thread; must not call the store. NULL: the log is.
     */
    void (*report)(const char *line);
    /* Told once what opening changed in a database that another server made. NULL: the log is. */
    void (*note)(const char *line);
    int64_t (*now_ms)(void); /* NULL: the system's clock */
} store_options;

/* Does the engine behind these options keep quotas? */
bool store_keeps_quotas(const store_options *options);

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

/*
 * The operator's way to remove one link, whoever made it, in a process of its own and whether or
 * not a daemon has the database open. It neither creates nor migrates one. STORE_OK once that is
 * durable; STORE_NOT_FOUND; anything else comes with a line in `why`. Blocks.
 */
store_result store_remove(const store_options *options, const uint8_t id[STORE_ID_BYTES], char *why,
                          size_t why_size);

/* What a running store looks like from outside; 0 where an engine has no such thing. */
typedef struct store_gauges {
    size_t waiting; /* writes that have not been answered */
    uint64_t log_bytes;
    uint64_t file_bytes;
} store_gauges;
void store_look(store *store, store_gauges *gauges);

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
