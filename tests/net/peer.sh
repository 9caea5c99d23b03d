#!/usr/bin/env bash
# A raw socket in a is the peer of b, in both modes (tests/net/peer). It requests READs of any
# length. It sends packets twice, late, out of order or without a reason. It also replays either end
# of captured connections, with b as the other end.
#   a: xa 10.66.0.3 --- xb 10.66.0.2 :b
set -eu
. "$(dirname "$0")/../support/net.sh"
peer_and_host
received() { ip -n b -s -j link show xb | jq '.[0].stats64.rx.packets'; }
counted() { $xrdma -n b stat xb -j | jq "[.[0].verdicts$1] | add"; }

peers() { # MODE
	local before more left
	before=$(received)
	ip netns exec a ping -q -c 100 -i 0.002 10.66.0.2 >/dev/null
	more=$(($(counted '[]') - ($(received) - before))) # other packets may arrive in between
	[ ${more#-} -lt 50 ] || fail "$1: of what is left to the stack $more were counted more than came"
	run_programs peer
	[ "$(counted .DEFERRED)" -gt 0 ] && left=native || left=tc
	[ $left = "$1" ] || fail "$1: $(counted .DEFERRED) packets were left to tc"
}
in_both_modes_of_b peers
echo "READs of any length, late packets and captured connections in native and tc mode"
