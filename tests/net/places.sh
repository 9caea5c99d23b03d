#!/usr/bin/env bash
# Netdevs without a driver of their own, for which native mode does not exist: VLANs, macvlans,
# tunnels, bridges, bonds and VPNs, as far as the kernel has them. An example runs over each.
# Packets of a VLAN are only for that VLAN's netdev.
#   a: xa 10.66.0.1 --- xb 10.66.0.2 :b
set -eu
. "$(dirname "$0")/../support/net.sh"
two_hosts 4500
number=66
# Otherwise a netdev would answer ARP for the netdevs above it, and get their packets.
for host in a b; do
	nsenter --net=/run/netns/$host sh -c 'echo 1 >/proc/sys/net/ipv4/conf/all/arp_ignore'
done

# speak KIND WHY: exchange 50 messages between the netdevs KIND.a and KIND.b, which must be in tc
# mode for the reason WHY
speak() {
	local host place=1 server device why=$2
	number=$((number + 1))
	for host in a b; do
		device=$1.$host
		ip -n $host addr add 10.$number.0.$place/24 dev "$device"
		ip -n $host link set "$device" up
		[ "$($xrdma -n $host load "$device")" = "$device: loaded in tc mode ($why)" ] ||
			fail "$device: $($xrdma -n $host status "$device")"
		place=2
	done
	for host in a b; do wait_for_link $host "$1.$host"; done
	nsenter --net=/run/netns/b build/examples/pingpong "$1.b" >/dev/null &
	server=$!
	wait_for_listener $server
	nsenter --net=/run/netns/a build/examples/pingpong "$1.a" 10.$number.0.2 50 10000 >"$work/out" ||
		fail "over $1: $(cat "$work/out")"
	wait $server || fail "$1: the server failed"
	for host in a b; do $xrdma -n $host unload "$1.$host"; done
}

# tagged TAG: send a packet with this VLAN and priority to xb; its addresses are those of RoCE
tagged() {
	nsenter --net=/run/netns/a perl -e '
		my ($to, $index, $tag) = @ARGV;
		my $frame = pack("H12 H12 n3", $to =~ s/://gr, "020000000001", 0x8100, $tag, 0x0800) .
			pack("C2 n3 C2 n C8", 0x45, 0, 44, 0, 0x4000, 64, 17, 0x263b, 10, 66, 0, 1, 10, 66, 0, 2) .
			pack("n4 C2 n N2 N", 0xc000, 4791, 24, 0, 4, 0, 0xffff, 1, 1, 0);
		socket(my $socket, 17, 3, 0) or die $!;
		send($socket, $frame, 0, pack("S n i x12", 17, 3, $index)) or die $!' \
		"$(link b xb address)" "$(link a xa ifindex)" $(($1))
}
link() { ip -n "$1" -j link show "$2" | jq -r ".[0].$3"; }

# counted VERDICT NUMBER
counted() {
	local tries=0
	until [ "$($xrdma -n b stat xb -j | jq "[.. | .$1? | numbers] | add")" = "$2" ]; do
		tries=$((tries + 1))
		[ $tries -lt 50 ] || fail "$1 is not $2: $($xrdma -n b stat xb)"
		sleep 0.02
	done
}
vlans() {
	tagged 0x0007
	counted VLAN 1
	tagged 0xafff
	counted VLAN 2
	tagged 0xe000
	counted ICRC 1
	counted VLAN 2
}
in_both_modes vlans

# try KIND COMMAND (WHY): run the test if the kernel can create the netdev by COMMAND on a host
try() {
	local host
	for host in a b; do
		$2 $host "$1.$host" 2>"$work/output" && continue
		grep -q 'Unknown device type' "$work/output" || fail "$1: $(cat "$work/output")"
		output+="no $1 here, "
		return
	done
	speak "$1" "${3:-no IPv4 neighbour known to try native XDP with}"
	output+="$1, "
}
make_vlan() { ip -n "$1" link add link "x$1" name "$2" type vlan id 7; }
make_macvlan() { ip -n "$1" link add link "x$1" name "$2" type macvlan mode bridge; }
make_vxlan() { ip -n "$1" link add "$2" mtu 4400 type vxlan id 7 dstport 4789 dev "x$1" group 239.0.0.7; }
make_bridge() {
	ip -n "$1" link add "$2" mtu 4500 type bridge && ip -n "$1" link set "p$1" master "$2" up
}
make_bond() {
	ip -n "$1" link add "$2" mtu 4500 type bond && ip -n "$1" link set "q$1" master "$2"
}
declare -A own=([a]=10.66.0.1 [b]=10.66.0.2) peer=([a]=b [b]=a)
make_ipip() { ip -n "$1" link add "$2" type ipip local "${own[$1]}" remote "${own[${peer[$1]}]}"; }
make_wireguard() {
	ip -n "$1" link add "$2" mtu 4400 type wireguard || return
	[ -e "$work/key.${peer[$1]}" ] || { wg genkey >"$work/key.a"; wg genkey >"$work/key.b"; }
	ip netns exec "$1" wg set "$2" listen-port 51820 private-key "$work/key.$1" \
		peer "$(wg pubkey <"$work/key.${peer[$1]}")" allowed-ips 0.0.0.0/0 endpoint "${own[${peer[$1]}]}:51820"
}
ip link add pa netns a mtu 4500 type veth peer name pb netns b mtu 4500
ip link add qa netns a mtu 4500 type veth peer name qb netns b mtu 4500
output=
try vlan make_vlan
try macvlan make_macvlan
try vxlan make_vxlan
try bridge make_bridge
try bond make_bond
try ipip make_ipip "no Ethernet frames"
try wireguard make_wireguard "no Ethernet frames"
echo "${output%, }"
