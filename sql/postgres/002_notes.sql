-- Notes: small values under a key, changed by compare-and-set on their version (store.h). Whatever
-- every node must see and no table has a column for is one. Times are Unix milliseconds.
--
-- `made_at` is the order they are listed in: 1,024 times the time of the first writing, or one more
-- than the node's last.

CREATE TABLE IF NOT EXISTS notes (
    space bigint NOT NULL,      -- what kind: store_space
    key bytea NOT NULL,
    owner bytea NOT NULL,
    version bigint NOT NULL,
    made_at bigint NOT NULL,
    expires_at bigint NOT NULL,
    value bytea NOT NULL,
    PRIMARY KEY (space, key)
);

CREATE INDEX IF NOT EXISTS notes_owner ON notes (space, owner, made_at);
CREATE INDEX IF NOT EXISTS notes_expires_at ON notes (expires_at);

-- What a maker made, newest first. Links without one are not in the index and cost nothing.
CREATE INDEX IF NOT EXISTS artifacts_maker ON artifacts (maker, created_at, id)
    WHERE maker IS NOT NULL;

-- A name for lists, the maker's own. With the lifetimes, because it may change while the payload
-- does not.
ALTER TABLE lifetimes ADD COLUMN IF NOT EXISTS label bytea;
