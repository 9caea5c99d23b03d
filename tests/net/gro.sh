#!/usr/bin/env bash
# Netdevs merge received datagrams into super packets (GRO), like netdevs of gateways may do. gro.c
# sends single packets, and traffic.c all kinds of requests in both directions.
#   a: xa 10.66.0.1, .3 --- xb 10.66.0.2 :b
set -eu
. "$(dirname "$0")/../support/net.sh"
. tests/support/traffic.sh
peer_and_host
ip -n a link set xa gso_max_segs 1 # so that packets do not arrive merged already

merge_at() { # HOST FEATURE NANOSECONDS: how, and how long a datagram waits for others
	ip netns exec "$1" ethtool -K "x$1" gro on rx-udp-gro-forwarding off rx-gro-list off
	ip netns exec "$1" ethtool -K "x$1" "$2" on
	ip netns exec "$1" sh -c "echo $3 >/sys/class/net/x$1/gro_flush_timeout"
}

$xrdma -n b load xb --mode tc >/dev/null
for how in rx-udp-gro-forwarding rx-gro-list; do
	merge_at b $how 200000000
	"$programs/gro"
done
$xrdma -n b unload xb

merged() {
	for how in rx-udp-gro-forwarding rx-gro-list; do
		merge_at a $how 50000
		merge_at b $how 50000
		traffic_over 10.66.0.2
		traffic_over fd66::2
	done
	for host in a b; do
		[ "$($xrdma -n $host stat x$host -j | jq ".[0].verdicts.ICRC")" = 0 ] ||
			fail "$host takes packets for damaged"
	done
}
in_both_modes merged
echo "all bytes right where datagrams come merged, in native and tc mode"
