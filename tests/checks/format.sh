# The sources' shape: clang-format, line ends, sizes, no leftovers.
. tests/checks/_tap.sh

sources=$(find codec server static sql tests deploy \( -name node_modules -o -path static/assets/src \) -prune -o -name '*.[ch]' -print | sort)
texts=$(find Makefile README.md CONTRIBUTING.md LICENSE .ci codec server sql static tests deploy docs \
    \( -name node_modules -o -path tests/vectors -o -path tests/fuzz/corpus -o -path tests/bench/corpus -o -path static/assets/src -o -name '*.png' \) -prune -o -type f -print | sort)

# shellcheck disable=SC2086 # lists of files without spaces
{
    check_empty "clang-format" sh -c '
        clang-format-14 --dry-run "$@" 2>&1 | sed -n "s/^\([^:]*\):[0-9]*:[0-9]*: .*/\1/p" | sort -u' sh $sources
    check_empty "no trailing white space" grep -nE '[[:space:]]+$' $texts
    check_empty "no carriage returns" grep -nl "$(printf '\r')" $texts
    check_empty "no tabs in C sources" grep -n "$(printf '\t')" $sources
    check_empty "files end with a line feed" sh -c '
        for f; do [ "$(tail -c 1 "$f" | wc -l)" -eq 1 ] || [ ! -s "$f" ] || echo "$f"; done' sh $texts
    check_empty "nothing left to do" grep -nwE 'TODO|FIXME|XXX|HACK' $sources
    check_empty "files stay small (800 lines)" sh -c '
        for f; do n=$(wc -l <"$f"); [ "$n" -le 800 ] || echo "$f: $n lines"; done' sh $sources
    check_empty "headers have guards" sh -c '
        for f; do case $f in */mixer_loop.h) ;; *.h) grep -q "^#ifndef [A-Z_]*_H$" "$f" || echo "$f" ;; esac; done' sh $sources
    for script in $(find .ci deploy tests sql -name node_modules -prune -o \( -name '*.sh' -o -path .ci/run \) -print | sort); do
        check "shell syntax: $script" sh -n "$script"
    done
}
finish
