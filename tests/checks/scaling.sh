#!/bin/sh
# What docs/scaling.md says: that its table of sizes comes from the model, and that no statement uses
# what the four databases do not have in common.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/checks/_tap.sh

node=tests/node_modules/.bin/node

same_table() {
    $node docs/scaling-model.mjs >"$tap_output.model"
    sed -n '/^<!-- model -->/,/^<!-- end -->/p' docs/scaling.md | grep '^|' | diff - "$tap_output.model"
    code=$?
    rm -f "$tap_output.model"
    return $code
}

check "the table of sizes is what the model says" same_table
check "every statement stays within the common subset" $node tests/checks/sql.mjs

# A check that lets everything pass shows nothing.
goes_beyond() {
    ! $node tests/checks/sql.mjs "$1" || return 1
}
for statement in "SELECT pg_advisory_xact_lock(1)" "SELECT id FROM lifetimes FOR UPDATE SKIP LOCKED" \
    "WITH old AS (DELETE FROM gone RETURNING id) SELECT count(*) FROM old" "LISTEN changes" \
    "SELECT value->>'a' FROM notes" "SELECT nextval('numbers')"; do
    check "what is beyond it is found: $statement" goes_beyond "$statement"
done

finish
