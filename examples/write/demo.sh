#!/usr/bin/env bash
# demo.sh [native|tc|auto]: demonstrate an RDMA WRITE into a stopped process, and refusals. make
# demo builds and runs it. It uses new network namespaces, and no interface of the machine.
#
#   host a: writer, xa 10.66.0.1 --- xb 10.66.0.2, target :host b
set -eu
. "$(dirname "$0")/../../tests/support/net.sh"
mode=${1:-auto}
bin=build/examples/write
bytes=65536
passed=0 failed=0

# check TEXT COMMAND...: run COMMAND, and print TEXT with the result
check() {
	local text=$1
	shift
	if "$@" >/dev/null 2>&1; then
		passed=$((passed + 1))
		echo "  ok    $text"
	else
		failed=$((failed + 1))
		echo "  FAIL  $text"
	fi
}

start_target() {
	exec {output}< <(exec nsenter --net=/run/netns/b "$bin/target" xb $bytes)
	target=$!
	read -r -t 10 -u "$output" address
}

# Print the target's memory as it is now, without help of the target.
memory() { dd if="/proc/$target/mem" bs=4096 skip=$((address / 4096)) count=$((bytes / 4096)) status=none; }

# Print state and CPU time of the target.
state() { awk '{ print $3 }' "/proc/$target/stat"; }
cpu_time() { awk '{ print $14 + $15 }' "/proc/$target/stat"; }
is() { [ "$1" = "$2" ]; }

# Print the number of packets to which XDP on xb has given VERDICT.
count() {
	bpftool -j map dump pinned "$XRDMA_BPFFS/xrdma/xb/xrdma_counters" |
		jq "[.[0].formatted.values[].value.verdicts.$1] | add"
}

# connect OFFSET FILE [KEY]: start a writer that waits for a line before it writes. Stop the target
# when they are connected.
connect() {
	kill -CONT "$target"
	coproc WRITER { exec nsenter --net=/run/netns/a "$bin/writer" xa 10.66.0.2 "$@"; }
	exec {answer}<&"${WRITER[0]}" {go}>&"${WRITER[1]}"
	read -r -t 10 -u "$answer" line
	kill -STOP "$target"
	until is "$(state)" T; do :; done
	memory >"$work/before"
	[ "$(stat -c %s "$work/before")" = $bytes ] || fail "cannot read the target's memory"
}

# Let the writer write. $result becomes its last line.
write() {
	echo >&"$go"
	result=silence
	read -r -t 10 -u "$answer" result || true
	wait "$WRITER_PID" || true
	exec {answer}<&- {go}>&-
}

# write_refused VERDICT: expect that the write changes nothing, and that XDP counts it under
# VERDICT.
write_refused() {
	local counted
	counted=$(count "$1")
	write
	check "the writer is told: $2" is "$result" "$2"
	check "XDP on xb counted it as $1" is $(($(count "$1") - counted)) 1
	check "no byte of the target's memory changed" cmp "$work/before" <(memory)
}

# write_arrives OFFSET FILE: expect that the write is executed while the target is stopped.
write_arrives() {
	local time
	connect "$@"
	time=$(cpu_time)
	check "the target is stopped" is "$(state)" T
	write
	check "the writer's completion says: success" is "$result" success
	dd if="$2" of="$work/before" bs=64K seek="$1" oflag=seek_bytes conv=notrunc status=none
	check "the bytes are in the target's memory, and no other changed" cmp "$work/before" <(memory)
	check "the target is still stopped, and has used no CPU time" is "$(state) $(cpu_time)" "T $time"
}

echo "Two hosts: a with xa (10.66.0.1), b with xb (10.66.0.2), joined by a veth pair; XDP is loaded on both ends."
two_hosts 4500
$xrdma -n a load xa --mode "$mode"
$xrdma -n b load xb --mode "$mode"
head -c 64 /dev/urandom >"$work/small"
head -c 50000 /dev/urandom >"$work/large"
start_target
echo "The target on b has registered $bytes bytes at $address. It is stopped while the writer on a works."

echo "WRITE of 64 bytes to offset 1000:"
write_arrives 1000 "$work/small"
echo "WRITE of 50000 bytes, in 13 packets, to offset 7777:"
write_arrives 7777 "$work/large"
key=${line##* }

echo "WRITE under a key that is not the target's:"
connect 0 "$work/small" $((key ^ 1))
write_refused KEY "the remote key does not allow the access"
echo "WRITE of 64 bytes of which the last is out of range:"
connect $((bytes - 63)) "$work/small"
write_refused KEY_RANGE "the remote key does not allow the access"

echo "WRITE to a target that was killed:"
connect 0 "$work/small"
counted=$(count CONTEXT)
kill -KILL "$target"
wait "$target" || true
write
check "the writer is told: no answer" is "$result" "no response after retry_cnt retransmissions"
check "XDP on xb dropped each of the 8 transmissions" is $(($(count CONTEXT) - counted)) 8
check "the context went with its process" is "$($xrdma -n b status xb -j | jq '.[0].contexts')" 0
exec {output}<&-

echo "A new target, to which the old key means nothing:"
start_target
connect 0 "$work/small" "$key"
write_refused KEY "the remote key does not allow the access"
kill -KILL "$target"
wait "$target" || true

echo "Unload:"
$xrdma -n a unload xa
$xrdma -n b unload xb
left=$(for host in a b; do ip -n $host -j link show x$host | jq -c '.[0] | [.ifname, .xdp]'; done)
check "no XDP program is left on xa and xb" is "$left" $'["xa",null]\n["xb",null]'
check "no pin is left" is "$(ls -A "$XRDMA_BPFFS/xrdma")" ""
echo "demo: $passed checks passed, $failed failed"
[ $failed = 0 ]
