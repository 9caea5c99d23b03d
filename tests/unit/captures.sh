#!/usr/bin/env bash
# xrdma pcap decodes every packet of real Soft-RoCE captures like tshark, and its ICRC is the one
# that we compute.
set -eu
cd "$(dirname "$0")/../.."
. tests/support/decode.sh
captures=../shared/captures
[ -d $captures ] || { echo "no captures in $captures"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "$*"; exit 1; }

# tshark takes half a second to start, so it reads one file with all packets, in the other format.
mergecap -a -F pcapng -w "$work/all.pcapng" $captures/*.pcap
decode "$work/all.pcapng" "$work"
packets=$(wc -l <"$work/xrdma")
[ "$packets" -gt 900 ] || fail "only $packets packets: are the captures whole?"

# Print the packets of FILE... without their numbers in it.
packets_of() {
	local file
	for file in "$@"; do build/xrdma pcap -j "$file"; done | jq -c '.[] | del(.frame)'
}
packets_of "$work/all.pcapng" >"$work/merged"
packets_of $captures/*.pcap | diff - "$work/merged" | head -20 | grep . && fail "single files (<) differ"

# Soft-RoCE covers the headers of its FLUSH packets twice. All other packets have a right ICRC.
jq -es 'all(.icrc == if .opcode == 28 then "bad" else "good" end)' "$work/merged" >/dev/null || fail "unexpected ICRC"
echo "$packets packets decode as tshark decodes them"
