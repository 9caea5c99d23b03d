#!/usr/bin/env bash
# Memory windows of ours used by Soft-RoCE (window_ours.c), and of its own by us (window_theirs.c).
# Soft-RoCE works in the first network namespace of a machine alone: of a guest of tests/kernels,
# which lends it (FIRST_NETNS); never of the machine that a user works at. The XDP program on its
# netdev leaves it its packets; a veth without one would not get the answers of native mode.
#   a: xa 10.66.0.1, ours --- xb 10.66.0.2, ours and rxe0 :b, which is the first
set -eu
. "$(dirname "$0")/../support/net.sh"
[ -n "${FIRST_NETNS-}" ] || { echo "in the guests of make kernels alone"; exit 77; }

ip netns add a
touch /run/netns/b
mount --bind "$FIRST_NETNS" /run/netns/b
join xa netns a type veth peer name xb netns b
address_host a 1
address_host b 2
in_b() { nsenter --net=/run/netns/b "$@"; }
in_b rdma link add rxe0 type rxe netdev xb
trap 'in_b rdma link del rxe0; ip -all netns delete' EXIT

windows() {
	build/tests/interop/window_ours
	build/tests/interop/window_theirs
}
in_both_modes windows
