#!/bin/sh
#
# run.sh - runs arxd's tests, prints a line a program, counts.
#
#   tests/run.sh                      every suite
#   tests/run.sh unit http-asan       these suites (or SUITES="unit http-asan")
#   tests/run.sh unit/text            one program
#
#   checks                rules of the house that a script can check
#   unit,  unit-asan      cmocka programs, one per property
#   unit-postgres         those of the store, on PostgreSQL
#   tool,  tool-asan      the arx tool against the golden vectors
#   page                  the page's codec as WebAssembly against the same, and what its build makes
#   browser               the page in Chromium, over arxd; pictures of it go to build/screenshots
#   http,  http-asan      arxd itself, over sockets; its stderr must stay empty
#   http-postgres         the same on PostgreSQL
#   http-tsan             the same under ThreadSanitizer; `make test-tsan` runs all of them
#   soak-asan             two minutes of everything at once (tests/soak/soak.test.mjs; `make soak` for more)
#   nodes                 several arxd on one PostgreSQL
#   storage               arxd on a disk that fails or loses what was not synced; without memory
#   deploy                what is in deploy/, and docs/operating.md command by command
#   image                 the container image, built and run without a daemon (tests/image.sh)
#   fuzz                  libFuzzer targets: their corpora, then FUZZ_SECONDS (30) of new inputs each
#
# Every program speaks TAP, is counted test by test, and counts as one failure more if it ends badly
# without saying which test failed, or runs none. One that fails is run once more, alone. Its line has
# the seconds it took, and those of a core that it used. `make test` builds what is run here. Output is
# kept in build/test-results until the next run. JOBS: how many programs at once (default: one more
# than there are cores, since many wait more than they work). Several runs may go on in one checkout:
# each has its folder, build/test-runs/<process id>.

set -u
cd "$(dirname "$0")/.." || exit 1

ALL_SUITES="image soak-asan unit-asan http-asan tool-asan unit unit-postgres http http-postgres deploy nodes storage tool page browser fuzz checks"
RUNS=build/test-runs
RESULTS=${RESULTS:-$RUNS/$$}
TIMEOUT_S=600

# name of the suite without its mode or database, and the mode
base_of() { name=${1%-asan} && name=${name%-tsan} && echo "${name%-postgres}"; }
mode_of() { case $1 in *-asan) echo asan ;; *-tsan) echo tsan ;; *) echo release ;; esac; }

on_postgres() { case $1 in *-postgres) ;; *) return 1 ;; esac; }

programs_of() {
    case $(base_of "$1") in
    checks) for f in tests/checks/[a-z]*.sh; do basename "$f" .sh; done ;;
    unit)
        for f in tests/unit/test_*.c; do
            ! on_postgres "$1" || case $f in */test_server_store* | */test_server_postgres*) ;; *) continue ;; esac
            basename "$f" .c | sed 's/^test_//'
        done
        ;;
    image) echo container ;;
    fuzz) for f in tests/fuzz/fuzz_*.c; do basename "$f" .c | sed 's/^fuzz_//'; done ;;
    tool | http | deploy | nodes | page | browser | storage | soak)
        for f in tests/"$(base_of "$1")"/*.test.mjs; do
            # arxd backup and --quota are for SQLite; PostgreSQL has means of its own.
            ! on_postgres "$1" || case $f in */backup.test.mjs | */quota.test.mjs) continue ;; esac
            basename "$f" .test.mjs
        done
        ;;
    *)
        echo "run.sh: no suite named '$1' ($ALL_SUITES)" >&2
        return 1
        ;;
    esac
}

# Runs one program in this shell; its TAP goes to stdout.
execute() {
    suite=$1 program=$2 mode=$(mode_of "$1")
    export ASAN_OPTIONS="detect_stack_use_after_return=1:strict_string_checks=1:${ASAN_OPTIONS:-}"
    export UBSAN_OPTIONS="print_stacktrace=1:halt_on_error=1:${UBSAN_OPTIONS:-}"
    export TSAN_OPTIONS="halt_on_error=1:second_deadlock_stack=1:${TSAN_OPTIONS:-}"
    on_postgres "$suite" || unset ARXD_TEST_POSTGRES
    export ARXD="$PWD/build/$mode/arxd" ARX="$PWD/build/$mode/arx" TEST_MODE="$mode"
    case $(base_of "$suite") in
    checks) exec timeout -k 10 $TIMEOUT_S sh "tests/checks/$program.sh" ;;
    image) exec timeout -k 10 1800 sh tests/image.sh ;;
    fuzz) exec timeout -k 10 $TIMEOUT_S sh tests/fuzz/fuzz.sh "$program" ;;
    unit)
        CMOCKA_MESSAGE_OUTPUT=TAP
        export CMOCKA_MESSAGE_OUTPUT
        exec timeout -k 10 $TIMEOUT_S "build/$mode/unit/test_$program"
        ;;
    *)
        exec timeout -k 10 $TIMEOUT_S tests/node_modules/.bin/node --test-reporter=tap \
            "tests/$(base_of "$suite")/$program.test.mjs"
        ;;
    esac
}

# From TAP to "passed failed skipped", then a line per skipped test. cmocka says `not ok 3 # SKIP name`,
# node `ok 3 - name # SKIP why` (indented in groups) and totals at the end.
read_tap() {
    awk '
    /^[ \t]*(not )?ok [0-9]+.*# SKIP/ {
        skipped++
        name = $0
        sub(/^[ \t]*(not )?ok [0-9]+ *(- )?/, "", name)
        sub(/^# SKIP */, "", name)
        sub(/ *# SKIP */, ": ", name)
        sub(/: $/, "", name)
        names[skipped] = name
        next
    }
    /^ok [0-9]+/ { passed++ }
    /^not ok [0-9]+/ { failed++ }
    /^# pass [0-9]+$/ { totals = 1; total_passed = $3 }
    /^# (fail|cancelled) [0-9]+$/ { total_failed += $3 }
    END {
        if (totals) { passed = total_passed; failed = total_failed }
        print passed + 0, failed + 0, skipped + 0
        for (i = 1; i <= skipped; i++) print names[i]
    }' "$1"
}

# A log without what went well: passed tests, the headings above them and the details below.
without_passes() {
    awk '
    /^[ \t]*# Subtest: / { next }
    /^[ \t]*ok [0-9]+/ { passed = 1; next }
    passed && /^[ \t]*---$/ { details = 1 }
    { passed = 0 }
    details { if (/^[ \t]*\.\.\.$/) details = 0; next }
    { print }' "$1"
}

run_one() {
    suite=$1 program=$2
    log=$RESULTS/$suite.$program.log
    started=$(date +%s%N)
    (execute "$suite" "$program") >"$log" 2>&1 </dev/null
    code=$?
    took_ds=$((($(date +%s%N) - started) / 100000000))
    times >"$log.times"
    used_s=$(awk -F '[ms ]+' 'NR == 2 { printf "%d", ($1 + $3) * 60 + $2 + $4 }' "$log.times")

    read_tap "$log" >"$log.tap"
    read -r passed failed skipped <"$log.tap"
    note=
    if [ $code -eq 124 ] || [ $code -eq 137 ]; then
        note=" (ended after $TIMEOUT_S s)"
    elif [ $code -ne 0 ]; then
        note=" (exit code $code)"
    elif [ $((passed + failed + skipped)) -eq 0 ]; then
        note=" (ran no test)" code=1
    fi
    [ $code -eq 0 ] || [ "$failed" -gt 0 ] || failed=1
    verdict=ok
    [ "$failed" -eq 0 ] || verdict=FAIL

    echo "$passed $failed $skipped" >"$log.count"
    sed 1d "$log.tap" | sed "s|^|$suite/$program: |" >"$log.skips"
    {
        line="$passed passed, $failed failed"
        [ "$skipped" -eq 0 ] || line="$line, $skipped skipped"
        printf '%-4s %-13s %-22s %5d.%d s %4d s  %s%s\n' "$verdict" "$suite" "$program" \
            $((took_ds / 10)) $((took_ds % 10)) "$used_s" "$line" "$note"
        if [ "$failed" -ne 0 ]; then
            without_passes "$log" | sed 's/^/     | /'
        fi
    } >"$log.report"
    cat "$log.report"
}

if [ "${1:-}" = --one ]; then
    run_one "$2" "$3"
    exit 0
fi

# Where the reference asset set lies beside the checkout, the vectors made with it are run too.
if [ -z "${ARX_UPSTREAM_ASSETS:-}" ] && [ -d ../shared/assets/upstream ]; then
    ARX_UPSTREAM_ASSETS=$(cd ../shared/assets/upstream && pwd)
fi
[ -z "${ARX_UPSTREAM_ASSETS:-}" ] || export ARX_UPSTREAM_ASSETS
if [ -z "${OUI_APPROVAL_VECTORS:-}" ] && [ -f ../shared/vectors/oui/approval-vectors.json ]; then
    OUI_APPROVAL_VECTORS=$(cd ../shared/vectors/oui && pwd)/approval-vectors.json
fi
[ -z "${OUI_APPROVAL_VECTORS:-}" ] || export OUI_APPROVAL_VECTORS

[ $# -gt 0 ] || set -- ${SUITES:-$ALL_SUITES}
# What runs left whose process is gone makes room.
for old in "$RUNS"/*; do
    [ ! -d "$old" ] || kill -0 "${old##*/}" 2>/dev/null || rm -rf "$old"
done
rm -rf "$RESULTS"
mkdir -p "$RESULTS/tmp"
rm -rf build/test-results
ln -sfn "test-runs/$$" build/test-results
export RESULTS ARXD_TEST_TMP="$PWD/$RESULTS/tmp"
trap 'rm -rf "$ARXD_TEST_TMP"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
for wanted in "$@"; do
    case $wanted in
    */*) echo "${wanted%%/*} ${wanted#*/}" ;;
    *)
        programs=$(programs_of "$wanted") || exit 2
        for program in $programs; do echo "$wanted $program"; done
        ;;
    esac
done >"$RESULTS/plan"

# One PostgreSQL for all suites that need it; each test has databases of its own there.
with_postgres=
! grep -q -e '-postgres ' "$RESULTS/plan" || with_postgres=tests/postgres.sh
$with_postgres xargs -P "${JOBS:-$(($(nproc) + 1))}" -n 2 sh tests/run.sh --one <"$RESULTS/plan"

# What failed beside others runs once more, alone: so a machine that was too busy is told from a fault.
# The first log is kept, and the second run counts. Where much failed, it is no accident.
failed_programs=$(awk '$2 > 0 { print FILENAME }' "$RESULTS"/*.count /dev/null)
if [ "$(echo "$failed_programs" | wc -w)" -le 6 ]; then
    for count in $failed_programs; do
        log=${count%.count} && name=$(basename "$log" .log)
        cp "$log" "$log.first"
        echo "failed beside others, once more alone: $name"
        $with_postgres sh tests/run.sh --one "${name%%.*}" "${name#*.}"
    done
fi

cat "$RESULTS"/*.skips 2>/dev/null | sort | sed 's/^/skipped: /'
planned=$(wc -l <"$RESULTS/plan")
cat "$RESULTS"/*.count 2>/dev/null | awk -v planned="$planned" '
    { passed += $1; failed += $2; skipped += $3 }
    END {
        failed += planned - NR # a program that left no count
        printf "%d passed, %d failed, %d skipped\n", passed, failed, skipped
        exit failed > 0 || passed == 0
    }'
