#!/usr/bin/env bash
# xrdma perf between two hosts, on one host, and with programs that are no client.
#   a: xa 10.66.0.1 --- xb 10.66.0.2 :b
set -eu
. "$(dirname "$0")/../support/net.sh"
two_hosts 4500
perf() { $xrdma -n a perf xa 10.66.0.2 "$@"; }
check() { jq -e "$1" "$work/json" >/dev/null || fail "$1: $(cat "$work/json")"; }
printed() { grep -c "$1" "$work/server" || true; }
wait_for() { # COMMAND...: until it succeeds, or 10 s have passed
	local end=$((SECONDS + 10))
	until "$@"; do
		[ $SECONDS -lt $end ] || fail "not within 10 s: $* ($(cat "$work/server"))"
		sleep 0.1
	done
}
has_printed() { [ "$(printed "$1")" = "$2" ]; } # TEXT COUNT
serve() { # ARGUMENT...: sets server
	start_until "$work/server" waiting $xrdma -n b perf xb "$@"
	server=$!
}
stop() { kill $server; wait $server || true; }
ok_of_b() { $xrdma -n b stat xb -j | jq '.[0].verdicts.OK'; }
reached() { [ "$(ok_of_b)" -ge "$1" ]; } # COUNT
# start_long FILE OPTION...: start a client that writes for a minute, with its output in FILE. Set
# client. Return when b has received more packets than connecting needs.
start_long() {
	local file=$1 before
	shift
	before=$(ok_of_b)
	$xrdma -n a perf xa 10.66.0.2 write -t 60 "$@" >"$file" 2>&1 &
	client=$!
	wait_for reached $((before + 100))
}

# Each error message names the wrong argument, and the limit.
wrong() { # TEXT ARGUMENT...
	local text=$1
	shift
	refused 2 "^xrdma perf: $text" $xrdma perf "$@"
	refused 2 "^usage: xrdma perf" $xrdma perf "$@"
}
wrong "DEVICE is missing"
wrong "there is no operation fly: write, read" xa 10.66.0.2 fly
wrong "-q 0: a number from 1 to 64 is needed" xa 10.66.0.2 -q 0
wrong "-q 65: a number from 1 to 64" xa 10.66.0.2 -q 65
wrong "-d 257: a number from 1 to 256" xa 10.66.0.2 -d 257
for sizes in 65M 1,,2 1, -1; do
	wrong "-s $sizes: up to 32 sizes from 0 to 64M" xa 10.66.0.2 -s $sizes
done
wrong "-t 0: a number from 0.001 to 86400" xa 10.66.0.2 -t 0
wrong "-t soon: a number" xa 10.66.0.2 -t soon
wrong "-m 128: a number from 256 to 4096" xa 10.66.0.2 -m 128
wrong "--tx bird: auto, udp or xdp" xa 10.66.0.2 --tx bird
wrong "-1 is for a server" xa 10.66.0.2 -1
wrong "a server has no option but -p and -1: HOST is missing" xa -j
wrong "a server has no option" xa -q 2
wrong "invalid option -- 'y'" xa -y
refused 1 "xa is not loaded" $xrdma -n a perf xa
refused 1 "xa is not loaded" perf

measure_all() {
	local before
	serve
	before=$(ok_of_b)
	perf -t 0.02 -s 0,1,5000,1M -q 3 -d 7 -j >"$work/json"
	check 'map(.operation) | group_by(.) | map([.[0], length]) == [["atomic", 1], ["read", 4], ["send", 4], ["write", 4]]'
	check 'map(select(.operation == "read") | .bytes) == [0, 1, 5000, 1048576]'
	check 'all(.[]; .qps == 3 and .depth == 7 and .path_mtu == 4096)'
	check 'all(.[].latency_ns; .count > 0 and .min > 0 and .min <= .p50 and .p50 <= .p90 and .p90 <= .p99
		and .p99 <= .["p99.9"] and .["p99.9"] <= .max)'
	check 'all(.[]; .requests >= 21 and .seconds >= 0.02 and .seconds < 5)'
	check 'all(.[]; (.requests_per_s * .seconds / .requests - 1 | fabs) < 0.001
		and (.gbit_per_s * 1e9 - .requests_per_s * .bytes * 8 | fabs) < 1)'
	reached $((before + $(jq 'map(.requests + .latency_ns.count) | add' "$work/json"))) ||
		fail "too few packets came"
	$xrdma -n a perf xa fd66::2 read -t 0.05 -s 64,1k -m 1024 --tx udp >"$work/table"
	grep -q '^to fd66::2: queue pairs: 1, .* 64 .* path MTU 1024$' "$work/table" || fail "$(cat "$work/table")"
	[ "$(awk '$1 == "read" && NF == 10 && $3 > 0 && $8 >= $3 { print $2 }' "$work/table" | xargs)" = "64 1024" ] ||
		fail "$(cat "$work/table")"
	wait_for has_printed "^10.66.0.1: gone" 1
	wait_for has_printed "^fd66::1: gone" 1
	stop
}

one_client() {
	refused 1 "refused" perf
	serve -1
	perf write -t 0.05 -s 64 >/dev/null
	wait $server || fail "the server of one client: status $?"
	has_printed "^10.66.0.1: gone" 1 || fail "$(cat "$work/server")"
}

# Two clients run at a time. One is killed, and then the server.
two_clients() {
	serve -p 7555
	start_long "$work/killed" -p 7555
	perf write -t 0.05 -s 64 -p 7555 >/dev/null
	kill -9 $client
	wait $client 2>/dev/null || true
	wait_for has_printed "^10.66.0.1: does not answer any more" 1
	has_printed "^10.66.0.1: gone" 1 || fail "$(cat "$work/server")"
	only_waits() { [ "$($xrdma show ctx xb -j | jq 'map(select(.state == "ALIVE")) | length')" = 1 ]; }
	wait_for only_waits
	start_long "$work/client" -p 7555 -s 64
	stop
	! wait $client || fail "a client whose server was killed succeeds"
	grep -q "write of 64 bytes: no response after retry_cnt" "$work/client" || fail "$(cat "$work/client")"
}

# If something connects that is no client, it is ignored, or the process that serves it ends.
strangers() {
	serve
	nsenter --net=/run/netns/a bash -c 'echo nothing >/dev/tcp/10.66.0.2/7472'
	nsenter --net=/run/netns/a "$programs/perf" xa 10.66.0.2 7472 fd66::2
	has_printed "asks for what there is not" 11 || fail "$(cat "$work/server")"
	wait_for has_printed "10.66.0.1: another connects" 1
	wait_for has_printed "10.66.0.1: does not go on" 1
	perf write -t 0.05 -s 64 >/dev/null
	stop
}

# The progress is shown only on a terminal.
progress() {
	serve
	perf write -t 0.3 -s 64 2>&1 >/dev/null | grep -q . && fail "progress, and no terminal"
	script -qec "$xrdma -n a perf xa 10.66.0.2 write -t 0.3 -s 64" "$work/terminal" >/dev/null
	grep -q "write of 64 bytes: latency, 0.[0-9] of 0.3 s" "$work/terminal" || fail "$(cat "$work/terminal")"
	grep -q "write of 64 bytes: bandwidth, 0.[0-9] of 0.3 s" "$work/terminal" || fail "$(cat "$work/terminal")"
	stop
}

all() {
	measure_all
	[ $mode = native ] || clients
}
clients() {
	one_client
	two_clients
	strangers
	progress
}
in_both_modes all

# Both ends are on one host, over lo.
$xrdma -n a load lo >/dev/null
start_until "$work/server" waiting $xrdma -n a perf lo
server=$!
$xrdma -n a perf lo 127.0.0.1 -t 0.05 -s 64 -j >"$work/json"
check 'length == 4 and all(.[]; .requests > 0)'
stop
echo "latency and bandwidth between two hosts, on one, and with clients that end or are none"
