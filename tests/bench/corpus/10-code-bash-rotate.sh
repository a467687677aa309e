#!/usr/bin/env bash
# Rotate the database password without downtime: both passwords work while the pods roll.
set -euo pipefail

app=${1:?usage: rotate.sh APP [NAMESPACE]}
ns=${2:-production}
secret="${app}-db"

die() { printf 'rotate: %s\n' "$*" >&2; exit 1; }

command -v kubectl >/dev/null || die "kubectl is not installed"
kubectl -n "$ns" get secret "$secret" >/dev/null 2>&1 || die "no secret $secret in $ns"

current=$(kubectl -n "$ns" get secret "$secret" -o jsonpath='{.data.username}' | base64 -d)
case $current in
  *_a) next=${current%_a}_b ;;
  *_b) next=${current%_b}_a ;;
  *)   die "user $current ends neither in _a nor in _b" ;;
esac

password=$(openssl rand -base64 30 | tr -d '/+=' | cut -c1-32)
echo "==> $app: $current -> $next"

psql -qX -v ON_ERROR_STOP=1 -v user="$next" -v pass="$password" <<'SQL'
alter role :"user" with login password :'pass' valid until 'infinity';
SQL

kubectl -n "$ns" create secret generic "$secret" \
  --from-literal=username="$next" \
  --from-literal=password="$password" \
  --dry-run=client -o yaml | kubectl apply -f -

kubectl -n "$ns" rollout restart "deployment/$app"
kubectl -n "$ns" rollout status "deployment/$app" --timeout=300s || {
  echo "!! rollout failed, going back" >&2
  kubectl -n "$ns" rollout undo "deployment/$app"
  exit 1
}

for _ in $(seq 1 30); do
  left=$(psql -qAtX -c "select count(*) from pg_stat_activity where usename = '$current'")
  [ "$left" -eq 0 ] && break
  echo "    $left sessions of $current left"
  sleep 10
done

psql -qX -c "alter role \"$current\" with nologin"
echo "==> done"
