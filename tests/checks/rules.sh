# Rules of the house, as far as a script can see them: who may include and call what.
. tests/checks/_tap.sh

# The offline tool is a program on the library, not part of it.
library=$(find codec -name '*.[ch]' ! -path 'codec/tool/*' ! -name 'arx_main.c' | sort)
server=$(find server -name '*.[ch]' | sort)
ours=$(find codec server static tests/unit -path static/assets/src -prune -o -name '*.[ch]' -print | sort)

# includes of FILES that match PATTERN
# shellcheck disable=SC2086 # lists of files without spaces
including() {
    pattern=$1
    shift
    [ $# -eq 0 ] || grep -nE "^[[:space:]]*#[[:space:]]*include[[:space:]]*[<\"]($pattern)[>\"]" "$@" /dev/null
}
except() { # PATTERN FILES...: the files whose names do not match
    pattern=$1
    shift
    printf '%s\n' "$@" | grep -vE "$pattern"
}

# shellcheck disable=SC2046,SC2086
{
    check_empty "codec/ includes nothing that does I/O, threads, time or processes" including \
        'stdio\.h|unistd\.h|fcntl\.h|pthread\.h|threads\.h|semaphore\.h|signal\.h|time\.h|syslog\.h|locale\.h|poll\.h|dirent\.h|dlfcn\.h|netdb\.h|wchar\.h|sys/([^m]|m[^m]).*|net.*/.*|arpa/.*' $library
    check_empty "codec/ knows nothing of server/" including '(http|store|jobs|log|config|route|api_).*\.h|jansson\.h|sqlite3\.h|microhttpd\.h|nettle/.*|uuid.*' $library
    check_empty "only the brotli and deflate modules know their libraries" including 'brotli/.*|zlib\.h' \
        $(except '^codec/(brotli|deflate|entropy_native)' $library)
    check_empty "only link and url know libidn2" including 'idn2\.h' $(except '^codec/(link|url)' $library)
    check_empty "only server/http* include microhttpd.h" including 'microhttpd\.h' $(except '^server/http' $library $server)
    check_empty "only server/store_* know a database" including 'sqlite3\.h|libpq-fe\.h' $(except '^server/store_' $library $server)
    check_empty "SQL is in store_* and sql/ only" grep -nE '"(SELECT|INSERT|UPDATE|DELETE FROM|CREATE|PRAGMA|BEGIN) ' \
        $(except '^server/store_' $server)
    check_empty "handlers touch no thread primitive" including 'pthread\.h|threads\.h|semaphore\.h|stdatomic\.h' \
        $(grep -lE '\bhttp_handler\b|http_request \*' $server | grep -vE '^server/http') $(find server/oui -name '*.[ch]')
    check_empty "jansson's writer is used nowhere" grep -nE '\bjson_dump[a-z_]*\b|\bjson_dump_' $ours
    check_empty "libmicrohttpd's form parser is used nowhere" grep -nE 'MHD_(create|destroy)?_?post_process' $ours
    check_empty "no ifunc and no target_clones" grep -nE 'target_clones|__attribute__ *\(\( *ifunc' $ours
    check_empty "no unbounded string functions" \
        grep -nE '\b(strcpy|strcat|sprintf|vsprintf|gets|atoi|atol|atof|strtok|alloca|scanf|sscanf)\(' $(except '^tests/' $ours)
    check_empty "codec/ never exits" grep -nE '\b(exit|_exit|quick_exit|abort|raise)\(' $library
    check_empty "no test is fenced off" grep -nE '\.only\(|only: true|#if 0' $ours $(find tests -name node_modules -prune -o -name '*.mjs' -print)
    check_empty "the lock names no registry" grep -n '"resolved"' tests/package-lock.json
    check "Node.js is pinned exactly" grep -qE '"node": "22\.[0-9]+\.[0-9]+"' tests/package.json
}

# Every header can be included alone, and first; not so the text that two kernels are made from.
headers_alone() {
    for header in $(find codec server static -path static/assets/src -prune -o -name '*.h' ! -name mixer_loop.h -print | sort); do
        printf '#include "%s"\n' "$header" |
            ${CC:-cc} -std=c17 -D_GNU_SOURCE -Wall -Wextra -Werror -fsyntax-only \
                -I. -Icodec -Iserver -Istatic/assets -Istatic/viewer -x c - || echo "$header"
    done
}
check_empty "headers stand alone" headers_alone
# -Iserver would find it in the place of the system's.
hiding_headers() {
    # shellcheck disable=SC2086
    for name in $(grep -hoE '#include <[^>/]+>' $ours | sed 's/.*<//; s/>//' | sort -u); do
        find codec server static -path static/assets/src -prune -o -name "$name" -print
    done
}
check_empty "no header has the name of a system's that is included" hiding_headers
finish
