#!/bin/sh
#
# install-deps.sh - installs the Debian packages that arxd is built, shown and tested with.
#
#   deploy/install-deps.sh run          what `make run` needs: compilers, libraries, npm for the page
#   deploy/install-deps.sh test         everything `make test` needs
#   deploy/install-deps.sh bench        what `make bench-http` needs
#   deploy/install-deps.sh image        what the binaries run on, for Dockerfile
#   deploy/install-deps.sh --list ...   only prints the packages of these lists
#
# Installs only what is missing, says so first and, on a terminal, asks. Runs apt-get by sudo when not
# root. Where there is no apt-get it prints the list and stops; ARXD_DEPS=present says that all of it
# is there already, under whatever names.
#
# An entry is PACKAGE, or PACKAGE=COMMAND: not installed where that command exists already.

set -eu

# The page's codec is compiled to WebAssembly, its scripts are bundled by packages from npm. Node 22
# itself comes from the npm package `node` in tests/package-lock.json; Debian's nodejs and npm only
# fetch it.
RUN="make=make gcc=gcc libc6-dev libmicrohttpd-dev libsqlite3-dev libbrotli-dev zlib1g-dev
     libjansson-dev uuid-dev libidn2-dev nettle-dev libpq-dev
     clang-14=clang-14 lld-14=wasm-ld-14 wasi-libc libclang-rt-14-dev-wasm32
     ca-certificates nodejs=node npm=npm"

TEST="libcmocka-dev clang-format-14=clang-format-14 libclang-rt-14-dev sqlite3=sqlite3
      postgresql-15 curl=curl mandoc=mandoc debootstrap=debootstrap buildah=buildah
      prometheus=promtool chromium=chromium fonts-dejavu-core
      nginx=nginx caddy=caddy openssl=openssl systemd=systemd-analyze strace=strace"

BENCH="nginx=nginx libnginx-mod-http-brotli-static wrk=wrk sqlite3=sqlite3 postgresql-15"

# The libraries' packages alone.
IMAGE="libmicrohttpd12 libsqlite3-0 libpq5 libbrotli1 zlib1g libjansson4 libuuid1 libidn2-0 libnettle8"

die() {
    echo "install-deps.sh: $1" >&2
    exit 1
}

packages_of() {
    case $1 in
    run) echo $RUN ;;
    test) echo $RUN $TEST ;;
    bench) echo $RUN $BENCH ;;
    image) echo $IMAGE ;;
    *) die "no list named '$1' (run, test, bench, image)" ;;
    esac
}

list_only=no
if [ "${1:-}" = --list ]; then
    list_only=yes
    shift
fi
[ $# -gt 0 ] || die "which list? (run, test, bench, image)"

entries=
for list in "$@"; do
    entries="$entries $(packages_of "$list")"
done
all=$(for entry in $entries; do echo "${entry%%=*}"; done | awk '!seen[$0]++')

if [ $list_only = yes ]; then
    echo "$all"
    exit 0
fi
[ "${ARXD_DEPS:-}" != present ] || exit 0

if ! command -v apt-get >/dev/null 2>&1; then
    {
        echo "install-deps.sh: no apt-get here. arxd is built on Debian 12 with these packages:"
        echo "$all" | sed 's/^/    /'
        echo "Install what corresponds to them, then say so: ARXD_DEPS=present make ..."
    } >&2
    exit 1
fi

is_installed() {
    [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

missing=
for entry in $entries; do
    package=${entry%%=*}
    is_installed "$package" && continue
    case $entry in *=*) command -v "${entry#*=}" >/dev/null 2>&1 && continue ;; esac
    case " $missing " in *" $package "*) ;; *) missing="$missing $package" ;; esac
done
[ -n "$missing" ] || exit 0

as_root=
if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null 2>&1 || die "not root and no sudo here. As root: apt-get install$missing"
    as_root=sudo
fi

echo "install-deps.sh: installing with apt-get:$missing"
if [ -t 0 ] && [ -t 1 ]; then
    printf 'Go on? [Y/n] '
    read -r answer || answer=n
    case $answer in
    '' | [Yy]*) ;;
    *) die "not installed: $missing" ;;
    esac
fi

# Debian starts the service of a package it installs. Nothing here should run before its
# configuration is ours, so a policy that says "not now" (101) stands while we install.
policy=/usr/sbin/policy-rc.d
made_policy=no
drop_policy() {
    [ $made_policy = no ] || $as_root rm -f "$policy"
    made_policy=no
}
trap drop_policy EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
if [ ! -e "$policy" ]; then
    made_policy=yes
    printf '#!/bin/sh\nexit 101\n' | $as_root tee "$policy" >/dev/null
    $as_root chmod 755 "$policy"
fi

apt() {
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -o=Dpkg::Use-Pty=0 "$@"
}

apt update || echo "install-deps.sh: apt-get update failed; trying with the lists at hand" >&2
log=$(mktemp)
# shellcheck disable=SC2086 # one word a package
if ! apt install -y --no-install-recommends $missing >"$log" 2>&1 </dev/null; then
    cat "$log" >&2
    rm -f "$log"
    die "apt-get could not install:$missing"
fi
rm -f "$log"
