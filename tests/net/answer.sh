#!/usr/bin/env bash
# What a responder owes to a peer that is not ours, at tc and behind XDP: tests/net/answer.c asks as a raw socket in a.
#   a: xa 10.66.0.3 --- xb 10.66.0.2 :b
set -eu
. "$(dirname "$0")/../support/net.sh"
two_hosts 4500
# As the packets of tests/support/packet.c have them.
ip -n a link set xa address 02:00:00:00:00:03
ip -n b link set xb address 02:00:00:00:00:02
ip -n a addr add 10.66.0.3/24 dev xa
ip -n a addr add fd66::3/64 dev xa nodad
received() { ip -n b -s -j link show xb | jq '.[0].stats64.rx.packets'; }
counted() { $xrdma -n b stat xb -j | jq "[.[0].verdicts$1] | add"; }

for mode in native tc; do
	$xrdma -n b load xb --mode $mode >/dev/null
	before=$(received)
	ip netns exec a ping -q -c 100 -i 0.002 10.66.0.2 >/dev/null
	more=$(($(counted '[]') - ($(received) - before))) # others come while one looks
	[ ${more#-} -lt 50 ] || fail "$mode: of what is left to the stack $more were counted more than came"
	"$programs/answer"
	[ "$(counted .LEFT)" -gt 0 ] && left=native || left=tc
	[ $left = $mode ] || fail "$mode: $(counted .LEFT) packets were left to tc"
	$xrdma -n b unload xb
done
echo "READs of any length in native and tc mode"
