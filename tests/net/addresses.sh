#!/usr/bin/env bash
# Facts about its netdev that a loaded device has: addresses, name, MAC address, RDMA devices.
#   a: xa 10.66.0.1 --- xb 10.66.0.2 :b
set -eu
. "$(dirname "$0")/../support/net.sh"
bin=build/examples
two_hosts
$xrdma -n a load xa >/dev/null
$xrdma -n b load xb >/dev/null
in_b() { nsenter --net=/run/netns/b "$@"; }
dump() { bpftool -j map dump pinned "$XRDMA_BPFFS/xrdma/$1"; }
serves() { # DEVICE ADDRESS...
	local device=$1
	shift
	$xrdma -n b status "$device" -j | jq -e '$ARGS.positional - .[0].addrs == []' --args "$@" >/dev/null
}

# reaches DEVICE ADDRESS: a peer of the device can use ADDRESS
reaches() {
	nsenter --net=/run/netns/b $bin/pingpong "$1" >/dev/null &
	wait_for_listener $!
	nsenter --net=/run/netns/a $bin/pingpong xa "$2" 3 >/dev/null || fail "$1 cannot be reached by $2"
	wait $!
}

# within_a_second COMMAND: COMMAND succeeds within a second
within_a_second() {
	local end=$((${EPOCHREALTIME/./} + 1000000))
	until "$@"; do [ ${EPOCHREALTIME/./} -lt $end ] || fail "not within a second: $*"; done
}

# An address may have a label, which getifaddrs(3) returns as the netdev's name. There may be more
# addresses than the device's row has places for.
ip -n b addr add 10.66.0.12/24 dev xb label xb:1
serves xb 10.66.0.12 || fail "an address with a label is not served"
reaches xb 10.66.0.12
for i in {20..44}; do ip -n b addr add 10.66.0.$i/24 dev xb; done
serves xb 10.66.0.{20..44} fd66::2 || fail "not all addresses are served: $($xrdma -n b status xb)"
reaches xb 10.66.0.44
reaches xb fd66::2
for i in {20..44}; do ip -n b addr del 10.66.0.$i/24 dev xb; done
! serves xb 10.66.0.44 || fail "an address that is gone is served"
[ "$(dump xb/xrdma_addrs)" = '[]' ] || fail "addresses are left: $(dump xb/xrdma_addrs)"

# An address that another host may have is not used until the kernel has checked that.
ip -n b link set xb down
echo 1 | in_b tee /proc/sys/net/ipv6/conf/xb/accept_dad >/dev/null
ip -n b addr add fd66::99/64 dev xb
! serves xb fd66::99 || fail "a tentative address is served"
ip -n b addr del fd66::99/64 dev xb
echo 0 | in_b tee /proc/sys/net/ipv6/conf/xb/accept_dad >/dev/null
ip -n b link set xb up
ip -n b addr add fd66::2/64 dev xb

# While a process has a context, changes of addresses are followed without any command.
knows() { dump xb/xrdma_device | jq -e "$1" >/dev/null; }
has() { knows '.[0].formatted.value | .addrs[:.addr_count] | any(.[3] == 1660961290)'; } # 10.66.0.99
has_not() { ! has; }
mkfifo "$work/input"
exec {input}<>"$work/input"
start_until "$work/held" held nsenter --net=/run/netns/b "$programs/hold" xb <&"$input"
holder=$!
has_not || fail "10.66.0.99 is served"
ip -n b addr add 10.66.0.99/24 dev xb
within_a_second has
reaches xb 10.66.0.99
ip -n b addr del 10.66.0.99/24 dev xb
within_a_second has_not
ip -n b link set xb address 02:00:00:00:00:99
within_a_second knows '.[0].formatted.value.mac == [2, 0, 0, 0, 0, 153]'
reaches xb 10.66.0.2

# If the kernel has an RDMA device on the same netdev, both get their packets.
shared() { $xrdma -n b status xb >/dev/null && knows ".[0].formatted.value.features == $1"; }
shared 0 || fail "said to be shared"
mount -t tmpfs tmpfs /sys/class
ndevs=/sys/class/infiniband/rxe0/ports/1/gid_attrs/ndevs
mkdir -p $ndevs
echo other >$ndevs/0
shared 0 || fail "another netdev is shared"
echo xb >$ndevs/1
shared 1 || fail "not said to be shared"
umount /sys/class
if in_b rdma link add xrdma_rxe type rxe netdev xb 2>/dev/null; then # only some kernels have it
	shared 1 || fail "not said to be shared with Soft-RoCE"
	in_b rdma link del xrdma_rxe
	shared 0 || fail "said to be shared still"
	soft_roce=", beside Soft-RoCE"
fi

# If a netdev gets a new name, its device gets that, too, even while it is used. Before Linux 6.2, a
# netdev that is up cannot be renamed.
rename() {
	ip -n b link set "$1" down
	ip -n b link set "$1" name "$2"
	ip -n b link set "$2" up
	ip -n b addr replace fd66::2/64 dev "$2"
}
rename xb eth0.100
refused 1 "xb is not loaded" $xrdma -n b status xb
reaches eth0.100 10.66.0.2
[ -d "$XRDMA_BPFFS/xrdma/eth0:100" ] || fail "$(ls "$XRDMA_BPFFS/xrdma")"
[ "$($xrdma -n b status -j | jq -c 'map(.device) | sort')" = '["eth0.100","xa"]' ] || fail "$($xrdma -n b status)"
# A netdev with the old name has a device of its own. Two netdevs may exchange their names.
ip -n b link add xb type veth peer name xc
$xrdma -n b load xb >/dev/null
rename xb tmp0
rename eth0.100 xb
rename tmp0 eth0.100
reaches xb 10.66.0.2
[ "$($xrdma -n b status eth0.100 -j | jq '.[0].ifindex')" = "$(ip -n b -j link show eth0.100 | jq ".[0].ifindex")" ] ||
	fail "$($xrdma -n b status)"
$xrdma -n b unload eth0.100
echo >&"$input"
wait $holder
$xrdma -n b unload xb
$xrdma -n a unload xa
[ -z "$(ls -A "$XRDMA_BPFFS/xrdma")" ] || fail "pins are left: $(ls "$XRDMA_BPFFS/xrdma")"

# The name of a device may contain a dot.
rename eth0.100 vlan.7
$xrdma -n b load vlan.7 >/dev/null
$xrdma -n b unload vlan.7

# If no BPF file system is mounted, one is mounted, unless it would disappear.
export XRDMA_BPFFS=$work/empty
mkdir "$XRDMA_BPFFS"
refused 1 "is not a BPF file system: mount" unshare --mount $xrdma -n a load xa
refused 1 "is not a BPF file system: mount" $xrdma -n a status
$xrdma -n a load xa >/dev/null
[ "$(stat -f -c %T "$XRDMA_BPFFS")" = bpf_fs ] || fail "mounted $(stat -f -c %T "$XRDMA_BPFFS")"
$xrdma -n a unload xa
umount "$XRDMA_BPFFS"
touch "$XRDMA_BPFFS/kept"
refused 1 "is not a BPF file system: mount" $xrdma -n a load xa
echo "addresses, names, a BPF file system${soft_roce-}"
