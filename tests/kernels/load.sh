#!/usr/bin/env bash
# The device can be loaded on this kernel in both modes. In native mode it can be loaded alone, and
# beside other XDP programs if the kernel supports libxdp's dispatcher. The last line says how each
# mode was attached.
set -eu
. "$(dirname "$0")/../support/net.sh"
two_hosts
line=

# Load and unload the device. WAY becomes what the kernel shows as attached: the program itself, or
# the dispatcher in its place.
load() { # MODE
	$xrdma -n a load xa --mode "$1" >/dev/null
	$xrdma -n a status xa -j | jq -e --arg mode "$1" '.[0].state == "attached" and .[0].mode == $mode' >/dev/null ||
		fail "asked for $1: $($xrdma -n a status xa)"
	case $1-$(ip -n a -j link show xa | jq -r '.[0].xdp.prog.name') in
	native-xrdma) way=alone ;;
	native-xdp_dispatcher) way=beside ;;
	tc-null) way=$([ -e "$XRDMA_BPFFS/xrdma/xa/xrdma_tc_link" ] && echo link || filter) ;;
	*) fail "$1: $(ip -n a link show xa)" ;;
	esac
	$xrdma -n a unload xa
	ip -n a -j link show xa | jq -e '.[0].xdp == null' >/dev/null || fail "$1: still attached"
	for netdev in xa lo; do
		[ -z "$(tc -n a filter show dev $netdev ingress)" ] ||
			fail "$1: left $(tc -n a filter show dev $netdev ingress)"
	done
}

# The kernel shows the program like this if there is no link.
filter() {
	tc -n a filter show dev xa ingress | grep -q 'pref 1 bpf chain 0 handle 0x80[0-9a-f]* xrdma_tc' ||
		fail "neither a link nor a filter: $(tc -n a filter show dev xa ingress)"
	echo filter
}
for mode in native tc; do
	load $mode
	line+="$mode $way "
done
LIBXDP_SKIP_DISPATCHER=1 load native
[ $way = alone ] || fail "the dispatcher was taken, which was not to be"
echo "$line"
