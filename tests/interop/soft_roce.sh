#!/usr/bin/env bash
# Memory windows of ours used by Soft-RoCE (window_ours.c), and of its own by us (window_theirs.c).
# The XDP program on Soft-RoCE's netdev leaves it its packets; a veth without one would not get the
# answers of native mode.
#   a: xa 10.66.0.1, ours --- xb 10.66.0.2, ours and rxe0 :b
set -eu
[ -n "${FIRST_NETNS-}" ] || { echo "in the guests of make kernels alone"; exit 77; }
. "$(dirname "$0")/../support/net.sh"
. tests/support/soft_roce.sh
two_hosts
add_soft_roce

windows() {
	build/tests/interop/window_ours
	build/tests/interop/window_theirs
}
in_both_modes windows
