#!/usr/bin/env bash
# RC operations over a veth pair in both modes: the programs of tests/net/rc. Registration does not
# depend on the mode, so the programs of tests/net/registration run in one mode.
#   a: xa 10.66.0.1 --- xb 10.66.0.2 :b
set -eu
. "$(dirname "$0")/../support/net.sh"
two_hosts 4500

operations() {
	[ $mode = tc ] || run_programs registration
	run_programs rc
}
in_both_modes operations
echo "WRITE, SEND, READ, atomics, windows and mkeys in native and tc mode"
