#!/usr/bin/env bash
# Packets follow the kernel's routes and neighbours when these change (tests/net/path.c). If a host
# is faster than its link, its responses to READs wait, and none is lost.
#   a: xa 10.66.0.1 --- xb 10.66.0.2 :b, which has fd66::99 beside
set -eu
. "$(dirname "$0")/../support/net.sh"
two_hosts 4500
ip -n b addr add fd66::99/128 dev lo
ip -n a route add fd66::99/128 via fd66::2
nsenter --net=/run/netns/b sh -c "echo 0 >/proc/sys/net/ipv6/icmp/ratelimit"
counted() { $xrdma -n "$1" stat "x$1" -j | jq ".[0].verdicts.$2 // 0"; } # HOST VERDICT
cpu=$(taskset -cp $$ | sed 's/.*: //; s/[-,].*//')

# Host a READs memory of b, whose link to a carries 500 Mbit/s. Both programs run on one CPU. On
# several CPUs frames could change their order, because a veth gives a frame to the CPU that took it
# from the qdisc.
slow_link() {
	local server asked_again ahead
	start_until "$work/server" waiting taskset -c "$cpu" $xrdma -n b perf xb
	server=$!
	taskset -c "$cpu" $xrdma -n a perf xa 10.66.0.2 read -t 0.1 -s 256k -q 4 -d 16 -m 1024 >/dev/null
	kill $server
	wait $server || true
	asked_again=$(counted b DUPLICATE) ahead=$(counted a RESPONSE_AHEAD)
	[ "$asked_again" -lt 20 ] && [ "$ahead" -lt 1000 ] || fail "asked again $asked_again times, responses ahead $ahead"
}

paths() {
	if ip netns exec b tc qdisc add dev xb root tbf rate 500mbit burst 32kb limit 64kb 2>"$work/output"; then
		slow_link
		ip netns exec b tc qdisc del dev xb root
	else
		grep -q 'qdisc kind is unknown' "$work/output" || fail "$(cat "$work/output")"
		slow="no slow link: this kernel has no tbf"
	fi
	"$programs/path"
}
slow="a slow link"
in_both_modes paths
echo "routes, neighbours, path MTUs, $slow"
