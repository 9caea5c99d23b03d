#!/usr/bin/env bash
# Services without acknowledgements over a veth pair in both modes: the programs of
# tests/net/unreliable.
#   a: xa 10.66.0.1 --- xb 10.66.0.2 :b
set -eu
. "$(dirname "$0")/../support/net.sh"
two_hosts 4500

operations() {
	run_programs unreliable
}
in_both_modes operations
echo "UC and UD in native and tc mode"
