#!/usr/bin/env bash
# matrix.sh [WORD...]: run operations of each kind and size between xrdma and a live Soft-RoCE, in
# native and in tc mode (tests/interop/matrix/), and print a table for each mode. In a guest of make
# kernels, the guest's Soft-RoCE is used, with fewer trials, because all of them would take hours.
# Otherwise Soft-RoCE runs in User-Mode Linux (matrix/make_guest.sh).
#   a: xa 10.66.0.1 --- pa :wire: pb --- xb 10.66.0.2 :b, or
#                       pa :wire: tap0 --- vec0 10.66.0.2 :the guest of User-Mode Linux
set -eu
. "$(dirname "$0")/../support/net.sh"
programs=build/tests/interop/matrix
made=${RXE_HOME:-$HOME/.cache/rxe-guest}/cache
root=$made/matrix/root.img

host_and_guest() {
	ip netns add a
	ip netns add wire
	ip -n wire link add br0 type bridge mcast_snooping 0
	ip -n wire link set br0 mtu 9000 up
	ip -n wire tuntap add tap0 mode tap
	ip -n wire link set tap0 mtu 9000 master br0 up
	join xa netns a mtu 9000 type veth peer name pa netns wire mtu 9000
	ip -n wire link set pa master br0 up
	address_host a 1
	mkdir "$work/share"
	cp $programs/peer "$work/share"
	printf '%s\n' 'ip -6 addr add fd66::2/64 dev vec0 nodad' /host/peer >"$work/share/run"
}

guest() {
	TMPDIR=$work exec setpriv --pdeathsig KILL nsenter --net=/run/netns/wire "$made/uml/linux" \
		mem=512M ubd0r="$root" root=/dev/ubda ro init=/uml-init con=null con0=null,fd:1 quiet \
		g.share="$work/share" g.cmd=run g.ip=10.66.0.2/24 g.mtu=9000 \
		vec0:transport=tap,depth=128,gro=0,mtu=9000,ifname=tap0,mac=52:54:00:66:00:02 </dev/null
}

if [ -n "${FIRST_NETNS-}" ]; then
	. tests/support/soft_roce.sh
	two_hosts_bridged 9000
	add_soft_roce
	export LEN_MAX=${LEN_MAX:-5123}
	[ $# -gt 0 ] || set -- "MTU 1024"
	peer() { exec nsenter --net=/run/netns/b $programs/peer; }
elif [ -e "$root" ]; then
	host_and_guest
	peer() { guest; }
else
	echo "there is no $root (make interop makes it), nor is this a guest of make kernels"
	exit 77
fi

# Try both modes, even if the first one fails.
failed=
for mode in native tc; do
	$xrdma -n a load xa --mode $mode >/dev/null
	peer >"$work/peer" 2>&1 &
	echo "$mode:"
	$programs/matrix a xa wire pa "$@" || { tail "$work/peer"; failed=1; }
	wait $! || true
	$xrdma -n a unload xa
done
[ -z "$failed" ]
