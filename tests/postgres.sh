#!/bin/sh
#
# postgres.sh - a PostgreSQL of the tests' own, from Debian's package, for as long as a command runs.
#
#   tests/postgres.sh COMMAND ...        runs COMMAND with ARXD_TEST_POSTGRES in its environment: the
#                                        URL of the server, without a database's name behind it
#   tests/postgres.sh --durable COMMAND  the same with fsync on, for benchmarks and soaks
#
# The server runs as an unprivileged user on a free port of 127.0.0.1, in a folder that is removed at
# the end. Further settings may be given in POSTGRES_SETTINGS ("-c name=value ..."). COMMAND finds
# the server's folder in ARXD_TEST_POSTGRES_DIR, and may stop, start and restart it by
# tests/postgres.sh --stop, --start or --restart.
set -eu

BIN=
for found in /usr/lib/postgresql/*/bin /usr/bin /usr/local/bin; do
    [ ! -x "$found/initdb" ] || BIN=$found
done
[ -n "$BIN" ] || {
    echo "postgres.sh: there is no initdb: install the package postgresql-15" >&2
    exit 1
}

# As root, PostgreSQL refuses to run; Debian's package has made a user for it.
unprivileged() {
    if [ "$(id -u)" -eq 0 ]; then
        setpriv --reuid=postgres --regid=postgres --clear-groups env HOME=/ "$@"
    else
        "$@"
    fi
}

control() {
    unprivileged "$BIN/pg_ctl" -D "$ARXD_TEST_POSTGRES_DIR/data" -l "$ARXD_TEST_POSTGRES_DIR/log" -w -s \
        "$@" >/dev/null </dev/null
}

case ${1:-} in
--stop | --restart) control "${1#--}" -m "${2:-fast}" && exit ;;
--start) control start && exit ;;
esac

durable=off
if [ "${1:-}" = --durable ]; then
    durable=on
    shift
fi

dir=$(mktemp -d /tmp/arxd-postgres.XXXXXX)
ARXD_TEST_POSTGRES_DIR=$dir
export ARXD_TEST_POSTGRES_DIR
[ "$(id -u)" -ne 0 ] || chown postgres "$dir"
cleanup() {
    control stop -m immediate 2>/dev/null || :
    rm -rf "$dir"
}
trap cleanup EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

password=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
(umask 077 && echo "$password" >"$dir/password")
[ "$(id -u)" -ne 0 ] || chown postgres "$dir/password"
unprivileged "$BIN/initdb" -D "$dir/data" -U arxd -E UTF8 --locale=C.UTF-8 --no-sync \
    -A scram-sha-256 --pwfile="$dir/password" >"$dir/initdb.log" 2>&1 || {
    cat "$dir/initdb.log" >&2
    exit 1
}

# The kernel names a free port: one that is taken meanwhile only costs another try.
for try in 1 2 3 4 5; do
    port=$(perl -MIO::Socket::INET -e 'print IO::Socket::INET->new(Listen => 1, LocalAddr => "127.0.0.1")->sockport')
    cat >"$dir/settings" <<END
listen_addresses = '127.0.0.1'
port = $port
unix_socket_directories = '$dir'
max_connections = 150
shared_buffers = 64MB
fsync = $durable
full_page_writes = $durable
max_wal_size = 1GB
log_checkpoints = off
END
    for setting in ${POSTGRES_SETTINGS:-}; do
        [ "$setting" = -c ] || echo "${setting%%=*} = '${setting#*=}'" >>"$dir/settings"
    done
    unprivileged sh -c "cat >'$dir/data/postgresql.auto.conf'" <"$dir/settings"
    if control start; then
        break
    fi
    [ "$try" -lt 5 ] || {
        cat "$dir/log" >&2
        exit 1
    }
done

ARXD_TEST_POSTGRES="postgresql://arxd:$password@127.0.0.1:$port"
export ARXD_TEST_POSTGRES
"$@"
