#!/usr/bin/env bash
# make_guest.sh: makes the Soft-RoCE that matrix.sh talks to where there is none, once and in some
# minutes: a User-Mode Linux, by ../shared/rxe-guest, of packages of Debian's. The test itself could
# not: it has a network of its own, from which Debian is out of reach. Exit status 77, and one line:
# it cannot be made.
set -eu
cd "$(dirname "$0")/../../.."
unset MAKEFLAGS # of the make that starts this: the kernel has jobs of its own
maker=../shared/rxe-guest
made=${RXE_HOME:-$HOME/.cache/rxe-guest}/cache
root=$made/matrix/root.img # a copy: User-Mode Linux locks its own

[ "$(id -u)" = 0 ] || { echo "needs root"; exit 77; }
[ -d $maker ] || { echo "there is no $maker"; exit 77; }
[ -e "$made/trixie/root.img" ] || $maker/run-guest.sh build trixie
[ -e "$made/uml/linux" ] || $maker/build-uml.sh
[ ! -e "$root" ] || exit 0
mkdir -p "$(dirname "$root")"
cp --sparse=always "$made/trixie/root.img" "$root"
