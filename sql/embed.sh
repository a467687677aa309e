#!/bin/sh
# Prints the migrations of one database (sql/<database>/NNN_name.sql) as a C file:
#   const char *const migrations_<database>[]; const size_t migrations_<database>_count;
# Numbers start at 001 and have no gap: migration i takes a database from version i - 1 to i.
# Written as bytes, because compilers need not take string literals over 4,095 characters.
set -eu
database=${1:?usage: sh sql/embed.sh DATABASE}
cd "$(dirname "$0")/$database"

count=0
names=
printf '/* Made by sql/embed.sh from sql/%s. */\n#include "store_migrations.h"\n' "$database"
for file in [0-9][0-9][0-9]_*.sql; do
    count=$((count + 1))
    if [ "${file%%_*}" != "$(printf '%03d' "$count")" ]; then
        echo "sql/$database/$file: expected number $count next" >&2
        exit 1
    fi
    if LC_ALL=C tr -d '\11\12\40-\176' < "$file" | grep -q .; then
        echo "sql/$database/$file: only ASCII, please" >&2
        exit 1
    fi
    printf '\n/* %s */\nstatic const char migration_%d[] = {\n' "$file" "$count"
    od -An -v -tu1 "$file" | sed 's/  *\([0-9][0-9]*\)/\1,/g'
    printf '0};\n'
    names="$names migration_$count,"
done
printf '\nconst char *const migrations_%s[] = {%s};\n' "$database" "$names"
printf 'const size_t migrations_%s_count = %d;\n' "$database" "$count"
