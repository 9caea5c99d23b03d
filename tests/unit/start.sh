#!/usr/bin/env bash
# Commands that tests start in the background (tests/support/start.sh).
set -eu
cd "$(dirname "$0")/../.."
. tests/support/start.sh
said=$(mktemp)
trap 'rm -f "$said"' EXIT

# A test never takes the output of an earlier command for that of the command which it starts. Here
# the file contains the word "ready" from before.
echo ready >"$said"
start "$said" sleep 0.1
[ ! -s "$said" ] || fail "it has said: $(cat "$said")"
wait $!
echo ready >"$said"
if (start_until "$said" ready echo other) >/dev/null; then fail "ready was said before"; fi

start_until "$said" ready sh -c 'echo ready; echo too >&2; read -r line; echo "$line"' <<<input
wait $!
[ "$(cat "$said")" = $'ready\ntoo\ninput' ] || fail "it has said: $(cat "$said")"
echo "commands in the background"
