#!/bin/sh
# The arx tool from the outside: `tests/arx.sh build/release/arx`, from the repository's root.
# Prints one line and exits 0, or says what differs and exits 1.
set -u
arx=${1:-build/release/arx}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
failed=0

check() { # what, expected, got
    if [ "$2" != "$3" ]; then
        printf '%s\n  expected: %s\n  got:      %s\n' "$1" "$2" "$3" >&2
        failed=1
    fi
}

code() { # exit status of a command whose output does not matter
    "$@" >/dev/null 2>&1
    echo $?
}

# Files of every kind come back byte for byte, by argument, by link and through pipes.
printf '# Hi\n\nsome *text* \303\251\n' >"$dir/report.md"
printf 'a,b\n1,2\n' >"$dir/table.csv"
printf 'int main(void) {}\n' >"$dir/main.c"
printf '{"a":[1,2]}' >"$dir/data.json"
printf -- '--- a\n+++ b\n@@ -1 +1 @@\n-x\n+y\n' >"$dir/change.patch"
for name in report.md:markdown table.csv:csv main.c:code data.json:json change.patch:diff; do
    file=$dir/${name%:*}
    link=$("$arx" encode --base-url https://example.org/ "$file")
    "$arx" decode "$link" >"$dir/back"
    check "$name by link" '' "$(cmp "$file" "$dir/back" 2>&1)"
    "$arx" encode --filename "${name%:*}" <"$file" | "$arx" decode >"$dir/back"
    check "$name through pipes" '' "$(cmp "$file" "$dir/back" 2>&1)"
    check "$name is" "${name#*:}" "$("$arx" decode --json "$link" | sed 's/.*"kind":"\([a-z]*\)".*/\1/')"
done
"$arx" encode "$dir/report.md" >"$dir/fragment"
check 'a fragment in a file' '' "$("$arx" decode "$dir/fragment" | cmp - "$dir/report.md" 2>&1)"

# Envelopes in .json files.
printf '{"v":1,"codec":"plain","artifacts":[{"id":"a","kind":"csv","content":"x"},{"id":"b","kind":"csv","content":"y"}]}' >"$dir/bundle.json"
check 'second artifact' y "$("$arx" encode "$dir/bundle.json" | "$arx" decode --artifact b)"
"$arx" encode --kind json "$dir/bundle.json" | "$arx" decode >"$dir/back"
check 'an envelope as a document' '' "$(cmp "$dir/bundle.json" "$dir/back" 2>&1)"

# Another asset set: needed, offered, and named.
mkdir "$dir/set"
sed 's/"singleByteSlots": *\[/&"an extra slot",/' tests/vectors/assets/arx-dictionary.json \
    >"$dir/set/arx-dictionary.json"
cp tests/vectors/assets/arx2-dictionary.json "$dir/set/"
"$arx" encode --assets "$dir/set" --codec arx5 "$dir/report.md" >"$dir/other"
check 'without the set' 1 "$(code "$arx" decode --assets tests/vectors/assets "$dir/other")"
check 'with --compat' '' "$("$arx" decode --compat "$dir/set" "$dir/other" | cmp - "$dir/report.md" 2>&1)"
id=$("$arx" assets --assets "$dir/set" | sed -n '1s/ .*//p')
check 'id of a set' 16 "$(printf %s "$id" | wc -c | tr -d ' ')"

# Exit status.
check 'no command' 2 "$(code "$arx")"
check 'unknown command' 2 "$(code "$arx" frob)"
check 'unknown option' 2 "$(code "$arx" encode --frob)"
check 'bad option' 2 "$(code "$arx" encode --codec zip "$dir/report.md")"
check 'bad number' 2 "$(code "$arx" encode --target 5x "$dir/report.md")"
check 'two files' 2 "$(code "$arx" encode "$dir/report.md" "$dir/main.c")"
check 'no such file' 1 "$(code "$arx" encode "$dir/none")"
check 'no fragment' 1 "$(code "$arx" decode zzz)"
check 'blank input' 1 "$(printf ' \n' | code "$arx" encode)"
check 'not UTF-8' 1 "$(printf '\377' | code "$arx" encode)"
check 'no such set' 1 "$(code "$arx" decode --assets "$dir/none" pe30)"
for command in encode decode inspect assets; do
    check "$command --help" 0 "$(code "$arx" $command --help)"
done
check '--version' 0 "$(code "$arx" --version)"

# One line in, one line out, whatever it holds; the last needs no line feed.
head -c 200000 /dev/zero | tr '\0' '[' >"$dir/deep"
{
    printf '\n{"fragment":5}\n{bad\n\000\000\n"\377"\n'
    cat "$dir/deep"
    printf '\n{"fragment":"%s"}' "$(cat "$dir/fragment")"
} >"$dir/lines"
"$arx" decode --jsonl <"$dir/lines" >"$dir/results"
check 'status of a batch' 0 $?
check 'lines of a batch' 7 "$(wc -l <"$dir/results" | tr -d ' ')"
check 'refused' 6 "$(grep -c '^{"ok":false,"code":"invalid-request","message":"' "$dir/results")"
check 'read' 1 "$(sed -n 7p "$dir/results" | grep -c '^{"ok":true,"envelope":')"
printf '{"artifact":{"kind":"csv","content":"a\\ud800"}}\n{}\n' | "$arx" encode --jsonl >"$dir/results"
check 'encoded' 1 "$(sed -n 1p "$dir/results" | grep -c '^{"ok":true,"codec":')"
check 'lone surrogates stay' 1 "$(sed -n '1s/.*"fragment":"\([^"]*\)".*/\1/p' "$dir/results" | "$arx" decode --json | grep -c 'a\\ud800')"
check 'not encoded' 1 "$(sed -n 2p "$dir/results" | grep -c '^{"ok":false,"code":"invalid-request"')"

# Results come as soon as their lines are there: the second request waits for the first result.
mkfifo "$dir/in" "$dir/out"
"$arx" decode --jsonl <"$dir/in" >"$dir/out" &
pid=$!
exec 3>"$dir/in" 4<"$dir/out"
printf '{"fragment":"x"}\n' >&3
read -r first <&4
printf '{"fragment":"y"}\n' >&3
read -r second <&4
exec 3>&- 4<&-
wait $pid
check 'status of a conversation' 0 $?
check 'a conversation' "$first" "$second"

[ $failed -eq 0 ] && echo "arx.sh: ok"
exit $failed
