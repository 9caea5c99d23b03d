#!/usr/bin/env bash
# Registered memory that is kept for the next time, by programs that are linked with libxrdma.so:
# tests/shared/*.c. The model test is linked with the static library too. The library
# registers memory in one way in both modes, so each program runs in one of them.
set -eu
. "$(dirname "$0")/../support/net.sh"
two_hosts 4500

# Kernels before 6.11 tell of mappings by the text of all of them alone. There these tests, with
# 65,530 mappings, take minutes: they are left out.
scarce() {
	case $(uname -r) in
	6.[1-9][.-]* | 6.10[.-]*) echo "kernel $(uname -r): without the tests of few mappings" ;;
	*) "$shared/scarce" ;;
	esac
}

shared=build/tests/shared
ops() {
	case $mode in
	native)
		"$shared/hooks"
		"$shared/meanwhile"
		"$shared/stacks"
		"$shared/no_local"
		"$shared/model"
		;;
	tc)
		"$shared/torture"
		"$programs/model"
		"$shared/limits"
		scarce
		;;
	esac
}
in_both_modes ops
echo "memory that is kept"
