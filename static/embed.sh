#!/bin/sh
# Prints the files of a folder beside it as a C file:
#   const embedded_file embedded_<folder>[]; const size_t embedded_<folder>_count;
# `{sha256 FILE}` in a text becomes the digest of that file of the folder, in hex.
set -eu
folder=${1:?usage: sh static/embed.sh FOLDER}
cd "$(dirname "$0")/$folder"

digest_of() { sha256sum <"$1" | cut -c 1-64; }

# One -e a placeholder, for sed.
digests=
for file in *; do
    digests="$digests -e s/{sha256[[:blank:]]$file}/$(digest_of "$file")/g"
done

count=0
rows=
printf '/* Made by static/embed.sh from static/%s. */\n#include "embedded.h"\n' "$folder"
for file in *; do
    count=$((count + 1))
    printf '\n/* %s */\nstatic const uint8_t file_%d[] = {\n' "$file" "$count"
    # shellcheck disable=SC2086 # a list of words
    sed $digests "$file" | od -An -v -tu1 | sed 's/  *\([0-9][0-9]*\)/\1,/g'
    printf '};\n'
    rows="$rows    {\"$file\", file_$count, sizeof file_$count},
"
done
printf '\nconst embedded_file embedded_%s[] = {\n%s};\n' "$folder" "$rows"
printf 'const size_t embedded_%s_count = %d;\n' "$folder" "$count"
