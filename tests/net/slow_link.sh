#!/usr/bin/env bash
# READs from a host that is faster than its link: what cannot be sent waits, and none of it is lost.
#   a: xa 10.66.0.1 --- xb 10.66.0.2 :b, 500 Mbit/s towards a
set -eu
. "$(dirname "$0")/../support/net.sh"
two_hosts 4500
ip netns exec b tc qdisc add dev xb root tbf rate 500mbit burst 32kb limit 64kb 2>"$work/said" || {
	grep -q 'qdisc kind is unknown' "$work/said" || fail "$(cat "$work/said")"
	echo "this kernel has no tbf"
	exit 77
}
counted() { $xrdma -n "$1" stat "x$1" -j | jq ".[0].verdicts.$2 // 0"; } # HOST VERDICT
cpu=$(taskset -cp $$ | sed 's/.*: //; s/[-,].*//')

# All on one CPU: where a veth gives frames to the CPU that takes them from the qdisc, several put them out of order.
reads() {
	local server asked_again ahead
	start_until "$work/server" waiting taskset -c "$cpu" $xrdma -n b perf xb
	server=$!
	taskset -c "$cpu" $xrdma -n a perf xa 10.66.0.2 read -t 0.1 -s 256k -q 4 -d 16 -m 1024 >/dev/null
	kill $server
	wait $server || true
	asked_again=$(counted b DUPLICATE) ahead=$(counted a RESPONSE_AHEAD)
	[ "$asked_again" -lt 20 ] && [ "$ahead" -lt 1000 ] || fail "asked again $asked_again times, responses ahead $ahead"
}
in_both_modes reads
echo "READs over 500 Mbit/s: all of them wait"
