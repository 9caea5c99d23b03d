#!/usr/bin/env bash
# These programs need no more than two hosts with a device each, at tc. tests/net/conn.c and
# conn_message.c make connections over TCP. threads{,_mkey}.c and eq.c have threads that share
# objects. checksum.c looks at the UDP checksums of replies to what a socket sends, which the kernel
# leaves to the netdev to compute: frames that XDP sends back have no checksum to be computed.
# ipsec.c has paths that IPsec policies cover.
#   a: xa 10.66.0.1 --- xb 10.66.0.2 :b
set -eu
. "$(dirname "$0")/../support/net.sh"
two_hosts 4500
$xrdma -n a load xa --mode tc >/dev/null
$xrdma -n b load xb --mode tc >/dev/null
# A listener of xrdma takes IPv4 too, whatever the default of the host is.
nsenter --net=/run/netns/b sh -c 'echo 1 >/proc/sys/net/ipv6/bindv6only'
"$programs/conn"
"$programs/conn_message"
"$programs/threads"
"$programs/threads_mkey"
# The sanitizer of threads, where it was built, watches all but what reads memory while it is
# written. It runs without random addresses, with which the sanitizer of Debian 12 fails on newer
# kernels.
for program in threads threads_mkey eq; do
	watched=build/tsan/tests/net/$program
	[ ! -x $watched ] || setarch -R $watched "$program/share_*"
done
TX_UDP=1 "$programs/checksum"
if ip -n a xfrm policy >"$work/said" 2>&1; then
	"$programs/ipsec"
else
	echo "this kernel has no IPsec: $(cat "$work/said")"
fi
echo "connections, threads that share objects, UDP checksums, IPsec policies"
