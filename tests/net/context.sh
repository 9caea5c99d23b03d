#!/usr/bin/env bash
# Processes use a loaded device, and the tool lists them. The programs of tests/net/context need a
# loaded device. Those of tests/net/qp need routes and neighbours, too.
#   a: xa 10.66.0.1 --- xb 10.66.0.2 :b, which is also a's gateway to 10.77.0.0/24
set -eu
. "$(dirname "$0")/../support/net.sh"
two_hosts
in_a="nsenter --net=/run/netns/a"

$xrdma -n a load xa >/dev/null
run_programs context $in_a
[ "$($xrdma -n a status xa -j | jq '.[0].contexts')" = 0 ] || fail "contexts are left"

refused 1 "not in this network namespace" nsenter --net=/run/netns/b "$programs/hold" xa
mkfifo "$work/to_holder" "$work/from_holder"
exec {input}<>"$work/to_holder" {output}<>"$work/from_holder"
$in_a "$programs/hold" xa <&"$input" >&"$output" &
holder=$!
read -r -u "$output"
[ "$($xrdma -n a status xa -j | jq '.[0].contexts')" = 1 ] || fail "the context is not shown"
# The process is shown with its id in the first PID namespace, which is not the shell's.
refused 1 "xa is used by process [1-9][0-9]* (contexts in all: 1): end the process" $xrdma -n a unload xa
bpftool -j map dump pinned "$XRDMA_BPFFS/xrdma/xa/xrdma_contexts" |
	jq -e 'any(.[]; .formatted.value.state == 1)' >/dev/null || fail "bpftool names no fields"
# A process whose device was unloaded all the same gets an error, even if the device was loaded
# again.
$xrdma -n a unload -f xa
[ -z "$(ls -A "$XRDMA_BPFFS/xrdma")" ] || fail "pins are left"
$xrdma -n a load xa >/dev/null
echo >&"$input"
read -r -u "$output" line
[ "$line" = "the device was unloaded, or its netdev has left: close the context" ] || fail "reports: $line"
wait $holder || fail "the context could not be closed"

ip -n a route add 10.77.0.0/24 via 10.66.0.2
ip -n a route add blackhole 10.78.0.0/24
ip -n a route add 10.80.0.0/24 via 10.66.0.2 mtu 600
ip -n a link add name other up type veth peer name far
ip -n a addr add 10.79.0.1/24 dev other
PEER_MAC=$(ip -n b -j link show xb | jq -r '.[0].address')
export PEER_MAC
ip -n a neigh add 10.66.0.2 lladdr "$PEER_MAC" nud permanent dev xa
run_programs qp $in_a
[ "$($xrdma -n a status xa -j | jq '.[0].contexts')" = 0 ] || fail "contexts are left"
$xrdma -n a unload xa
[ -z "$(ls -A "$XRDMA_BPFFS/xrdma")" ] || fail "pins are left"
echo "contexts, domains, regions, queue pairs"
