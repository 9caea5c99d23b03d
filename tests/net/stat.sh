#!/usr/bin/env bash
# xrdma stat and show: counters of a device, and objects of processes.
#   a: xa 10.66.0.1 --- xb 10.66.0.2 :b
set -eu
. "$(dirname "$0")/../support/net.sh"
bin=build/examples
two_hosts
in_a() { nsenter --net=/run/netns/a "$@"; }
in_b() { nsenter --net=/run/netns/b "$@"; }
serve() { # PROGRAM: on xb of host b, until it listens; sets server
	nsenter --net=/run/netns/b "$1" xb >/dev/null &
	server=$!
	wait_for_listener $server
}
check() { jq -e "$1" "$work/json" >/dev/null || fail "$1: $(cat "$work/json")"; }

[ "$($xrdma stat -j)" = '[]' ] || fail "something is counted"
refused 1 "xb is not loaded" $xrdma -n b stat xb
refused 1 "xb is not loaded" $xrdma -n b show qp xb
refused 2 "usage" $xrdma stat -i 0
refused 2 "usage" $xrdma stat -i soon
refused 2 "-c COUNT counts intervals: -i SECONDS is missing" $xrdma stat -c 2
refused 2 "usage" $xrdma stat xa xb
refused 2 "usage" $xrdma show
refused 2 "usage" $xrdma show pd
$xrdma -n a load xa >/dev/null
$xrdma -n b load xb >/dev/null
$xrdma -n b stat xb -j >"$work/json"
check '.[0].device == "xb" and all(.[0].verdicts[]; . >= 0) and .[0].opcodes.RC_SEND_ONLY == 0'
for kind in ctx mr mw qp cq; do [ "$($xrdma show $kind -j)" = '[]' ] || fail "a $kind is shown"; done

# A connection is in use. The server's process id is from another namespace.
serve $bin/pingpong
$xrdma show qp xb -j >"$work/json"
check 'length == 1 and .[0].state == "INIT" and .[0].transport == "RC" and .[0].peer_addr == "::"'
nsenter --net=/run/netns/a $bin/pingpong xa 10.66.0.2 100000000 64 >/dev/null &
client=$!
connected() { $xrdma show qp xb -j | jq -e '.[0].state == "RTS" and .[0].resp.msn > 0' >/dev/null; }
until connected; do kill -0 $client || fail "pingpong ended"; done
$xrdma show qp xb -j >"$work/json"
check '.[0] | .peer_addr == "10.66.0.1" and .addr == "10.66.0.2" and .mtu == 1024 and .pkey == "0xffff"
	and .resp.error == "OK" and .slot * 65536 + .row == .qpn'
$xrdma show ctx -j >"$work/json"
check 'length == 2 and all(.[]; .state == "ALIVE" and .owner > 0) and ([.[].device] | sort) == ["xa", "xb"]'
$xrdma show mr xb -j >"$work/json"
check 'length == 1 and (.[0] | .kind == "MR" and .state == "VALID" and .len == 2097152 and (.key | test("^0x[0-9a-f]{8}$"))
	and .parent == .key and .has_user_key == 0
	and .rights == ["LOCAL_WRITE", "READ", "WRITE", "RECV", "SEND", "LOCAL_READ"])'
$xrdma show cq xb -j >"$work/json"
check 'length == 2 and all(.[]; .kind == "CQ" and .mask == 255)'
$xrdma show cq xb | grep -q '^xb  slot [0-9]*  process [0-9]*  row 0  kind CQ  first 0  mask 255' || fail "$($xrdma show cq xb)"

# Each interval contains the increase per second. Totals before and after enclose it.
before=$($xrdma stat xb -j | jq '.[0].opcodes.RC_SEND_ONLY')
$xrdma stat xb -i 0.3 -c 2 -j >"$work/json"
after=$($xrdma stat xb -j | jq '.[0].opcodes.RC_SEND_ONLY')
check 'length == 2 and all(.[]; .seconds == 0.3 and .opcodes.RC_SEND_ONLY > 0 and .verdicts.OK > 0 and .verdicts.ICRC == 0)'
check "(map(.opcodes.RC_SEND_ONLY * 0.3) | add) <= $after - $before"
$xrdma stat xb -i 0.1 -c 1 | grep -q '^  verdict *[0-9]*/s  OK ' || fail "no rate of verdict OK"
kill $client $server
wait $client $server || true

# Windows and mkeys are not shown as regions. An mkey without configuration has no layout.
expect_shown() { # EXAMPLE KIND CONDITION REGION: of its target, which waits for a peer
	serve "$bin/$1"
	$xrdma show "$2" xb -j >"$work/json"
	check "length == 1 and (.[0] | $3)"
	$xrdma show mr xb -j >"$work/json"
	check "length == 1 and (.[0] | .kind == \"MR\" and $4)"
	kill $server
	wait $server || true
}
expect_shown window mw '.kind == "MW2B" and .state == "FREE" and .qpn == 0' '(.rights | index("MW_BIND"))'
expect_shown matrix mkey '.kind == "LIST" and .state == "FREE" and .layout_count == 0' '(.rights | index("MW_BIND") | not)'

# A region of four buffers with a user key: the row that peers reach, and its parts.
serve $bin/anymem
$xrdma show mr xb -j >"$work/json"
check 'map(select(.kind == "LIST")) as $all | ($all | length) == 1 and ($all[0] |
	.has_user_key == 1 and .user_key == "0x00007e47" and .len == 64 and .layout_count == 4 and .parent == .key and
	(.rights | index("REMOTE_READ") and index("REMOTE_WRITE")))
	and (map(select(.kind == "MR" and .parent == $all[0].key and .len == 16)) | length) == 4 and length == 5'
$xrdma show mr xb | grep -q '  rights LOCAL_WRITE,REMOTE_WRITE,REMOTE_READ,LOCAL_READ  ' || fail "$($xrdma show mr xb)"
[ "$($xrdma show mkey xb -j)" = '[]' ] || fail "a region is shown as an mkey"
# Regions that were closed are not shown, whether or not the client is still running.
in_a $bin/anymem xa 10.66.0.2 $(seq 1000) >"$work/output" &
client=$!
until [ "$(wc -l <"$work/output")" -gt 20 ]; do kill -0 $client 2>/dev/null || break; done
$xrdma show mr xb -j >"$work/json"
check 'length <= 5'
wait $client
wait $server

# The sums equal the counters that bpftool shows, unless the stack has sent packets in between.
are_sums() {
	$xrdma stat xb -j >"$work/json"
	bpftool -j map dump pinned "$XRDMA_BPFFS/xrdma/xb/xrdma_counters" | jq '[.[0].formatted.values[].value.verdicts | to_entries[]]
		| group_by(.key) | map({(.[0].key): map(.value) | add}) | add' >"$work/sums"
	jq -e --slurpfile sums "$work/sums" '.[0].verdicts == $sums[0]' "$work/json" >/dev/null
}
are_sums || are_sums || are_sums || fail "other sums than bpftool's"
$xrdma stat xb | grep -q '^  opcode *[0-9]*  RC_SEND_ONLY *RC SEND Only$' || fail "$($xrdma stat xb)"
$xrdma show ctx -j >"$work/json"
check 'all(.[]; .state == "DEAD" and .owner == 0)'
echo "counters, rates, rows"
