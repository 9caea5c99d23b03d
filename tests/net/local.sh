#!/usr/bin/env bash
# Both ends are on one host, with any address of its netdevs (tests/net/local.c).
#   a: xa 10.66.0.1, 10.66.0.11, fd66::1, fe80::a --- xb 10.66.0.2, fd66::2, fe80::b :a
#      d0 10.99.0.1, fd99::1: where nothing leaves    lo 127.0.0.1, ::1
set -eu
. "$(dirname "$0")/../support/net.sh"
one_host 1500
ip -n a link add d0 type dummy 2>/dev/null || ip -n a link add d0 type bridge # either will do
ip -n a link set d0 up
ip -n a addr add 10.66.0.11/24 dev xa
ip -n a addr add fe80::a/64 dev xa nodad
ip -n a addr add fe80::b/64 dev xb nodad
ip -n a addr add 10.99.0.1/24 dev d0
ip -n a addr add fd99::1/64 dev d0 nodad

all() { # MODE
	$xrdma -n a load xa --mode $1 >/dev/null
	$xrdma -n a load xb --mode $1 >/dev/null
	"$programs/local"
	$xrdma -n a unload xa
	$xrdma -n a unload xb
}
$xrdma -n a load d0 >/dev/null
$xrdma -n a load lo >/dev/null
all native
all tc
echo "own addresses, lo, a netdev of no use, a cable"
