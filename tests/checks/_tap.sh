# _tap.sh - for the checks beside it: each reports as TAP. Sourced, from the root of the checkout.
#
#   check NAME COMMAND ...    passes when the command succeeds; its output explains a failure
#   check_empty NAME ...      passes when the command prints nothing: what it prints is the trouble
#   skip NAME WHY
#   finish                    last line of a check

tap_count=0
tap_failed=0
tap_output=$(mktemp)
trap 'rm -f "$tap_output"' EXIT

tap_report() { # verdict name
    tap_count=$((tap_count + 1))
    if [ "$1" = ok ]; then
        echo "ok $tap_count - $2"
    else
        tap_failed=$((tap_failed + 1))
        echo "not ok $tap_count - $2"
        sed 's/^/# /' "$tap_output"
    fi
}

check() {
    tap_name=$1
    shift
    if "$@" >"$tap_output" 2>&1; then tap_report ok "$tap_name"; else tap_report bad "$tap_name"; fi
}

check_empty() {
    tap_name=$1
    shift
    "$@" >"$tap_output" 2>&1 || true
    if [ -s "$tap_output" ]; then tap_report bad "$tap_name"; else tap_report ok "$tap_name"; fi
}

skip() {
    tap_count=$((tap_count + 1))
    echo "ok $tap_count - $1 # SKIP $2"
}

finish() {
    echo "1..$tap_count"
    [ $tap_failed -eq 0 ]
    exit
}
