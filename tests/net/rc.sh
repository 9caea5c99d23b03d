#!/usr/bin/env bash
# RC operations over a veth pair, in both modes. The programs are tests/net/*.c.
#   a: xa 10.66.0.1 --- xb 10.66.0.2 :b
set -eu
. "$(dirname "$0")/../support/net.sh"
two_hosts 4500

# The library registers memory in one way in both modes, so that is tested in one of them.
registration() {
	"$programs/heap" 'heap_parts/*'
	"$programs/memory"
	"$programs/regattr"
	"$programs/refresh"
	"$programs/demand"
	"$programs/demand_late"
	"$programs/raw"
	"$programs/bare"
}
operations() {
	[ $mode = tc ] || registration
	"$programs/heap" 'heap/*'
	"$programs/scattered"
	"$programs/demand_mkey"
	"$programs/eq"
	"$programs/events"
	"$programs/endpoint"
	"$programs/auth"
	"$programs/drain"
	"$programs/buffers"
	"$programs/outstanding"
	"$programs/retry"
	for operation in write send read atomic window; do
		"$programs/$operation"
		"$programs/${operation}_failure"
	done
	"$programs/window_state"
	"$programs/window_order"
	"$programs/mkey"
	"$programs/mkey_builder"
	"$programs/mkey_sig"
	"$programs/mkey_staged"
	"$programs/mkey_crypto"
}
in_both_modes operations
echo "WRITE, SEND, READ, atomics, windows and mkeys in native and tc mode"
