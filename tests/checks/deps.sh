# deploy/install-deps.sh, where it must not install anything.
. tests/checks/_tap.sh

script=$PWD/deploy/install-deps.sh
empty=$(mktemp -d)
for tool in sh awk sed cat; do ln -s "$(command -v $tool)" "$empty/$tool"; done

lists() { for list in run test; do sh "$script" --list "$list" | grep -q . || echo "$list is empty"; done; }
check_empty "each list has packages" lists
nested() {
    sh "$script" --list run | while read -r p; do sh "$script" --list test | grep -qx "$p" || echo "test lacks $p"; done
}
check_empty "test contains run" nested
check "everything is installed here, and it says nothing" sh -c '[ -z "$(sh "$0" test </dev/null 2>&1)" ]' "$script"

without_apt() { PATH=$empty sh "$script" run >"$empty/out" 2>&1; }
refuses() { ! without_apt && grep -q libmicrohttpd-dev "$empty/out" && grep -q 'no apt-get' "$empty/out"; }
check "without apt-get it prints the list and stops" refuses
check "ARXD_DEPS=present goes on" env PATH="$empty" ARXD_DEPS=present sh "$script" test
unknown() { ! sh "$script" nonsense && ! sh "$script"; }
check "unknown lists are refused" unknown
rm -rf "$empty"
finish
