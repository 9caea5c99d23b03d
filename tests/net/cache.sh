#!/usr/bin/env bash
# Registered memory that is kept for the next time, by programs that are linked with libxrdma.so:
# tests/shared/*.c. And the model test, which is linked with the static library too.
set -eu
. "$(dirname "$0")/../support/net.sh"
two_hosts 4500
shared=build/tests/shared
ops() {
	"$shared/hooks"
	"$shared/stacks"
	"$shared/bare"
	"$shared/torture"
	"$shared/model"
	"$programs/model"
	[ $mode = native ] || limits
}
limits() {
	"$shared/limits"
	"$shared/scarce"
}
in_both_modes ops
echo "memory that is kept"
