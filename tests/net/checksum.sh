#!/usr/bin/env bash
# UDP checksums of replies to what a socket sends, which the kernel leaves to the netdev to compute:
# tests/net/checksum.c. Only at tc: frames of XDP's have no checksum to be computed.
#   a: xa 10.66.0.1 --- xb 10.66.0.2 :b
set -eu
. "$(dirname "$0")/../support/net.sh"
two_hosts 4500
$xrdma -n a load xa --mode tc >/dev/null
$xrdma -n b load xb --mode tc >/dev/null
"$programs/checksum"
echo "none or right, with and without netdevs that compute them"
