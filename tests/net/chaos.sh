#!/usr/bin/env bash
# Both ends ask for all that there is, on several queue pairs, where packets are lost, doubled and
# damaged (chaos.bpf.c): every byte is what it should be (traffic.c). In both modes.
#   a: xa 10.66.0.1 --- pa wire: br0 pb --- xb 10.66.0.2 :b
set -eu
. "$(dirname "$0")/../support/net.sh"
two_hosts_bridged 4500
for port in pa pb; do
	ip -n wire link set $port xdpdrv obj build/bpf/chaos.bpf.o sec xdp.frags
	tc -n wire qdisc add dev $port clsact
	tc -n wire filter add dev $port egress bpf da obj build/bpf/chaos.bpf.o sec tc
done

are_there() { # PID...
	local pid
	for pid; do
		kill -0 $pid 2>/dev/null || return 1
	done
}

wait_for() { # TEXT HOST...: until they have said it
	local text=$1 host end=$((SECONDS + 60))
	shift
	for host; do
		until grep -q "$text" "$work/$host"; do
			[ $SECONDS -lt $end ] && are_there $a $b || fail "$(tail "$work/a" "$work/b")"
			sleep 0.05
		done
	done
}

traffic_over() { # ADDRESS of b
	: >"$work/a"
	ip netns exec b "$programs/traffic" xb 200 >"$work/b" 2>&1 &
	a= b=$!
	wait_for waiting b
	ip netns exec a "$programs/traffic" xa 200 "$1" >"$work/a" 2>&1 &
	a=$!
	wait_for done a b
	kill $a $b
	wait $a $b || true
}

over_both() {
	traffic_over 10.66.0.2
	traffic_over fd66::2
	for host in a b; do
		for verdict in DUPLICATE ICRC PSN_AHEAD; do
			[ "$($xrdma -n $host stat x$host -j | jq ".[0].verdicts.$verdict")" -gt 0 ] ||
				fail "no $verdict at $host"
		done
	done
}
in_both_modes over_both
echo "all bytes right, with packets lost, doubled and damaged, in native and tc mode"
