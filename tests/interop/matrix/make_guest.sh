#!/usr/bin/env bash
# make_guest.sh: build the Soft-RoCE for matrix.sh once, in some minutes. It is a User-Mode Linux
# from Debian's packages, by ../shared/rxe-guest. The test itself cannot build it, because the
# test's network cannot reach Debian. With exit status 77, one line says why it cannot be built.
set -eu
cd "$(dirname "$0")/../../.."
unset MAKEFLAGS # of the calling make: the kernel's make has jobs of its own
maker=../shared/rxe-guest
made=${RXE_HOME:-$HOME/.cache/rxe-guest}/cache
root=$made/matrix/root.img # copy for this test, because User-Mode Linux locks the file

[ "$(id -u)" = 0 ] || { echo "needs root"; exit 77; }
[ -d $maker ] || { echo "there is no $maker"; exit 77; }
[ -e "$made/trixie/root.img" ] || $maker/run-guest.sh build trixie
[ -e "$made/uml/linux" ] || $maker/build-uml.sh
[ ! -e "$root" ] || exit 0
mkdir -p "$(dirname "$root")"
cp --sparse=always "$made/trixie/root.img" "$root"
