#!/bin/sh
# The set-up of deploy/compose.scale.yaml on one machine, under load, one node killed every minute.
#
#   tests/soak-scale.sh [SECONDS]        600 unless said otherwise
#
# Prints a report and ends with 1 if a link that was answered 201 is lost, or if anything else than
# 502 and 503 was answered where a node was killed.
set -eu
cd "$(dirname "$0")/.."
exec tests/node_modules/.bin/node tests/nodes/soak.mjs "${1:-600}"
