# What libarx.a defines, and what it asks for.
. tests/checks/_tap.sh
lib=build/release/libarx.a

defined_elsewhere() { nm -g --defined-only "$lib" | awk 'NF == 3 && $3 !~ /^arx_/ { print $3 }'; }
check_empty "only arx_ symbols are exported" defined_elsewhere

# Tables of pointers are constant once loaded (.data.rel.ro); all else that is not read-only is state.
mutable() {
    objdump -t "$lib" | awk '
        /file format/ { object = $1 }
        $0 ~ / \.(data|bss|tdata|tbss)/ || / \*COM\*/ {
            for (i = 1; i <= NF; i++) if ($i ~ /^(\.(data|bss|tdata|tbss)|\*COM\*)/) section = $i
            if (section !~ /^\.data\.rel\.ro/ && $NF != section && $NF !~ /^\.(data|bss|tdata|tbss)/)
                print object, section, $NF
        }'
}
check_empty "no mutable globals" mutable

# Everything the library takes from outside itself, by its owner.
allowed='^(malloc|calloc|realloc|aligned_alloc|free|madvise|mem(cpy|move|set|cmp|chr|mem|rchr)|str(len|cmp|ncmp|nlen|chr)|qsort|bsearch|log|_setjmp|longjmp|__stack_chk_fail|__cpu_model|__cpu_indicator_init|_GLOBAL_OFFSET_TABLE_|Brotli[A-Za-z]+|(de|in)flate[A-Za-z0-9_]*|__u?(div|mod)ti3|idn2_[a-z0-9_]+)$'
asked_for() {
    { nm -g --defined-only "$lib" | awk 'NF == 3 { print $3 }' | sed 's/^/d /'
      nm -g --undefined-only "$lib" | awk 'NF == 2 { print $2 }' | sed 's/^/u /'; } |
        awk -v allowed="$allowed" '
            $1 == "d" { defined[$2] = 1 }
            $1 == "u" { used[$2] = 1 }
            END { for (s in used) if (!(s in defined) && s !~ allowed) print s }'
}
check_empty "nothing is asked for but memory, strings, brotli, zlib and idn2" asked_for

# Its form parser and its WebSockets have had holes that a request reaches; they cannot be reached here.
of_microhttpd='^MHD_(start_daemon|stop_daemon|get_connection_(info|values|values_n)|(suspend|resume)_connection|queue_response|create_response_from_(buffer|callback|iovec)|add_response_header|destroy_response)$'
microhttpd_beyond() {
    nm -D --undefined-only build/release/arxd | awk '{ print $2 }' | grep '^MHD_' | grep -vE "$of_microhttpd"
    readelf -dW build/release/arxd | grep 'NEEDED.*microhttpd' | grep -v '\[libmicrohttpd\.so\.12\]'
}
check_empty "of libmicrohttpd arxd uses connections and replies, nothing else" microhttpd_beyond

check "arxd is a position-independent executable with full RELRO" sh -c '
    readelf -hW build/release/arxd | grep -q "Type:.*DYN" && readelf -dW build/release/arxd | grep -q "BIND_NOW\|NOW"'
check_empty "arxd asks for no executable stack" sh -c 'readelf -lW build/release/arxd | grep "GNU_STACK.*E"'
finish
