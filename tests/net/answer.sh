#!/usr/bin/env bash
# What a responder at tc owes to a peer that is not ours: tests/net/answer.c asks as a raw socket in a.
#   a: xa 10.66.0.3 --- xb 10.66.0.2 :b
set -eu
. "$(dirname "$0")/../support/net.sh"
two_hosts 4500
# As the packets of tests/support/packet.c have them.
ip -n a link set xa address 02:00:00:00:00:03
ip -n b link set xb address 02:00:00:00:00:02
ip -n a addr add 10.66.0.3/24 dev xa
ip -n a addr add fd66::3/64 dev xa nodad
$xrdma -n b load xb --mode tc >/dev/null
"$programs/answer"
$xrdma -n b unload xb
echo "READs of any length at tc"
