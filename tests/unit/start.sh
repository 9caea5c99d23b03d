#!/usr/bin/env bash
# Commands that tests start in the background (tests/support/start.sh).
set -eu
cd "$(dirname "$0")/../.."
. tests/support/start.sh
file=$(mktemp)
trap 'rm -f "$file"' EXIT

# A test never takes the output of an earlier command for that of the command which it starts. Here
# the file contains the word "ready" from before.
echo ready >"$file"
start "$file" sleep 0.1
[ ! -s "$file" ] || fail "it has said: $(cat "$file")"
wait $!
echo ready >"$file"
if (start_until "$file" ready echo other) >/dev/null; then fail "ready was said before"; fi

start_until "$file" ready sh -c 'echo ready; echo too >&2; read -r line; echo "$line"' <<<input
wait $!
[ "$(cat "$file")" = $'ready\ntoo\ninput' ] || fail "it has said: $(cat "$file")"
echo "commands in the background"
