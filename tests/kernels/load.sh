#!/usr/bin/env bash
# The device loads on this kernel in either mode, beside other XDP programs where the kernel takes
# libxdp's dispatcher, and alone. The last line says which way each mode took.
set -eu
. "$(dirname "$0")/../support/net.sh"
two_hosts
said=

# Loads and unloads; WAY is what the kernel shows to be attached: the program itself, or the
# dispatcher in its place.
load() { # MODE
	$xrdma -n a load xa --mode "$1" >/dev/null
	$xrdma -n a status xa -j | jq -e --arg mode "$1" '.[0].state == "attached" and .[0].mode == $mode' >/dev/null ||
		fail "asked for $1: $($xrdma -n a status xa)"
	case $(ip -n a -j link show xa | jq -r '.[0].xdp.prog.name') in
	xrdma) way=alone ;;
	xdp_dispatcher) way=beside ;;
	*) fail "$1: $(ip -n a link show xa)" ;;
	esac
	$xrdma -n a unload xa
	ip -n a -j link show xa | jq -e '.[0].xdp == null' >/dev/null || fail "$1: still attached"
}
for mode in native generic; do
	load $mode
	said+="$mode $way "
	LIBXDP_SKIP_DISPATCHER=1 load $mode
	[ $way = alone ] || fail "$mode: the dispatcher was taken, which was not to be"
done
echo "$said"
