#!/usr/bin/env bash
# Netdevs without a link layer: all operations between two tuns, and messages from one to itself.
#   a: xa 10.66.0.1 --- what carries packets over --- xb 10.66.0.2 :b
set -eu
. "$(dirname "$0")/../support/net.sh"
. tests/support/traffic.sh
add_host a
add_host b
cable() {
	exec perl -e '
		sub take {
			my ($host, $name) = @_;
			open(my $netns, "<", "/run/netns/$host") or die $!;
			syscall(308, fileno($netns), 0) == 0 or die $!; # setns()
			open(my $tun, "+<", "/dev/net/tun") or die $!;
			ioctl($tun, 0x400454ca, pack("Z16 s x22", $name, 0x1001)) or die $!;
			return $tun;
		}
		my @tuns = (take("a", "xa"), take("b", "xb"));
		my ($all, $packet) = ("");
		vec($all, fileno($_), 1) = 1 for @tuns;
		$| = 1;
		print "held\n";
		while (select(my $ready = $all, undef, undef, undef) > 0) {
			for (0, 1) {
				next if !vec($ready, fileno($tuns[$_]), 1) || !sysread($tuns[$_], $packet, 65536);
				syswrite($tuns[1 - $_], $packet);
			}
		}'
}
start_until "$work/cable" held cable
for host in a b; do ip -n $host link set x$host mtu 4500; done
address_host a 1
address_host b 2
for host in a b; do
	[ "$($xrdma -n $host load x$host)" = "x$host: loaded in tc mode (no Ethernet frames)" ] ||
		fail "$($xrdma -n $host status x$host)"
done
traffic_over 10.66.0.2
traffic_over fd66::2

# Packets to itself go through lo, also as super packets. Packets for others pass unchanged.
nsenter --net=/run/netns/a build/examples/pingpong xa >/dev/null &
server=$!
wait_for_listener $server
nsenter --net=/run/netns/a build/examples/pingpong xa 10.66.0.1 50 100000 >/dev/null
wait $server
ip netns exec a ping -qc 1 -W 2 fd66::2 >/dev/null || fail "other traffic does not pass"
refused 1 "cannot send by AF_XDP on xa: Operation not supported" \
	nsenter --net=/run/netns/a $xrdma perf xa 10.66.0.2 --tx xdp
for host in a b; do $xrdma -n $host unload x$host; done
echo "all bytes right between netdevs without a link layer"
