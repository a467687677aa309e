-- Links, on PostgreSQL and on databases that speak its language. Times are Unix milliseconds.
--
-- Every statement can be run again: engines that commit each change of the schema by itself may be
-- interrupted between two of them. Strings that come from outside are bytes, so that no encoding of
-- a database can refuse or change them. Keys are random, which spreads rows over nodes; nothing
-- counts upwards.
--
-- `lifetimes` is what reads move and sweeps visit; it is narrow, because an update writes a row
-- anew. Its row is also the link's lock: who changes a link holds it. The index for sweeps is on
-- slots of some 70 minutes: a refresh mostly stays within one, and then touches no index. (A shift,
-- because engines differ in how they divide integers.)

CREATE TABLE IF NOT EXISTS artifacts (
    id uuid NOT NULL PRIMARY KEY,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    edit_key_hash bytea,        -- SHA-256; NULL: has none
    maker bytea,                -- SHA-256 of its maker's token; NULL: none
    codec text,                 -- NULL: not known
    kind text,                  -- of the active artifact; NULL: not read yet
    title bytea,                -- likewise
    payload bytea NOT NULL      -- fragment body without '#', UTF-8
);

CREATE TABLE IF NOT EXISTS lifetimes (
    id uuid NOT NULL PRIMARY KEY,   -- artifacts.id
    expires_at bigint NOT NULL,
    expires_slot bigint NOT NULL,   -- expires_at >> 22: some 70 minutes each
    last_viewed_at bigint NOT NULL,
    ttl bigint NOT NULL,            -- milliseconds
    views bigint NOT NULL,
    max_views bigint NOT NULL,      -- 0: no limit
    views_left bigint NOT NULL,     -- of max_views; the row goes with the last of them
    sliding boolean NOT NULL,       -- a read moves expires_at to its own time + ttl
    asset_set text                  -- NULL: not said
);

CREATE INDEX IF NOT EXISTS lifetimes_expires_slot ON lifetimes (expires_slot);

-- What requests with an Idempotency-Key were answered. Kept for a day.
CREATE TABLE IF NOT EXISTS idempotency (
    scope bytea NOT NULL PRIMARY KEY,
    body_hash bytea NOT NULL,
    status bigint NOT NULL,
    at bigint NOT NULL,
    response bytea NOT NULL
);

CREATE INDEX IF NOT EXISTS idempotency_at ON idempotency (at);

-- Links that are no more. Kept for a day.
CREATE TABLE IF NOT EXISTS gone (
    id uuid NOT NULL PRIMARY KEY,
    at bigint NOT NULL              -- when it ended
);

CREATE INDEX IF NOT EXISTS gone_at ON gone (at);

-- One row a duty that one node does at a time: held FOR UPDATE while it is done.
CREATE TABLE IF NOT EXISTS duties (
    name text NOT NULL PRIMARY KEY
);

INSERT INTO duties (name) VALUES ('sweep') ON CONFLICT (name) DO NOTHING;
