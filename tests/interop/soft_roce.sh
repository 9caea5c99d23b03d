#!/usr/bin/env bash
# Soft-RoCE uses memory windows of ours (window_ours.c), and we use its windows (window_theirs.c).
# The XDP program on Soft-RoCE's netdev passes Soft-RoCE's packets on. Without this program, the
# veth would not receive the replies of native mode.
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
