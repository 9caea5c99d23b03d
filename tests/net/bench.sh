#!/usr/bin/env bash
# Run all benchmarks quickly. Each part must report its figures, and no figure may be 0.
#   a: xa 10.66.0.1 --- xb 10.66.0.2 :b
set -eu
. "$(dirname "$0")/../support/net.sh"
two_hosts 4500
bench=build/bench/bench
check() { jq -e "$1" "$work/figures" >/dev/null || fail "$1: $(cat "$work/figures")"; }

refused 2 "usage: bench" $bench
refused 2 "no part is called speed" $bench -q "$work/figures" speed
$bench -q "$work/figures" >"$work/table"
check 'length > 50 and all(.value > 0 and .baseline > 0)'
check '(map(.name) | unique | length) == length'
for part in responder key rtt context mr poll mw mkey bw rate load; do
	check "any(.name | startswith(\"${part}_\"))"
	grep -q "^${part}_" "$work/table" || fail "the table lacks $part: $(cat "$work/table")"
done
for host in a b; do
	[ "$($xrdma -n $host stat -j)" = "[]" ] || fail "a device is still loaded on $host"
done
echo "$(jq length "$work/figures") figures"
