#!/usr/bin/env bash
# Asynchronous events: of queue pairs (the programs of tests/net/events), and of a netdev.
#   a: xa 10.66.0.1 --- xb 10.66.0.2 :b
set -eu
. "$(dirname "$0")/../support/net.sh"
two_hosts 4500

# Change the netdev, and expect that the program reports this.
change() { # EVENT COMMAND...
	local event=$1
	shift
	"$@"
	for _ in {1..500}; do
		! grep -q "^$event$" "$work/events" || break
		sleep 0.01
	done
	grep -q "^$event$" "$work/events" || fail "$mode mode: $* gave no $event: $(cat "$work/events")"
	sleep 0.1
	: >"$work/events"
}

netdev() {
	run_programs events
	start_until "$work/events" ready nsenter --net=/run/netns/a "$programs/report" xa
	reporter=$!
	: >"$work/events"
	change PORT_ERR ip -n a link set xa down
	change PORT_ACTIVE ip -n a link set xa up
	change PORT_ERR ip -n b link set xb down
	change PORT_ACTIVE ip -n b link set xb up
	change GID_CHANGE ip -n a addr add 10.66.9.9/24 dev xa
	change GID_CHANGE ip -n a addr del 10.66.9.9/24 dev xa
	change DEVICE_FATAL $xrdma -n a unload -f xa
	kill $reporter
	wait $reporter || true
	$xrdma -n a load xa --mode "$mode" >/dev/null
}
in_both_modes netdev
echo "asynchronous events in native and tc mode"
