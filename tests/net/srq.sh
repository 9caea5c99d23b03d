#!/usr/bin/env bash
# Queue pairs that share a receive queue, in both modes: the programs of tests/net/srq.
#   a: xa 10.66.0.1 --- xb 10.66.0.2 :b
set -eu
. "$(dirname "$0")/../support/net.sh"
two_hosts 4500

operations() {
	run_programs srq
}
in_both_modes operations
echo "shared receive queues in native and tc mode"
