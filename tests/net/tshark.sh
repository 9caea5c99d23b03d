#!/usr/bin/env bash
# tshark finds no errors in our packets (tests/net/wire.c), and their ICRC is right. The packets are
# captured at a bridge between the hosts, because a capture on the sender's netdev does not have
# packets of AF_XDP. The devices are in tc mode: through a bridge port without an XDP program the
# replies of native mode are lost.
#   a: xa 10.66.0.1 --- pa :wire: pb --- xb 10.66.0.2 :b
set -eu
. "$(dirname "$0")/../support/net.sh"
. tests/support/decode.sh
two_hosts_bridged 4500
for host in a b; do # otherwise a capture has packets before their segmentation
	ip -n $host link set x$host gso_max_segs 1
done
$xrdma -n a load xa --mode tc >/dev/null
$xrdma -n b load xb --mode tc >/dev/null

capture=$work/capture.pcapng
nsenter --net=/run/netns/wire dumpcap -q -i pa -w "$capture" 2>"$work/dumpcap" &
dumpcap=$!
until [ -s "$capture" ]; do sleep 0.05; done
"$programs/wire"
# The file has all packets when it has this last one (454e44 is END).
nsenter --net=/run/netns/a ping -q -c 1 -p 454e44 10.66.0.2 >/dev/null
until grep -q ENDEND "$capture"; do sleep 0.05; done
kill -TERM $dumpcap
wait $dumpcap || fail "dumpcap: $(cat "$work/dumpcap")"

decode "$capture" "$work"
packets=$(wc -l <"$work/tshark")

# Every packet that XDP on xb has counted was captured, and there are replies.
received=$(bpftool -j map dump pinned "$XRDMA_BPFFS/xrdma/xb/xrdma_counters" |
	jq '[.[0].formatted.values[].value.verdicts | del(.NOT_ROCE)[]] | add')
sent=$(tshark -r "$capture" -Y 'infiniband && (ip.src == 10.66.0.1 || ipv6.src == fd66::1)' 2>/dev/null | wc -l)
[ "$sent" = "$received" ] || fail "$sent packets captured, $received received"

# IBA A17.4.5 allows a UDP checksum of 0, which tshark reports as wrong for IPv6. Payloads are
# random bytes, and not protocols that tshark guesses.
guesses=$(tshark -G heuristic-decodes 2>/dev/null | awk '$1 == "infiniband.payload" { print "--disable-protocol", $2 }')
tshark -r "$capture" $guesses -o ip.check_checksum:TRUE -Y '!(frame.protocols contains "infiniband:ethertype") &&
	(_ws.malformed || (_ws.expert && !(ipv6 && udp.checksum == 0)))' \
	>"$work/wrong" 2>/dev/null
[ ! -s "$work/wrong" ] || fail "tshark objects to: $(head -5 "$work/wrong")"

build/xrdma pcap -j "$capture" | jq -e 'all(.error == null and .icrc == "good")' >/dev/null ||
	fail "packets with an error or a wrong ICRC"

# Print the values of FIELDS in packets that match FILTER.
seen() {
	local filter=$1 field fields=()
	shift
	for field in "$@"; do fields+=(-e "infiniband.$field"); done
	tshark -r "$capture" -Y "$filter" -T fields -E separator=: "${fields[@]}" 2>/dev/null | sort -u | tr '\n' ' '
}

# There are SENDs and WRITEs of each kind, READs, atomics and their responses, and all
# acknowledgements: positive, receiver not ready, NAK of each code.
expected='0:: 10:: 11:: 12:: 13:0: 14:: 15:0: 16:0: 17:0: 17:1: 17:3:0 17:3:1 17:3:2 17:3:3 18:0: 19:: 1:: 20:: 22:: 23:: 2:: 3:: 4:: 5:: 6:: 7:: 8:: 9:: '
seen=$(seen infiniband bth.opcode aeth.syndrome.opcode aeth.syndrome.error_code)
[ "$seen" = "$expected" ] || fail "opcodes and syndromes: $seen"
# tests/net/wire.c sends two solicited messages. Expect the bit for a solicited event in the last
# packet of each, and in no other packet.
seen=$(seen infiniband.bth.se==1 bth.opcode bth.psn)
[ "$(wc -w <<<"$seen")" = 2 ] && [[ $seen == 2:*' '4:* ]] || fail "solicited: $seen"
echo "$packets packets decode as tshark decodes them"
