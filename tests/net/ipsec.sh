#!/usr/bin/env bash
# Paths that IPsec policies cover: tests/net/ipsec.c.
#   a: xa 10.66.0.1 --- xb 10.66.0.2 :b
set -eu
. "$(dirname "$0")/../support/net.sh"
two_hosts
ip -n a xfrm policy >"$work/said" 2>&1 || {
	echo "this kernel has no IPsec: $(cat "$work/said")"
	exit 77
}
$xrdma -n a load xa --mode tc >/dev/null
$xrdma -n b load xb --mode tc >/dev/null
"$programs/ipsec"
echo "no connection evades an IPsec policy"
