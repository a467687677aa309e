-- Links. Times are Unix milliseconds. Runs inside the migration's transaction.
--
-- Two tables, joined by their row number: `artifacts` is what is written once and is large,
-- `lifetimes` what reads move and sweeps visit. The narrow table keeps a coalesced TTL refresh from
-- rewriting pages full of payload. It has no index on expires_at on purpose: that index costs nearly
-- half of the refreshes' rate, and a sweep walks the narrow table quickly.
--
-- `artifacts` is a plain rowid table: in a WITHOUT ROWID table payloads of 2 KB spill into overflow
-- pages and reads take twice as long. The payload comes last, so that what stands before it is read
-- without following those pages.

CREATE TABLE asset_sets (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE CHECK (length(id) = 16)
) STRICT;

CREATE TABLE artifacts (
    row INTEGER PRIMARY KEY,
    id BLOB NOT NULL UNIQUE CHECK (length(id) = 16),
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    edit_key_hash BLOB CHECK (length(edit_key_hash) = 32), -- SHA-256; NULL: has none
    maker BLOB CHECK (length(maker) = 32),                 -- SHA-256 of its maker's token; NULL: none
    codec TEXT,                 -- NULL: not known
    kind TEXT,                  -- of the active artifact; NULL: not read yet
    title TEXT,                 -- likewise
    payload TEXT NOT NULL       -- fragment body without '#'
) STRICT;

CREATE TABLE lifetimes (
    row INTEGER PRIMARY KEY,    -- artifacts.row
    expires_at INTEGER NOT NULL,
    last_viewed_at INTEGER NOT NULL,
    ttl INTEGER NOT NULL,       -- milliseconds
    sliding INTEGER NOT NULL,   -- 1: a read moves expires_at to its own time + ttl
    views INTEGER NOT NULL,
    max_views INTEGER NOT NULL, -- 0: no limit
    views_left INTEGER NOT NULL, -- of max_views; the row goes with the last of them
    asset_set INTEGER           -- asset_sets.number; NULL: not said
) STRICT;

-- What requests with an Idempotency-Key were answered. Kept for a day.
CREATE TABLE idempotency (
    row INTEGER PRIMARY KEY,
    scope BLOB NOT NULL UNIQUE CHECK (length(scope) = 32),
    body_hash BLOB NOT NULL CHECK (length(body_hash) = 32),
    status INTEGER NOT NULL,
    at INTEGER NOT NULL,
    response BLOB NOT NULL
) STRICT;

CREATE INDEX idempotency_at ON idempotency (at);

-- Links that are no more. Kept for a day.
CREATE TABLE gone (
    id BLOB NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    at INTEGER NOT NULL         -- when it ended
) STRICT, WITHOUT ROWID;

CREATE INDEX gone_at ON gone (at);
