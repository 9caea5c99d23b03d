#!/usr/bin/env bash
# Every packet of real Soft-RoCE captures decodes as tshark decodes it, and carries the ICRC that we compute.
set -eu
cd "$(dirname "$0")/../.."
. tests/support/decode.sh
captures=../shared/captures
[ -d $captures ] || { echo "no captures in $captures"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

packets=0
compare() { # FILE
	decode "$1" "$work"
	packets=$((packets + $(wc -l <"$work/xrdma")))
}

for capture in $captures/*.pcap; do
	compare "$capture"
	# Soft-RoCE covers the headers of its FLUSH packets twice; all else carries a right ICRC.
	build/xrdma pcap "$capture" -j | jq -e 'all(.icrc == if .opcode == 28 then "bad" else "good" end)' \
		>/dev/null || { echo "$capture: unexpected ICRC"; exit 1; }
done
editcap -F pcapng $captures/write.pcap "$work/write.pcapng"
compare "$work/write.pcapng"
[ $packets -gt 900 ] || { echo "only $packets packets: are the captures whole?"; exit 1; }
echo "$packets packets decode as tshark decodes them"
