#!/usr/bin/env bash
# Both ends send requests of all kinds on several queue pairs, while packets are lost, doubled and
# damaged (chaos.bpf.c). Every byte must be right (traffic.c), in both modes.
#   a: xa 10.66.0.1 --- pa wire: br0 pb --- xb 10.66.0.2 :b
set -eu
. "$(dirname "$0")/../support/net.sh"
. tests/support/traffic.sh
two_hosts_bridged 4500
for port in pa pb; do
	ip -n wire link set $port xdpdrv obj build/bpf/chaos.bpf.o sec xdp.frags
	tc -n wire qdisc add dev $port clsact
	tc -n wire filter add dev $port egress bpf da obj build/bpf/chaos.bpf.o sec tc
done

over_both() {
	traffic_over 10.66.0.2
	traffic_over fd66::2
	for host in a b; do
		$xrdma -n $host stat x$host -j >"$work/counted"
		jq -e '.[0].verdicts | all(.DUPLICATE, .ICRC, .PSN_AHEAD; . > 0)' "$work/counted" >/dev/null ||
			fail "at $host: $(cat "$work/counted")"
	done
}
in_both_modes over_both
echo "all bytes right, with packets lost, doubled and damaged, in native and tc mode"
