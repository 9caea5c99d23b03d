#!/usr/bin/env bash
# Load, show and unload devices: modes, pins, refusals.
set -eu
. "$(dirname "$0")/../support/net.sh"
two_hosts

state() { # HOST DEVICE
	local output
	output=$($xrdma -n "$1" status "$2")
	[[ $output =~ "  state "(.*)"  abi_version ".*"  mode "([a-z]+)"  " ]] || fail "status says: $output"
	echo "${BASH_REMATCH[1]} ${BASH_REMATCH[2]}"
}
pins() { find "$XRDMA_BPFFS" -mindepth 1 -path '*xrdma/*' | wc -l; }

refused 1 "xa is not loaded$" $xrdma -n a unload xa
refused 1 "xa is not loaded: xrdma load xa" $xrdma -n a status xa
refused 1 "there is no netdev nope" $xrdma -n a load nope
refused 1 "not the name of a netdev" $xrdma -n a load ../xa
ip -n a tuntap add dev tun mode tun
refused 1 "tun has no Ethernet frames, which native mode needs" $xrdma -n a load tun --mode native
ip -n a link add br0 type bridge
# The message contains the kernel's own reason.
refused 1 "br0 refuses native mode: .*driver does not support XDP in native mode" $xrdma -n a load br0 --mode native
refused 1 "kernel 2.6.*: 6.1 is needed" setarch --uname-2.6 $xrdma -n a load br0 --mode native
refused 2 "xrdma load: there is no mode fast: native, tc or auto" $xrdma -n a load xa --mode fast
refused 1 "there is no network namespace nosuch: see ip netns" $xrdma -n nosuch status
refused 1 "cannot enter the network namespace /proc/self/maps: Invalid argument" $xrdma -n /proc/self/maps status
refused 2 "needs the name of a network namespace" $xrdma -n
[ "$($xrdma -n /run/netns/a status 2>&1)" = "no device is loaded: xrdma load DEVICE loads one" ] ||
	fail "of nothing: $($xrdma -n /run/netns/a status 2>&1)"
refused 2 "usage" $xrdma -n a load
refused 2 "usage" $xrdma -n a status xa xb
refused 1 "is not a BPF file system: mount -t bpf" env XRDMA_BPFFS=/proc $xrdma -n a load xa
refused 1 "run as root" setpriv --bounding-set -all --inh-caps -all --reuid nobody --clear-groups \
	$xrdma status xa
mount -t tmpfs tmpfs /sys/kernel/btf
refused 1 "kernel .* has no BTF: one with CONFIG_DEBUG_INFO_BTF is needed" $xrdma -n a load xa
umount /sys/kernel/btf
nsenter --net=/run/netns/a "$programs/refusals"
nsenter --net=/run/netns/a "$programs/tc"
nsenter --net=/run/netns/a "$programs/killed"
ip -n a -j link show xa | jq -e '.[0].xdp == null' >/dev/null || fail "a refusal left a program on xa"
[ "$($xrdma status -j)" = '[]' ] || fail "something is loaded"
[ "$(pins)" = 0 ] || fail "a refusal left pins"
"$programs/pin"
[ "$(pins)" = 0 ] || fail "tests of the lock left pins"

# A load that was killed has left some of the pins. The device counts as not loaded, and the next
# load completes it.
mkdir "$XRDMA_BPFFS/xrdma/xa"
bpftool map create "$XRDMA_BPFFS/xrdma/xa/xrdma_qps" type array key 4 value 4 entries 1 name part
[ "$($xrdma status -j)" = '[]' ] || fail "a part of a device is listed"
refused 1 "xa is not loaded" $xrdma -n a unload xa

# The program has exactly the requested mode, and the kernel agrees.
load_in() { # MODE
	$xrdma -n a load xa --mode $1
	[ "$(state a xa)" = "attached $1" ] || fail "asked for $1: $(state a xa)"
	ip -n a -j link show xa | jq -e '.[0].xdp.mode == '$([ $1 = native ] && echo 1 || echo null) >/dev/null ||
		fail "$1: the kernel says $(ip -n a -j link show xa)"
	refused 1 "xa is loaded already" $xrdma -n a load xa
}
unload() {
	$xrdma -n a unload xa
	ip -n a -j link show xa | jq -e '.[0].xdp == null' >/dev/null || fail "still attached"
	[ -z "$(tc -n a filter show dev lo ingress)" ] || fail "unload left a program at lo"
	[ "$(pins)" = 0 ] || fail "unload left pins"
}

# A process with few file descriptors unloads the device, or leaves it unchanged and says why.
unload_with() { # DESCRIPTORS OPTION...
	local output
	if output=$(prlimit --nofile=$1 $xrdma -n a unload xa "${@:2}" 2>&1); then
		ip -n a -j link show xa | jq -e '.[0].xdp == null' >/dev/null || fail "$*: still attached"
		[ "$(pins)" = 0 ] || fail "$*: unload left pins"
		$xrdma -n a load xa --mode native
	else
		[[ $output == *"Too many open files" ]] || fail "$*: it said $output"
		[ "$(state a xa)" = "attached native" ] || fail "$*: $(state a xa)"
	fi
}
load_in native
for few in {4..20}; do
	unload_with $few
	unload_with $few -f
done
unload

# Native mode has two programs. If one is missing, the device counts as not loaded, and can be
# loaded again.
load_in native
rm "$XRDMA_BPFFS/xrdma/xa/xrdma_tc_link" 2>/dev/null || tc -n a qdisc del dev xa clsact
[ "$(state a xa)" = "detached native" ] || fail "without the program at tc: $(state a xa)"
$xrdma -n a load xa --mode native
ip -n a link set dev xa xdp off
[ "$(state a xa)" = "detached native" ] || fail "without the XDP program: $(state a xa)"
$xrdma -n a load xa --mode native
unload

# In tc mode, load attaches the tc program to lo, too. There it gets packets that the host sends to
# addresses of its own netdev. Without the program at lo, the device counts as detached.
load_in tc
rm "$XRDMA_BPFFS/xrdma/xa/xrdma_lo_link" 2>/dev/null || tc -n a qdisc del dev lo clsact
[ "$(state a xa)" = "detached tc" ] || fail "without the program at lo: $(state a xa)"
# The version of the contract depends only on its headers.
version=$((0x$(cat include/xrdma/{abi/*,counters,device,opcode,types,verdict}.h | sha256sum | cut -c 1-8)))

# A device whose program at lo is missing can be loaded again. Without --mode a veth is loaded in tc
# mode, because in native mode its replies are lost if the peer has no XDP program.
$xrdma -n a load xa
[ "$(state a xa)" = "attached tc" ] || fail "auto: $(state a xa)"
$xrdma -n a status xa -j | jq -e '.[0].addrs | contains(["10.66.0.1", "fd66::1"])' >/dev/null || fail "no addresses"
bpftool -j map dump pinned "$XRDMA_BPFFS/xrdma/xa/xrdma_device" |
	jq -e ".[0].formatted.value.abi_version == $version" >/dev/null || fail "bpftool names no fields, or the version is old"
ip netns exec a ping -c 1 -W 2 10.66.0.2 >/dev/null || fail "other traffic does not pass"

# From another namespace the device can be shown, but not changed.
[ "$(state b xa | cut -d' ' -f1-2)" = "in another" ] || fail "seen from b: $(state b xa)"
refused 1 "in another network namespace" $xrdma -n b unload xa
ip -n b link add xa type veth peer name xz
refused 1 "of another network namespace is loaded" $xrdma -n b load xa

# A device of another version is shown as such, and can be unloaded.
set -- $(printf '%d ' 0x58 0x52 0x44 0x4d 0x41 0 0 0 99 0 0 0)
cp_row=$(bpftool -j map dump pinned "$XRDMA_BPFFS/xrdma/xa/xrdma_device" | jq -r '.[0].value[12:] | join(" ")')
bpftool map update pinned "$XRDMA_BPFFS/xrdma/xa/xrdma_device" key 0 0 0 0 value "$@" $cp_row
$xrdma -n a status xa | grep -q "loaded by another version  abi_version 0x00000063" || fail "$($xrdma -n a status xa)"
refused 1 "another version of xrdma (contract 00000063, this is" $xrdma -n a load xa
unload

# The netdev is removed. The device's pins show that, and a new netdev of that name replaces it.
$xrdma -n a load xa
ip -n a link del xa
$xrdma -n a status xa | grep -q detached || fail "$($xrdma -n a status xa)"
ip -n a link add xa type veth peer name xc netns b
$xrdma -n a load xa >/dev/null
[ "$(state a xa)" = "attached tc" ] || fail "$(state a xa)"

# The whole namespace is removed.
ip netns del a
$xrdma -n b unload -f xa
[ "$(pins)" = 0 ] || fail "unload -f left pins"

# On other netdevs native mode is chosen if a neighbour answers a packet that XDP has sent. Here the
# neighbour is a process with a tap device, which answers a limited number of ARP requests.
ip -n b tuntap add dev tap mode tap
ip -n b addr add 10.67.0.1/24 dev tap
ip -n b link set tap up
with_neighbour() { # ANSWERS COMMAND...
	local answers=$1 output pid
	shift
	coproc nsenter --net=/run/netns/b perl -e 'my $ask = pack("Z16 s x22", "tap", 0x1002); $| = 1;
		open(my $tap, "+<", "/dev/net/tun") or die $!;
		ioctl($tap, 0x400454ca, $ask) or die $!; print "held\n";
		while (sysread($tap, my $frame, 2048)) {
			my ($to, $from, $type, $head, $op, $who, $own, $it, $asked) = unpack("a6 a6 n a6 n a6 a4 a6 a4", $frame);
			next if $type != 0x806 || $op != 1 || $ARGV[0]-- <= 0;
			syswrite($tap, pack("a6 H12 n a6 n H12 a4 a6 a4", $from, "020000000002", 0x806, $head, 2,
				"020000000002", $asked, $who, $own));
		}' "$answers"
	pid=$COPROC_PID
	read -r -u "${COPROC[0]}" output
	"$@"
	kill "$pid"
	wait "$pid" 2>/dev/null || true
}
loads_as() { # NETDEV MODE (REASON)
	local output
	output=$($xrdma -n b load "$1")
	[ "$output" = "$1: loaded in $2" ] || fail "$output, not in $2"
	[ "$($xrdma -n b status "$1" -j | jq -r '.[0] | .mode + " mode (" + .reason + ")"')" = "$2" ] ||
		fail "status: $($xrdma -n b status "$1")"
	$xrdma -n b unload "$1"
}
with_neighbour 0 loads_as tap "tc mode (no IPv4 neighbour known to try native XDP with)"
ip -n b neigh add 10.67.0.3 lladdr 02:00:00:00:00:03 dev tap nud permanent
ip -n b neigh add 10.67.0.2 lladdr 02:00:00:00:00:02 dev tap nud permanent
loads_as tap "tc mode (no neighbour answered what XDP sent)"
with_neighbour 2 loads_as tap "tc mode (no neighbour answered what XDP sent)"
ip -n b -j link show tap | jq -e '.[0].xdp == null' >/dev/null || fail "what tried native XDP is still there"
with_neighbour 9999 loads_as tap "native mode (a neighbour answered what XDP sent)"
beside_other() {
	local other=$work/bpf3
	mkdir "$other" && mount -t bpf bpf "$other"
	XRDMA_BPFFS=$other LIBXDP_SKIP_DISPATCHER=1 $xrdma -n b load tap --mode native
	for netdev in tap lo; do # their programs at tc are filters
		tc -n b qdisc del dev $netdev clsact 2>/dev/null || true
	done
	loads_as tap "tc mode (another XDP program is attached)"
	XRDMA_BPFFS=$other $xrdma -n b unload tap
	umount "$other"
}
with_neighbour 9999 beside_other
ip -n b link add br0 type bridge
ip -n b addr add 10.68.0.1/24 dev br0
ip -n b neigh add 10.68.0.2 lladdr 02:00:00:00:00:02 dev br0 nud permanent
loads_as br0 "tc mode (the driver has no native XDP for it)"

# In native mode the netdev leaves VLAN tags in packets. Unloading restores the former setting.
takes_tags() { nsenter --net=/run/netns/b perl -e 'socket(my $s, 2, 2, 0) or die $!;
	my $value = pack("L2", 0x25, 0); my $ask = pack("Z16 P x16", $ARGV[0], $value);
	ioctl($s, 0x8946, $ask) or die $!; print unpack("x4 L", $value) >> 8 & 1' "$1"; }
ip -n b link add tip type veth peer name pat
[ "$(takes_tags pat)" = 1 ] || fail "veth takes no tags off"
output=$($xrdma -n b load pat --mode native)
[[ $output = "pat: loaded in native mode (asked for; its replies arrive if the veth"* ]] ||
	fail "no word of what native mode needs on veth: $output"
[ "$(takes_tags pat)" = 0 ] || fail "native mode does not see tags"
$xrdma -n b unload pat
[ "$(takes_tags pat)" = 1 ] || fail "unload left tags on"
$xrdma -n b load pat --mode tc
[ "$(takes_tags pat)" = 1 ] || fail "tc mode changed what becomes of tags"

# Colours are used only on terminals, and not with NO_COLOR.
on_terminal() { TERM=${1:-xterm} script -qec "$xrdma -n b status pat" "$work/terminal" >/dev/null; }
on_terminal
grep -q $'\033\[36mpat\033\[0m  state \033\[32mattached\033\[0m' "$work/terminal" || fail "no colours: $(cat -v "$work/terminal")"
NO_COLOR=1 on_terminal
! grep -q $'\033' "$work/terminal" || fail "colours: $(cat -v "$work/terminal")"
on_terminal dumb
! grep -q $'\033' "$work/terminal" || fail "colours: $(cat -v "$work/terminal")"
[[ $($xrdma -n b status pat) == "pat  state attached  "* ]] || fail "$($xrdma -n b status pat)"

# status lists the programs that get packets before the programs of the device.
$xrdma -n b load lo >/dev/null
[ "$($xrdma -n b status -j | jq -c 'map(.before)')" = '[[],[]]' ] || fail "$($xrdma -n b status)"
ip -n b link set dev pat xdpdrv obj build/bpf/chaos.bpf.o sec xdp.frags
[[ $($xrdma -n b status pat) =~ "  before chaos_in "[0-9]+" xdp pat"$ ]] || fail "$($xrdma -n b status pat)"
[ "$($xrdma -n b status lo -j | jq -c '.[0].before')" = '[]' ] || fail "$($xrdma -n b status lo)"
ip -n b link set dev pat xdp off
ip -n b link set dev lo xdpgeneric obj build/bpf/chaos.bpf.o sec xdp.frags
for netdev in lo pat; do
	$xrdma -n b status $netdev -j | jq -e '.[0].before | map([.netdev, .hook]) == [["lo", "xdp"]]' >/dev/null ||
		fail "$($xrdma -n b status)"
done
ip -n b link set dev lo xdp off
$xrdma -n b unload pat
$xrdma -n b unload lo

# Loading replaces neither another XDP program, nor one of xrdma whose pins are in another place.
ip -n b link set dev pat xdpdrv obj build/bpf/chaos.bpf.o sec xdp.frags
refused 1 "pat has another XDP program: ip link set dev pat xdp off" $xrdma -n b load pat --mode native
ip -n b link set dev pat xdp off
LIBXDP_SKIP_DISPATCHER=1 $xrdma -n b load pat --mode native
XRDMA_BPFFS=$work/bpf2
mkdir "$XRDMA_BPFFS" && mount -t bpf bpf "$XRDMA_BPFFS"
refused 1 "pat has the XDP program of a device of xrdma that is pinned in another" $xrdma -n b load pat --mode native
echo "load, status, unload"
