#!/usr/bin/env bash
# RC operations over a veth pair, in both XDP modes:
# tests/net/{write,send,read,atomic}{,_failure}.c.   a: xa 10.66.0.1 --- xb 10.66.0.2 :b
set -eu
. "$(dirname "$0")/../support/net.sh"
two_hosts 4500
operations() {
	for operation in write send read atomic; do
		"$programs/$operation"
		"$programs/${operation}_failure"
	done
}
in_both_modes operations
echo "WRITE, SEND, READ and atomics in native and generic mode"
