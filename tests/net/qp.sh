#!/usr/bin/env bash
# Completion queues and queue pairs of a loaded device: tests/net/qp{,_state}.c.
#   a: xa 10.66.0.1 --- xb 10.66.0.2 :b, which is also a's gateway to 10.77.0.0/24
set -eu
. "$(dirname "$0")/../support/net.sh"
two_hosts
ip -n a route add 10.77.0.0/24 via 10.66.0.2
ip -n a route add blackhole 10.78.0.0/24
ip -n a route add 10.80.0.0/24 via 10.66.0.2 mtu 600
ip -n a link add name other up type veth peer name far
ip -n a addr add 10.79.0.1/24 dev other

$xrdma -n a load xa >/dev/null
PEER_MAC=$(ip -n b -j link show xb | jq -r '.[0].address')
export PEER_MAC
ip -n a neigh add 10.66.0.2 lladdr "$PEER_MAC" nud permanent dev xa
nsenter --net=/run/netns/a "$programs/qp"
nsenter --net=/run/netns/a "$programs/qp_state"
echo "completion queues, queue pairs"
