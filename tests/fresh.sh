#!/bin/sh
#
# fresh.sh - README's two commands on a bare Debian 12, as a newcomer runs them. `make test-fresh`.
#
#   tests/fresh.sh            make run, and a request; then make test
#   tests/fresh.sh run        only the first
#
# The root has git, make and ca-certificates and nothing else; the checkout is a clean clone of what is
# committed here. Takes as long as make test and the downloads; the log is build/fresh.log. Speaks TAP.
# Needs root and debootstrap. Inside, ARXD_NESTED=1 skips what would make such a root again.

cd "$(dirname "$0")/.." || exit 1
. tests/checks/_tap.sh
if [ "${ARXD_NESTED:-}" = 1 ] || [ "$(id -u)" -ne 0 ]; then
    skip "a bare Debian" "needs root, and not to be inside one already"
    finish
fi
. tests/bare_root.sh

mkdir -p build
work=$(mktemp -d "$PWD/build/fresh-XXXXXX")
log=$PWD/build/fresh.log
root=$work/root
port=$((20000 + $$ % 20000))
trap 'rm -rf "$work" "$tap_output"' EXIT
trap 'exit 130' INT TERM HUP

# A command line inside: its own processes, which all end with it; the network is this machine's.
inside() {
    unshare --mount --pid --fork --kill-child sh -c '
        root=$1 &&
        mount --bind "$root" "$root" && mount --rbind /dev "$root/dev" && mount -t proc proc "$root/proc" &&
        mount -t tmpfs tmpfs "$root/dev/shm" && mount -t tmpfs tmpfs "$root/tmp" &&
        exec chroot "$root" env -i HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
            NODE_EXTRA_CA_CERTS="$2" ARXD_NESTED=1 CI=true sh -c "$3"
    ' inside "$root" "$HOST_CA" "$1" >>"$log" 2>&1 </dev/null
}

make_root() { bare_root "$root" git,make,ca-certificates; }
clone() {
    git bundle create --quiet "$root/arxd.bundle" HEAD &&
        inside "git clone --quiet /arxd.bundle /root/arxd && cd /root/arxd && git status --porcelain"
}
# The server is up, a report goes in and comes out as it was, SIGTERM ends it well. It is asked from
# out here: there is no curl inside, and no pkill.
run_it() {
    inside "cd /root/arxd || exit 1
        make run ARGS='--port $port' & make=\$!
        while [ ! -e /root/stop ]; do kill -0 \$make || break; sleep 1; done
        for process in /proc/[0-9]*; do
            [ \"\$(cat \$process/comm)\" != arxd ] || kill -TERM \${process#/proc/}
        done
        wait \$make" &
    run=$!
    link=
    for _ in $(seq 1800); do
        link=$(printf '# Fresh\n' | curl -sf --data-binary @- "http://127.0.0.1:$port/share?filename=a.md") && break
        kill -0 $run 2>/dev/null || break
        sleep 1
    done
    text=$(curl -sf "$link/raw")
    touch "$root/root/stop"
    wait $run && [ "$text" = "# Fresh" ]
}
test_it() { inside "cd /root/arxd && make test" && grep -E '^[0-9]+ passed, 0 failed' "$log"; }
report() { "$@" || { tail -60 "$log"; return 1; }; }

: >"$log"
check "a bare Debian 12 with git, make and ca-certificates" report make_root
check "a clean clone" report clone
started=$(date +%s)
check "make run serves" report run_it
echo "# make run, with everything it installs: $(($(date +%s) - started)) s"
if [ "${1:-}" != run ]; then
    started=$(date +%s)
    check "make test passes" report test_it
    echo "# make test: $(($(date +%s) - started)) s; $(tail -1 "$log")"
fi
finish
