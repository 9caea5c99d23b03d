#!/usr/bin/env bash
# Kernels that lack something, started by run.sh: one is too old, and one has no veth. A kernel that
# is locked down lacks nothing that is needed.
set -eu
. "$(dirname "$0")/../support/net.sh"

no_veth() {
	# Run this like a user, and not like a test: in namespaces of its own.
	refused 1 '^this kernel has no veth: one with CONFIG_VETH is needed$' env -u ALONE examples/write/demo.sh
	[ "$(wc -l <"$work/out")" = 2 ] || fail "$(cat "$work/out")"
}

too_old() {
	two_hosts
	for mode in native tc auto; do
		refused 1 '^xrdma load: kernel 5[^ ]* is too old: 6.1 is needed$' $xrdma -n a load xa --mode $mode
		[ "$(wc -l <"$work/out")" = 1 ] || fail "$(cat "$work/out")"
	done
	[ -z "$(find "$XRDMA_BPFFS/xrdma" -mindepth 1)" ] || fail "a refusal left $(find "$XRDMA_BPFFS/xrdma")"
	ip -n a -j link show xa | jq -e '.[0].xdp == null' >/dev/null || fail "a refusal left a program"
}

locked_down() {
	two_hosts
	in_both_modes true
}

case "$(uname -r) $(cat /proc/cmdline)" in
5.*) lacks=too_old ;;
*module_blacklist=veth*) lacks=no_veth ;;
*lockdown=*) lacks=locked_down ;;
*) fail "nothing is known to be lacking" ;;
esac
$lacks
echo "$lacks"
