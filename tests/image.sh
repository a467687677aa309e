#!/bin/sh
#
# image.sh - builds the container image and runs it, without a Docker daemon. `make test-image`.
#
# A debootstrapped Debian is the base image; buildah builds Dockerfile on it. The result runs in a mount
# namespace of its own: root file system read-only, one volume, no other user than the image's.
# Speaks TAP. Needs root, debootstrap and buildah; ARXD_NESTED=1 skips it, for runs inside such a root.

cd "$(dirname "$0")/.." || exit 1
. tests/checks/_tap.sh
if [ "${ARXD_NESTED:-}" = 1 ]; then
    skip "the image" "inside a bare root already"
    finish
fi
if [ "$(id -u)" -ne 0 ]; then
    skip "the image" "needs root"
    finish
fi
. tests/bare_root.sh

mkdir -p build
work=$(mktemp -d "$PWD/build/image-XXXXXX")
port=$((20000 + $$ % 20000))
pid=
store() { buildah --root "$work/store" --runroot "$work/run" --storage-driver vfs "$@"; }
clean_up() {
    [ -z "$pid" ] || kill -KILL "$pid" 2>/dev/null
    store rm --all >/dev/null 2>&1
    rm -rf "$work" "$tap_output"
}
trap clean_up EXIT
trap 'exit 130' INT TERM HUP

make_base() {
    bare_root "$work/base" ca-certificates || return 1
    base=$(store from scratch) &&
        store add --quiet "$base" "$work/base" / &&
        store config --env NODE_EXTRA_CA_CERTS="$HOST_CA" --cmd /bin/sh "$base" &&
        store commit --quiet --rm "$base" arxd-base
}
build_image() {
    # --format docker: the other one has no HEALTHCHECK
    store build --quiet --format docker --isolation chroot --layers=false \
        --build-arg BASE=localhost/arxd-base --tag arxd . >"$work/build.log" 2>&1 ||
        { tail -40 "$work/build.log"; return 1; }
}

started=$(date +%s)
check "a bare Debian becomes the base image" make_base
echo "# $(($(date +%s) - started)) s"
started=$(date +%s)
check "Dockerfile builds on it" build_image
echo "# $(($(date +%s) - started)) s"
[ $tap_failed -eq 0 ] || finish

store inspect --type image localhost/arxd >"$work/inspect.json"
says() { grep -q "$1" "$work/inspect.json" || { grep -n '"docker"' -A60 "$work/inspect.json" | head -90; return 1; }; }
has_health_check() { says '"--healthcheck"' && says '"Healthcheck"'; }
check "it has a health check" has_health_check
check "SIGTERM stops it" says '"StopSignal": "SIGTERM"'
check "it runs as nobody special" says '"User": "10001"'
check "it has one volume" says '"/data": {}'
check "it is labelled" says '"org.opencontainers.image.title": "arxd"'

container=$(store from localhost/arxd)
root=$(store mount "$container")
# Without what apt leaves behind, which the base has and the image has not.
bytes_of() { du -sxB1 --exclude="$1/var/lib/apt" --exclude="$1/var/cache" --exclude="$1/var/log" "$1" | cut -f1; }
added=$(($(bytes_of "$root") - $(bytes_of "$work/base")))
echo "# $((added / 1000000)) MB above the base's $(($(bytes_of "$work/base") / 1000000)) MB"
check "it adds less than 60 MB to the base" test $added -lt 60000000
linked() { ! chroot "$root" ldd /usr/local/bin/arxd /usr/local/bin/arx | grep 'not found'; }
check "its libraries are all there, and no compiler is" sh -c '! chroot "$0" sh -c "command -v gcc make node npm clang-14"' "$root"
check "nothing it links is missing" linked

volume=$work/volume
install -d -o 10001 -m 750 "$volume"
# ENTRYPOINT as a container runtime would start it; variables after --
start() { # ARXD_OPEN=1 ...
    unshare --mount --fork --kill-child sh -c '
        root=$1 volume=$2 && shift 2 &&
        mount --bind "$root" "$root" && mount --bind "$volume" "$root/data" &&
        mount -o remount,bind,ro "$root" && mount -t proc proc "$root/proc" &&
        exec chroot --userspec=10001:10001 "$root" \
            env -i PATH=/usr/local/bin:/usr/bin:/bin HOST=0.0.0.0 PORT=3000 DB_PATH=/data/arxd.db "$@" arxd
    ' start "$root" "$volume" "$@" >"$work/output" 2>&1 &
    pid=$!
}
healthy() { chroot "$root" env HOST=127.0.0.1 PORT=$port arxd --healthcheck >"$work/health" 2>&1; }
wait_until_healthy() {
    for _ in $(seq 100); do
        healthy && return 0
        kill -0 "$pid" 2>/dev/null || break
        sleep 0.1
    done
    cat "$work/output" "$work/health"
    return 1
}
# The daemon itself, below unshare and its shell.
daemon() { pgrep -P "$pid" -x arxd || pgrep -P "$pid"; }
stop() {
    kill -TERM "$(daemon)" || return 1
    wait "$pid"
    code=$?
    pid=
    [ $code -eq 0 ] || { echo "exit code $code"; cat "$work/output"; return 1; }
}

refuses_to_listen() {
    start
    wait "$pid"
    code=$?
    pid=
    cat "$work/output"
    [ $code -eq 2 ] && grep -q -e '--open' "$work/output"
}
check "without a tokens file it does not listen to everybody, and says why" refuses_to_listen

start HOST=127.0.0.1 PORT=$port
check "it starts on a read-only root" wait_until_healthy
post() {
    printf '# From a container\n' |
        curl -sS --fail --data-binary @- "http://127.0.0.1:$port/share?filename=note.md" >"$work/link" &&
        grep -q "^http://127.0.0.1:$port/" "$work/link"
}
check "a file becomes a short link" post
only_writes_data() { ! chroot --userspec=10001:10001 "$root" sh -c 'find / -xdev -newer /usr/local/bin/arxd -user 10001 ! -path "/data*" ! -path "/proc*"' 2>/dev/null | grep .; }
check "nothing outside the volume was written" only_writes_data
check "SIGTERM ends it with exit code 0" stop
start HOST=127.0.0.1 PORT=$port
check "it starts again on the same volume" wait_until_healthy
reads_back() { [ "$(curl -sS --fail "$(cat "$work/link")/raw")" = "# From a container" ]; }
check "the link is still there" reads_back
fails_when_gone() { stop && ! healthy; }
check "the health check fails once it has ended" fails_when_gone
finish
