#!/usr/bin/env bash
# Build the image and deploy it.
set -euo pipefail

usage() {
  echo "Usage: $0 [-n] <environment>" >&2
  exit 1
}

while getopts "nh" opt; do
  case "$opt" in
    n) dry_run=1 ;;
    *) usage ;;
  esac
done
shift $((OPTIND - 1))
[[ $# -eq 1 ]] || usage

tmp_dir=$(mktemp -d)
trap 'rm -rf "$tmp_dir"' EXIT

if ! command -v docker >/dev/null 2>&1; then
  printf 'docker is not installed\n' >&2
  exit 1
fi

for service in api worker; do
  docker build -t "$service:${VERSION:-latest}" . | grep -v '^Step' || true
  if [ "$dry_run" -eq 0 ]; then
    docker push "$service:$VERSION"
  fi
done
