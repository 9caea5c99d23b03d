#!/usr/bin/env bash
# A netdev segments messages into datagrams with the same IPv4 identification (one_id.bpf.c). The
# ICRCs assume identifications that are incremented. The requester notices that, and sends single
# datagrams.
#   a: xa 10.66.0.1 --- pa wire: br0 pb --- xb 10.66.0.2 :b
set -eu
. "$(dirname "$0")/../support/net.sh"
two_hosts_bridged 4500
ip -n a link set xa gso_max_segs 1
tc -n wire qdisc add dev pa clsact
tc -n wire filter add dev pa ingress bpf da obj build/bpf/one_id.bpf.o sec tc
$xrdma -n a load xa --mode tc >/dev/null
$xrdma -n b load xb --mode tc >/dev/null
damaged() { $xrdma -n b stat xb -j | jq '.[0].verdicts.ICRC'; }

write() { # ARGUMENT...: of perf
	local server
	start_until "$work/server" waiting $xrdma -n b perf xb -1
	server=$!
	timeout 20 $xrdma -n a perf xa 10.66.0.2 --tx udp -q 1 -d 64 -t 0.2 "$@" >"$work/output" ||
		fail "$(cat "$work/output")"
	wait $server || fail "the server of one client: status $?"
}
write write -s 1000
few=$(damaged)
[ "$few" -gt 0 ] || fail "nothing was cut"
[ "$few" -lt 300 ] || fail "$few packets were damaged, and the requester has not noticed"
write send -s 20000 -m 1024
echo "single datagrams after $few were damaged"
