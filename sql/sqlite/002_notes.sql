-- Notes: small values under a key, changed by compare-and-set on their version (store.h). Whatever
-- every node must see and no table has a column for is one. Times are Unix milliseconds.
--
-- `row` grows with each new note, so it is the order they are listed in. The value comes last, so
-- that what stands before it is read without following overflow pages.

CREATE TABLE notes (
    row INTEGER PRIMARY KEY,
    space INTEGER NOT NULL,     -- what kind: store_space
    key BLOB NOT NULL CHECK (length(key) = 32),
    owner BLOB NOT NULL CHECK (length(owner) = 32),
    version INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    value BLOB NOT NULL,
    UNIQUE (space, key)
) STRICT;

CREATE INDEX notes_owner ON notes (space, owner, row);
CREATE INDEX notes_expires_at ON notes (expires_at);

-- What a maker made, newest first, without looking at anybody else's. Links without one are not in
-- the index and cost nothing.
CREATE INDEX artifacts_maker ON artifacts (maker, created_at, id) WHERE maker IS NOT NULL;

-- A name for lists, the maker's own. With the lifetimes, because it may change while the payload
-- does not, and because what stands behind a payload is slow to read.
ALTER TABLE lifetimes ADD COLUMN label TEXT;
