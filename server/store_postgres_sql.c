/* store_postgres_sql.c - see store_postgres_sql.h. */
#include "store_postgres_sql.h"

/* PostgreSQL's numbers for the types of parameters; fixed since they exist. */
enum {
    BOOL = 16,
    BYTEA = 17,
    INT8 = 20,
    TEXT = 25,
    BYTEAS = 1001,
    UUID = 2950,
    UUIDS = 2951,
};

#define TYPES(...)                                                                                 \
    (int)(sizeof((const Oid[]){__VA_ARGS__}) / sizeof(Oid)), (const Oid[]) {                       \
        __VA_ARGS__                                                                                \
    }
#define NO_TYPES 0, NULL

#define BRIEF                                                                                      \
    "SELECT a.id, l.expires_at, l.last_viewed_at, l.ttl, l.sliding, l.views, l.max_views, "        \
    "l.views_left, a.created_at, a.updated_at, a.edit_key_hash, a.maker, a.codec, a.kind, "        \
    "a.title, l.asset_set, l.label"
#define FROM_BOTH " FROM artifacts a JOIN lifetimes l ON l.id = a.id WHERE "

/* Divisions differ between engines, shifts do not. */
#define SLOT_OF(time) "(" time ") >> 22"
/* How a view at `time` moves an end; never back. */
#define MOVED(time)                                                                                \
    "CASE WHEN sliding THEN greatest(expires_at, " time " + ttl) ELSE expires_at END"

const pg_sql pg_statements[PG_STATEMENTS] = {
    [PG_READ_RECALL] = {"read_recall",
                        "SELECT body_hash, status, response FROM idempotency "
                        "WHERE scope = $1 AND at > $2",
                        TYPES(BYTEA, INT8)},
    [PG_READ_PING] = {"read_ping",
                      "SELECT EXISTS (SELECT 1 FROM artifacts), EXISTS (SELECT 1 FROM lifetimes)",
                      NO_TYPES},
    /* A page behind ($2, $3). */
    [PG_READ_LIST] = {"read_list",
                      BRIEF FROM_BOTH "a.maker = $1 AND (a.created_at < $2 OR "
                                      "(a.created_at = $2 AND a.id < $3)) "
                                      "ORDER BY a.created_at DESC, a.id DESC LIMIT $4",
                      TYPES(BYTEA, INT8, UUID, INT8)},
    [PG_READ_NOTE] = {"read_note",
                      "SELECT owner, version, expires_at, value FROM notes "
                      "WHERE space = $1 AND key = $2 AND expires_at > $3",
                      TYPES(INT8, BYTEA, INT8)},
    [PG_READ_NOTE_LIST] = {"read_note_list",
                           "SELECT key, version, expires_at, value FROM notes WHERE space = $1 "
                           "AND owner = $2 AND expires_at > $3 ORDER BY made_at DESC LIMIT $4",
                           TYPES(INT8, BYTEA, INT8, INT8)},
    [PG_READ_COUNTS] = {"read_counts",
                        "SELECT count(*) FILTER (WHERE expires_at > $1), count(*) FROM lifetimes",
                        TYPES(INT8)},
    [PG_READ_SIZES] = {"read_sizes",
                       "SELECT count(*) FILTER (WHERE created_at > $1), "
                       "CAST(coalesce(sum(octet_length(payload)), 0) AS bigint), count(*) "
                       "FROM artifacts",
                       TYPES(INT8)},
    [PG_READ_WHOLE] = {"read_whole", BRIEF ", a.payload" FROM_BOTH "a.id = ANY ($1)", TYPES(UUIDS)},
    [PG_READ_GONE] = {"read_gone", "SELECT id FROM gone WHERE id = ANY ($1) AND at > $2",
                      TYPES(UUIDS, INT8)},

    [PG_BEGIN] = {"begin", "BEGIN", NO_TYPES},
    [PG_COMMIT] = {"commit", "COMMIT", NO_TYPES},
    [PG_ROLLBACK] = {"rollback", "ROLLBACK", NO_TYPES},
    [PG_LOOK_RECORDS] = {"look_records", "SELECT scope, at FROM idempotency WHERE scope = ANY ($1)",
                         TYPES(BYTEAS)},
    /* In one order everywhere, so that two nodes never wait for each other. */
    [PG_LOCK] = {"lock", "SELECT id FROM lifetimes WHERE id = ANY ($1) ORDER BY id FOR UPDATE",
                 TYPES(UUIDS)},
    [PG_LOOK_BRIEF] = {"look_brief", BRIEF FROM_BOTH "a.id = ANY ($1)", TYPES(UUIDS)},
    [PG_LOOK_NOTE] = {"look_note",
                      "SELECT version, expires_at FROM notes WHERE space = $1 AND key = $2 "
                      "FOR UPDATE",
                      TYPES(INT8, BYTEA)},
    [PG_INSERT_ARTIFACT] = {"insert_artifact",
                            "INSERT INTO artifacts (id, payload, codec, kind, title, created_at, "
                            "updated_at, edit_key_hash, maker) "
                            "VALUES ($1, $2, $3, $4, $5, $6, $6, $7, $8)",
                            TYPES(UUID, BYTEA, TEXT, TEXT, BYTEA, INT8, BYTEA, BYTEA)},
    [PG_INSERT_LIFETIME] = {"insert_lifetime",
                            "INSERT INTO lifetimes (id, expires_at, expires_slot, last_viewed_at, "
                            "ttl, sliding, views, max_views, views_left, asset_set, label) "
                            "VALUES ($1, $2, " SLOT_OF("$2") ", $3, $4, $5, 0, $6, $6, $7, $8)",
                            TYPES(UUID, INT8, INT8, INT8, BOOL, INT8, TEXT, BYTEA)},
    [PG_UPDATE_ARTIFACT] = {"update_artifact",
                            "UPDATE artifacts SET payload = $2, codec = $3, kind = $4, title = $5, "
                            "updated_at = $6 WHERE id = $1",
                            TYPES(UUID, BYTEA, TEXT, TEXT, BYTEA, INT8)},
    [PG_UPDATE_TIME] = {"update_time", "UPDATE artifacts SET updated_at = $2 WHERE id = $1",
                        TYPES(UUID, INT8)},
    [PG_UPDATE_LIFETIME] = {"update_lifetime",
                            "UPDATE lifetimes SET expires_at = $2, expires_slot = " SLOT_OF(
                                "$2") ", ttl = $3, sliding = $4, max_views = $5, views_left = $6, "
                                      "asset_set = $7, label = $8 WHERE id = $1",
                            TYPES(UUID, INT8, INT8, BOOL, INT8, INT8, TEXT, BYTEA)},
    [PG_DESCRIBE] = {"describe",
                     "UPDATE artifacts SET codec = coalesce($2, codec), kind = coalesce($3, kind), "
                     "title = coalesce($4, title) WHERE id = $1",
                     TYPES(UUID, TEXT, TEXT, BYTEA)},
    [PG_DESCRIBE_SET] = {"describe_set", "UPDATE lifetimes SET asset_set = $2 WHERE id = $1",
                         TYPES(UUID, TEXT)},
    [PG_VIEW] = {"view",
                 "UPDATE lifetimes SET views = views + 1, views_left = greatest(views_left - 1, "
                 "0), last_viewed_at = greatest(last_viewed_at, $2), "
                 "expires_at = " MOVED("$2") ", expires_slot = " SLOT_OF(
                     MOVED("$2")) " WHERE id = $1 AND (max_views = 0 OR views_left > 0)",
                 TYPES(UUID, INT8)},
    [PG_TOUCH] = {"touch",
                  "UPDATE lifetimes SET views = views + $2, last_viewed_at = "
                  "greatest(last_viewed_at, $3), expires_at = " MOVED(
                      "$3") ", expires_slot = " SLOT_OF(MOVED("$3")) " WHERE id = $1",
                  TYPES(UUID, INT8, INT8)},
    [PG_LOCK_EXPIRED] = {"lock_expired",
                         "SELECT id, expires_at FROM lifetimes WHERE id = ANY ($1) AND "
                         "expires_at <= $2 ORDER BY id FOR UPDATE",
                         TYPES(UUIDS, INT8)},
    [PG_REMOVE_LIFETIMES] = {"remove_lifetimes", "DELETE FROM lifetimes WHERE id = ANY ($1)",
                             TYPES(UUIDS)},
    [PG_REMOVE_ARTIFACTS] = {"remove_artifacts", "DELETE FROM artifacts WHERE id = ANY ($1)",
                             TYPES(UUIDS)},
    [PG_ADD_GONE] = {"add_gone",
                     "INSERT INTO gone (id, at) VALUES ($1, $2) "
                     "ON CONFLICT (id) DO UPDATE SET at = excluded.at",
                     TYPES(UUID, INT8)},
    /* One that is too old to be recalled makes room. */
    [PG_DROP_RECORD] = {"drop_record", "DELETE FROM idempotency WHERE scope = $1 AND at <= $2",
                        TYPES(BYTEA, INT8)},
    [PG_ADD_RECORD] = {"add_record",
                       "INSERT INTO idempotency (scope, body_hash, status, at, response) "
                       "VALUES ($1, $2, $3, $4, $5)",
                       TYPES(BYTEA, BYTEA, INT8, INT8, BYTEA)},
    [PG_ADD_NOTE] = {"add_note",
                     "INSERT INTO notes (space, key, owner, version, made_at, expires_at, value) "
                     "VALUES ($1, $2, $3, $4, $5, $6, $7)",
                     TYPES(INT8, BYTEA, BYTEA, INT8, INT8, INT8, BYTEA)},
    [PG_UPDATE_NOTE] = {"update_note",
                        "UPDATE notes SET version = $3, expires_at = $4, value = $5 "
                        "WHERE space = $1 AND key = $2",
                        TYPES(INT8, BYTEA, INT8, INT8, BYTEA)},
    [PG_REMOVE_NOTE] = {"remove_note", "DELETE FROM notes WHERE space = $1 AND key = $2",
                        TYPES(INT8, BYTEA)},
    [PG_CLEAN] = {"clean",
                  "SELECT id, expires_at FROM lifetimes WHERE expires_slot <= " SLOT_OF(
                      "$1") " AND expires_at < $1 ORDER BY expires_at, id LIMIT $2 FOR UPDATE",
                  TYPES(INT8, INT8)},
    [PG_SWEEP_TURN] = {"sweep_turn", "SELECT name FROM duties WHERE name = 'sweep' FOR UPDATE",
                       NO_TYPES},
    [PG_SWEEP_EXPIRED] = {"sweep_expired",
                          "SELECT id FROM lifetimes WHERE expires_slot <= " SLOT_OF(
                              "$1") " AND expires_at <= $1 ORDER BY expires_slot LIMIT $2",
                          TYPES(INT8, INT8)},
    [PG_SWEEP_RECORDS] = {"sweep_records",
                          "SELECT scope FROM idempotency WHERE at <= $1 ORDER BY at LIMIT $2",
                          TYPES(INT8, INT8)},
    [PG_REMOVE_RECORDS] = {"remove_records", "DELETE FROM idempotency WHERE scope = ANY ($1)",
                           TYPES(BYTEAS)},
    [PG_SWEEP_GONE] = {"sweep_gone", "SELECT id FROM gone WHERE at <= $1 ORDER BY at LIMIT $2",
                       TYPES(INT8, INT8)},
    [PG_REMOVE_GONE] = {"remove_gone", "DELETE FROM gone WHERE id = ANY ($1)", TYPES(UUIDS)},
    [PG_SWEEP_NOTES] = {"sweep_notes",
                        "SELECT space, key FROM notes WHERE expires_at <= $1 "
                        "ORDER BY expires_at LIMIT $2",
                        TYPES(INT8, INT8)},
    /* Unless it was written anew meanwhile. */
    [PG_REMOVE_OLD_NOTE] = {"remove_old_note",
                            "DELETE FROM notes WHERE space = $1 AND key = $2 AND expires_at <= $3",
                            TYPES(INT8, BYTEA, INT8)},
    /* A write that changes nothing: does the database take one? */
    [PG_PROBE] = {"probe", "UPDATE duties SET name = name WHERE name = 'sweep'", NO_TYPES},

    /* Columns as store_table.c has them. */
    [PG_TABLE_LINKS] =
        {"table_links",
         "SELECT a.id, a.created_at, a.updated_at, a.edit_key_hash, a.maker, a.codec, a.kind, "
         "a.title, a.payload, l.expires_at, l.last_viewed_at, l.ttl, l.views, l.max_views, "
         "l.views_left, l.sliding, l.asset_set, l.label" FROM_BOTH
         "a.id >= $1 ORDER BY a.id LIMIT $2",
         TYPES(UUID, INT8)},
    [PG_TABLE_RECORDS] = {"table_records",
                          "SELECT scope, body_hash, status, at, response FROM idempotency "
                          "WHERE scope >= $1 ORDER BY scope LIMIT $2",
                          TYPES(BYTEA, INT8)},
    [PG_TABLE_GONE] = {"table_gone", "SELECT id, at FROM gone WHERE id >= $1 ORDER BY id LIMIT $2",
                       TYPES(UUID, INT8)},
    [PG_TABLE_NOTES] = {"table_notes",
                        "SELECT space, key, owner, version, made_at, expires_at, value FROM notes "
                        "WHERE space >= $1 AND (space > $1 OR key >= $2) ORDER BY space, key "
                        "LIMIT $3",
                        TYPES(INT8, BYTEA, INT8)},
    [PG_ADD_ARTIFACT] = {"add_artifact",
                         "INSERT INTO artifacts (id, created_at, updated_at, edit_key_hash, maker, "
                         "codec, kind, title, payload) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
                         TYPES(UUID, INT8, INT8, BYTEA, BYTEA, TEXT, TEXT, BYTEA, BYTEA)},
    [PG_ADD_LIFETIME] = {"add_lifetime",
                         "INSERT INTO lifetimes (id, expires_at, expires_slot, last_viewed_at, "
                         "ttl, views, max_views, views_left, sliding, asset_set, label) "
                         "VALUES ($1, $2, " SLOT_OF("$2") ", $3, $4, $5, $6, $7, $8, $9, $10)",
                         TYPES(UUID, INT8, INT8, INT8, INT8, INT8, INT8, BOOL, TEXT, BYTEA)},
};
