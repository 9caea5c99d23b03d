#!/usr/bin/env bash
# Ways in which packets leave a netdev, and operations without AF_XDP (tests/net/transmit.c, and
# programs for the operations).
#   a: xa 10.66.0.1 --- xb 10.66.0.2 :b    (ya has two queues)
set -eu
. "$(dirname "$0")/../support/net.sh"
two_hosts 4500
ip link add ya netns a numtxqueues 2 numrxqueues 2 type veth peer name yb netns b
for netdev in xa ya; do
	$xrdma -n a load $netdev >/dev/null
done
$xrdma -n b load xb >/dev/null
"$programs/transmit"
ip -n a addr add fd66::1/64 dev xa # removed when the links were down
ip -n b addr add fd66::2/64 dev xb

# Another process uses the queue of each netdev, until it gets input.
mkfifo "$work/input"
exec {input}<>"$work/input"
holders=()
for host in a b; do
	start_until "$work/held" held nsenter --net=/run/netns/$host "$programs/hold" x$host <&"$input"
	holders+=($!)
done
"$programs/rc/write"
setpriv --bounding-set -net_raw --inh-caps -net_raw "$programs/rc/read"
for holder in "${holders[@]}"; do
	kill $holder || fail "a queue was held by nobody"
done
for operation in write send read atomic; do
	TX_UDP=1 "$programs/rc/$operation"
	TX_UDP=1 "$programs/rc/${operation}_failure"
done
echo "queues, frames, UDP sockets"
