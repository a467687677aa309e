# fuzz.sh NAME - one libFuzzer target, reported as TAP: its corpus first, then new inputs.
#
# New inputs are looked for during FUZZ_SECONDS (default 30), started from the corpus and from what
# earlier runs found interesting, which is kept in build/fuzz-corpus. An input that breaks the target
# is left in build/fuzz-found/NAME, and named; once mended it moves to tests/fuzz/corpus/NAME.
. tests/checks/_tap.sh

name=$1
target=build/fuzz/fuzz_$name
seeds=tests/fuzz/corpus/$name
grown=build/fuzz-corpus/$name
found=build/fuzz-found/$name
mkdir -p "$grown" "$found"

options="-artifact_prefix=$found/ -max_len=4096 -timeout=20 -rss_limit_mb=2048 -print_final_stats=1"
[ ! -f "tests/fuzz/$name.dict" ] || options="$options -dict=tests/fuzz/$name.dict"

# shellcheck disable=SC2086 # a list of words
fuzz() {
    TMPDIR=${ARXD_TEST_TMP:-/tmp} "$target" $options "$@" >"$found/log" 2>&1 || {
        grep -v '^#[0-9]*[[:space:]]*\(NEW\|REDUCE\|pulse\|RELOAD\)' "$found/log" | tail -n 80
        return 1
    }
}
check "the corpus of $name" fuzz -runs=0 "$seeds"
check "new inputs for $name" fuzz "-max_total_time=${FUZZ_SECONDS:-30}" "$grown" "$seeds"
finish
