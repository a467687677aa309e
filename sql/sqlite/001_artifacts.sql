-- Links. Times are Unix milliseconds. Runs inside the migration's transaction.
--
-- Two tables, joined by their row number: `artifacts` is what is written once and is large,
-- `lifetimes` what reads move and sweeps visit. The narrow table keeps a coalesced TTL refresh from
-- rewriting pages full of payload. It has no index on expires_at on purpose: that index costs nearly
-- half of the refreshes' rate, and a sweep walks the narrow table quickly.
--
-- `artifacts` is a plain rowid table: in a WITHOUT ROWID table payloads of 2 KB spill into overflow
-- pages and reads take twice as long.

CREATE TABLE asset_sets (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE CHECK (length(id) = 16)
) STRICT;

CREATE TABLE artifacts (
    row INTEGER PRIMARY KEY,
    id BLOB NOT NULL UNIQUE CHECK (length(id) = 16),
    payload TEXT NOT NULL,      -- fragment body without '#'
    codec TEXT,                 -- NULL: not known
    kind TEXT,                  -- of the active artifact; NULL: not read yet
    title TEXT,                 -- likewise
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
) STRICT;

CREATE TABLE lifetimes (
    row INTEGER PRIMARY KEY,    -- artifacts.row
    expires_at INTEGER NOT NULL,
    last_viewed_at INTEGER NOT NULL,
    ttl INTEGER NOT NULL,       -- milliseconds
    sliding INTEGER NOT NULL,   -- 1: a read moves expires_at to its own time + ttl
    views INTEGER NOT NULL,
    asset_set INTEGER           -- asset_sets.number; NULL: not said
) STRICT;
