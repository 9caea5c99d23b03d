#!/usr/bin/env bash
# Captured connections, of which either end is ours, at tc and behind XDP: tests/net/captured.c plays the other as a raw
# socket in a.
#   a: xa 10.66.0.3 --- xb 10.66.0.2 :b
set -eu
. "$(dirname "$0")/../support/net.sh"
two_hosts 4500
# As the packets of tests/support/packet.c have them.
ip -n a link set xa address 02:00:00:00:00:03
ip -n b link set xb address 02:00:00:00:00:02
ip -n a addr add 10.66.0.3/24 dev xa
ip -n b link set xb gso_max_segs 1 # the socket sees packet by packet
for mode in native tc; do
	$xrdma -n b load xb --mode $mode >/dev/null
	"$programs/captured"
	$xrdma -n b unload xb
done
echo "either end of captured connections in native and tc mode"
