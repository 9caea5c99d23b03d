#!/usr/bin/env bash
# Programs that need only two hosts with a device each, in tc mode: those of tests/net/two_hosts;
# checksum.c, which reads the UDP checksums of replies; and ipsec.c, whose paths have IPsec
# policies.
#   a: xa 10.66.0.1 --- xb 10.66.0.2 :b
set -eu
. "$(dirname "$0")/../support/net.sh"
two_hosts 4500
$xrdma -n a load xa --mode tc >/dev/null
$xrdma -n b load xb --mode tc >/dev/null
# A listener of xrdma accepts IPv4, too, whatever the host's default is.
nsenter --net=/run/netns/b sh -c 'echo 1 >/proc/sys/net/ipv6/bindv6only'
run_programs two_hosts
# If the thread sanitizer was built, it checks all tests except those that read memory while it is
# written. It runs without random addresses, because with these the sanitizer of Debian 12 fails on
# newer kernels.
for program in two_hosts/threads two_hosts/threads_mkey rc/eq; do
	watched=build/tsan/tests/net/$program
	[ ! -x $watched ] || setarch -R $watched "${program##*/}/share_*"
done
TX_UDP=1 "$programs/checksum"
if ip -n a xfrm policy >"$work/output" 2>&1; then
	"$programs/ipsec"
else
	echo "this kernel has no IPsec: $(cat "$work/output")"
fi
echo "connections, threads that share objects, UDP checksums, IPsec policies"
