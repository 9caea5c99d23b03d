#!/usr/bin/env bash
# Datagrams to port 4791 that are not for the device (tests/net/others.c).
#   a: xa 10.1.0.1, fd01::1 --- xr 10.1.0.254, fd01::fe :r: yr 10.2.0.254, fd02::fe --- xc :c
#   c: xc 10.2.0.1, fd02::1. R forwards; xrdma is loaded on its xr.
set -eu
. "$(dirname "$0")/../support/net.sh"
for host in a r c; do
	add_host $host
	ip -n $host link set lo up
done
join xa netns a type veth peer name xr netns r
join xc netns c type veth peer name yr netns r

address() { # HOST NETDEV NETWORK NUMBER
	local -i number=$4
	nsenter --net="/run/netns/$1" sh -c "echo 0 >/proc/sys/net/ipv6/conf/$2/accept_dad"
	ip -n "$1" addr add "10.$3.0.$number/24" dev "$2"
	ip -n "$1" addr add "$(printf 'fd0%d::%x/64' "$3" "$number")" dev "$2"
	ip -n "$1" link set "$2" up
}
address a xa 1 1
address r xr 1 254
address r yr 2 254
address c xc 2 1
for family in ipv4 ipv6; do
	nsenter --net=/run/netns/r sh -c "echo 1 >/proc/sys/net/$family/conf/all/forwarding"
done
ip -n a route add default via 10.1.0.254
ip -n c route add default via 10.2.0.254
ip -n a route add default via fd01::fe
ip -n c route add default via fd02::fe

"$programs/others" # without xrdma at first
for mode in native tc; do
	$xrdma -n r load xr --mode $mode >/dev/null
	"$programs/others"
	$xrdma -n r unload xr
done
echo "forwarded, and to the host's own loopback addresses"
