#!/usr/bin/env bash
# Registered memory in the cache, in programs that are linked with libxrdma.so (tests/shared/*.c).
# The model test is linked with the static library, too. Registration does not depend on the mode,
# so each program runs in one mode.
set -eu
. "$(dirname "$0")/../support/net.sh"
two_hosts 4500

# On kernels before 6.11, the library can only read the text of all mappings. These tests have
# 65,530 mappings, and would take minutes there, so they are left out.
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
