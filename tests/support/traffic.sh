# Random traffic between two hosts a and b with loaded devices. Source this after net.sh.

are_there() { # PID...
	local pid
	for pid; do
		kill -0 $pid 2>/dev/null || return 1
	done
}

wait_for() { # TEXT HOST...: until they have said it
	local text=$1 host end=$((SECONDS + 60))
	shift
	for host; do
		until grep -q "$text" "$work/$host"; do
			[ $SECONDS -lt $end ] && are_there $a $b || fail "$(tail "$work/a" "$work/b")"
			sleep 0.05
		done
	done
}

# traffic_over ADDRESS: send requests of all kinds in both directions, to ADDRESS of b. Every byte
# must be right (tests/net/traffic.c).
traffic_over() {
	local a= b
	start "$work/b" ip netns exec b "$programs/traffic" xb 200
	b=$!
	wait_for waiting b
	start "$work/a" ip netns exec a "$programs/traffic" xa 200 "$1"
	a=$!
	wait_for done a b
	kill $a $b
	wait $a $b || true
}
