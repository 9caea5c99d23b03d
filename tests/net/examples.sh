#!/usr/bin/env bash
# Run the examples: between two hosts, on one host with two netdevs or with one, and over lo.
#   a: xa 10.66.0.1 --- xb 10.66.0.2 :b
#   a: xa 10.66.0.1 --- xb 10.66.0.2 :a
set -eu
. "$(dirname "$0")/../support/net.sh"
bin=build/examples

load() { # MODE
	$xrdma -n a load xa --mode "$1" >/dev/null
	$xrdma -n b load xb --mode "$1" >/dev/null
}
in_a() { nsenter --net=/run/netns/a "$@"; }

# start PROGRAM ARGUMENT...: start it on b, and wait until it listens. Its output goes to
# $work/printed, and its input comes from $input.
start() {
	exec {input}<>"$work/input"
	nsenter --net=/run/netns/b "$bin/$1" $theirs "${@:2}" <&"$input" >"$work/printed" &
	server=$!
	wait_for_listener $server
}

ended() { # STATUS: of the server
	local status=0
	wait $server || status=$?
	[ $status = "$1" ] || fail "the server ended with status $status"
}

pingpong() {
	for size in 1 64 100000; do
		start pingpong
		in_a $bin/pingpong $ours "$1" 50 $size >"$work/out"
		grep -q "^50 round trips of $size bytes, " "$work/out" || fail "$(cat "$work/out")"
		ended 0
	done
}

# Clients that count at the same time get different numbers, and no number is left out.
counter() {
	local clients=()
	start counter
	for i in 1 2 3 4; do
		in_a $bin/counter $ours "$1" 100 >"$work/drawn$i" &
		clients+=($!)
	done
	for i in "${clients[@]}"; do wait "$i"; done
	sort -n "$work"/drawn? | cmp - <(seq 0 399) || fail "not every number was drawn once"
	echo >&"$input"
	ended 0
	[ "$(cat "$work/printed")" = 400 ] || fail "the counter is at $(cat "$work/printed")"
}

# Bytes that are written while the window is open arrive, and later ones do not.
window() {
	start window
	in_a $bin/window $ours "$1" "as long as it is open" >"$work/out"
	diff "$work/out" - <<-END || fail "the writer says something else"
		open: success
		closed: the remote key does not allow the access
	END
	ended 0
	[ "$(tr -d '\0' <"$work/printed")" = "as long as it is open" ] || fail "$(cat "$work/printed")"
}

# One column becomes 1, 2, 3 and so on. The others do not change.
matrix() {
	start matrix
	in_a $bin/matrix $ours "$1" 2
	ended 0
	seq 500 | sed 's/.*/0 0 & 0/' | cmp - "$work/printed" || fail "another matrix"
}

# Blocks come back unchanged. The vault has none of their text. A change in the vault is detected.
vault() {
	yes 'a secret' | head -c 10240 >"$work/blocks"
	start vault
	in_a $bin/vault $ours "$1" 99999 <"$work/blocks" | cmp - "$work/blocks" || fail "other blocks"
	ended 0
	[ "$(stat -c %s "$work/printed")" = 10400 ] || fail "not all blocks are kept"
	! grep -qa secret "$work/printed" || fail "blocks are kept in plain text"
	start vault
	refused 3 'block 6 is not what it was' in_a $bin/vault $ours "$1" $((6 * 520 + 100)) <"$work/blocks"
	ended 0
}

# The text is distributed over the quarters of the page, whatever memory they are, and replaces the
# text before.
anymem() {
	local text="This is written to four quarters which all are of unlike memory."
	start anymem
	in_a $bin/anymem $ours "$1" "$text" "That" >"$work/out"
	diff "$work/out" - <<-END || fail "another page was read"
		$text
		That${text#This}
	END
	ended 0
	diff "$work/printed" - <<-END || fail "another page was written"
		This is written 
		to four quarters
		 which all are o
		f unlike memory.
		That is written 
		to four quarters
		 which all are o
		f unlike memory.
	END
	# The text fills one quarter, and the other three must be printed as empty lines. glibc fills new
	# blocks of malloc(3) with other bytes than 0 if MALLOC_PERTURB_ is set.
	MALLOC_PERTURB_=90 start anymem
	in_a $bin/anymem $ours "$1" "short" >"$work/out"
	ended 0
	diff "$work/printed" <(printf 'short\n\n\n\n') || fail "what no peer has written is printed"
}

# Letters arrive in order. A peer without the password cannot write any.
mailbox() {
	start mailbox open-sesame
	in_a $bin/mailbox $ours open-sesame "$1" 'first letter' 'and another'
	ended 0
	diff "$work/printed" - <<-END || fail "other letters"
		first letter
		and another
	END
	start mailbox open-sesame
	refused 1 'first letter: the remote key does not allow the access' in_a $bin/mailbox $ours close-sesame "$1" 'first letter'
	kill $server
	ended 143
	[ ! -s "$work/printed" ] || fail "a letter: $(cat "$work/printed")"
}

get() { # KEY VALUE
	local value
	value=$(in_a $bin/kv/client $ours "$host" get "$1") || fail "get $1: status $?"
	[ "$value" = "$2" ] || fail "get $1: '$value' instead of '$2'"
}

# While a value is changed, others read the old or the new one, and never a mixture.
kv() {
	local host=$1 old new writer value
	start kv/store
	refused 3 'there is no fruit' in_a $bin/kv/client $ours "$host" get fruit
	in_a $bin/kv/client $ours "$host" put fruit apple
	in_a $bin/kv/client $ours "$host" put colour 'light green'
	get fruit apple
	get colour 'light green'
	old=$(printf 'o%.0s' {1..180}) new=$(printf 'n%.0s' {1..180})
	in_a $bin/kv/client $ours "$host" put fruit "$old"
	for _ in 1 2 3; do
		in_a $bin/kv/client $ours "$host" put fruit "$new" &
		writer=$!
		value=$(in_a $bin/kv/client $ours "$host" get fruit)
		[ "$value" = "$old" ] || [ "$value" = "$new" ] || fail "a mixture was read: $value"
		wait $writer
		get fruit "$new"
		in_a $bin/kv/client $ours "$host" put fruit "$old"
	done
	kill $server
	ended 143
}

# Processor time of the server, in ticks.
ticks() { awk '{ print $14 + $15 }' "/proc/$server/stat"; }

# All clients are answered. While no client wants anything, the server uses no CPU.
server() {
	local before after
	start server/server
	for count in 1 200; do
		in_a $bin/server/clients $ours "$1" $count 2 >"$work/out"
		grep -qx "$count clients were answered 2 times each" "$work/out" || fail "$(cat "$work/out")"
	done
	before=$(ticks)
	sleep 0.5
	after=$(ticks)
	[ $((after - before)) -le 1 ] || fail "an idle server used $((after - before)) ticks"
	kill $server
	ended 143
}

# The text is in the target's memory, although the target has not touched it.
write() {
	local address
	start write/target 65536
	until read -r address <"$work/printed"; do # the target listens before it prints the address
		kill -0 $server || fail "the target ended"
	done
	head -c 50000 /dev/urandom >"$work/file"
	echo | in_a $bin/write/writer $ours "$1" 8192 "$work/file" >"$work/out"
	grep -qx success "$work/out" || fail "$(cat "$work/out")"
	dd if=/proc/$server/mem bs=4096 skip=$((address / 4096 + 2)) count=14 status=none |
		head -c 50000 | cmp - "$work/file" || fail "other bytes were written"
	kill $server
	ended 143
}

every_example() { # OURS THEIRS HOST: from a netdev of a to one of b, by an address of that
	local ours=$1 theirs=$2 host=$3
	anymem $host
	mailbox $host
	pingpong $host
	counter $host
	window $host
	matrix $host
	vault $host
	kv $host
	server $host
	write $host
}
mkfifo "$work/input"
two_hosts 4500
load native
every_example xa xb 10.66.0.2
$xrdma -n a unload xa
$xrdma -n b unload xb
ip -all netns delete
one_host 4500
load tc
every_example xa xb fd66::2
$xrdma -n a load lo >/dev/null
every_example xa xa 10.66.0.1
every_example lo lo ::1
echo "anymem, mailbox, pingpong, counter, window, matrix, vault, kv, server, write"
