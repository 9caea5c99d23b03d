#!/usr/bin/env bash
# A netdev is moved to another network namespace while a process uses it (tests/net/moved.c).
#   a: xa 10.66.0.3 --- xb 10.66.0.2 :b, then c
set -eu
. "$(dirname "$0")/../support/net.sh"
peer_and_host
ip netns add c
link=$XRDMA_BPFFS/xrdma/xb/xrdma_tc_link # kernels before 6.6 have no links at tc

moves() { # MODE
	local status expected="detached"
	[ ! -e "$link" ] || expected="in another network namespace"
	"$programs/moved"
	status=$($xrdma -n b status xb -j | jq -c '.[0] | [.state, .addrs]')
	[ "$status" = "[\"$expected\",[]]" ] || fail "$1: $status"
	ip -n c link set xb netns b
	ip -n b addr add 10.66.0.2/24 dev xb
	ip -n b link set xb up
	$xrdma -n b unload -f xb
}
for mode in native tc; do
	$xrdma -n b load xb --mode $mode >/dev/null
	moves $mode
done
echo "a netdev that has moved serves nobody of the namespace that it has left"
