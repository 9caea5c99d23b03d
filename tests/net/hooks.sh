#!/usr/bin/env bash
# Measure each cell of the table of hooks in docs/security.md. Host a sends requests one at a time,
# and host b answers them. Hooks of the kernel on both hosts count the packets.
#   a: xa 10.66.0.1 --- xb 10.66.0.2 :b
set -eu
. "$(dirname "$0")/../support/net.sh"
two_hosts 4500
in_host() { nsenter --net="/run/netns/$1" "${@:2}"; } # HOST COMMAND...
in_host a nft list ruleset >"$work/log" 2>&1 || { echo "this kernel has no nftables"; exit 77; }
for host in a b; do
	tc -n $host qdisc add dev x$host root pfifo
done
declare -A before # number of packets that the qdisc of a host has sent before

qdisc_sent() { tc -n "$1" -s qdisc show dev "x$1" root | awk '/^ Sent/ { print $4 }'; } # HOST

# Let HOST's hooks count from 0. Chains have the name of the direction of their packets. The IPsec
# policies allow the packets, and the kernel records when it last compared a packet with a policy.
# The kernel also compares the connect(2) of a socket with the policies. The policies are for IPv4
# only, so that they do not count the sockets of xrdma, which are connected over IPv6.
start_counting() { # HOST
	local hook direction chains=''
	for hook in in.prerouting in.input in.forward out.output out.postrouting; do
		chains+="chain ${hook/./_} { type filter hook ${hook#*.} priority 0; udp dport 4791 counter; }"$'\n'
	done
	in_host "$1" nft -f - <<-END
		flush ruleset
		table inet hosts {
		$chains}
		table netdev links {
		chain in { type filter hook ingress device x$1 priority 0; udp dport 4791 counter; }
		chain out { type filter hook egress device x$1 priority 0; udp dport 4791 counter; }
		}
	END
	ip -n "$1" xfrm policy flush
	for direction in in out; do
		ip -n "$1" xfrm policy add src 0/0 dst 0/0 proto udp dport 4791 dir $direction
		start_capture "$1" $direction
	done
	before[$1]=$(qdisc_sent "$1")
}

start_capture() { # HOST DIRECTION
	local capture=$work/$1.$2
	start_until "$capture.log" '^File:' nsenter --net="/run/netns/$1" \
		dumpcap -i "x$1" -f "udp dst port 4791 and ${2}bound" -w "$capture"
	captures+=($!)
}

# Wait until the captures have counted all packets: a capture that is stopped loses those that it has
# not read, and does not count them. It reads packets up to 0.25 s after they came, or later on a busy
# machine.
await_captures() {
	local logs before=
	for _ in {1..20}; do
		logs=$(cat "$work"/?.{in,out}.log)
		[ "$logs" != "$before" ] || return 0
		before=$logs
		sleep 1
	done
	fail "the captures do not end"
}

stop_captures() {
	await_captures
	kill -TERM "${captures[@]}"
	wait "${captures[@]}" || fail "dumpcap: $(cat "$work"/?.*.log)"
	captures=()
}

nft_count() { # HOST TABLE DIRECTION
	in_host "$1" nft list ruleset | awk -v table="$2" -v direction="$3" '
		/^table/ { is_counted = $3 == table }
		/^\tchain/ { passes = index($2, direction) == 1 }
		is_counted && passes && /counter packets/ { sum += $6; rules++ }
		END { print rules ? sum : "no rule" }'
}
count_netfilter() { nft_count "$1" hosts "$2"; } # HOST DIRECTION, as all of these
count_nftables() { nft_count "$1" links "$2"; }
count_IPsec() { ip -n "$1" -s xfrm policy list dir "$2" | grep -c 'use [0-9]' || true; }
count_qdiscs() { echo $(($(qdisc_sent "$1") - before[$1])); }
# Packets for which dumpcap had no room were at the hook, too.
count_tcpdump() {
	local got dropped
	read -r got dropped <<<"$(sed -nE \
		's,^Packets received/dropped on interface .*: ([0-9]+)/([0-9]+) .*,\1 \2,p' \
		"$work/$1.$2.log")"
	[ -n "$dropped" ] || fail "dumpcap reports no numbers: $(cat "$work/$1.$2.log")"
	echo $((got + dropped))
}

# Print the table's word for packets of COLUMN at HOOK, with which a row begins.
table_says() { # HOOK COLUMN
	awk -F ' *[|] *' -v hook="$1" -v column="$2" '
		/^[|] hook / { for (i = 2; i < NF; i++) if ($i == column) at = i }
		at && index($2, hook) == 1 { print $at; found = 1 }
		END { exit !found }' docs/security.md || fail "docs/security.md has no row $1 or no column $2"
}

# Compare the COUNT of packets at a hook with WORD: "yes" if the hook gets all packets, and "no" if
# it gets none. Some packets of TCP, ARP and neighbour discovery are counted at qdiscs as well.
compare() { # COUNT WORD WHAT
	local all=$requests
	[ $hook != IPsec ] || all=1
	case $2 in
	yes) [ "$1" -ge "$all" ] ;;
	no) [ $(($1 * 4)) -lt "$all" ] ;;
	*) fail "docs/security.md says '$2' of $3" ;;
	esac || fail "docs/security.md says '$2' of $3: $1 packets of $requests requests"
	compared=$((compared + 1))
}

compare_column() { # HOST DIRECTION COLUMN
	local hook word
	for hook in netfilter nftables IPsec qdiscs tcpdump; do
		[ $hook$2 != qdiscsin ] || continue # no qdisc gets arriving packets
		word=$(table_says $hook "$3")
		case $word in
		*"$mode mode"*) word=yes ;;
		*mode) word=no ;;
		esac
		compare "$(count_$hook $1 $2)" "$word" "$hook, $3, $mode mode"
	done
}

# Send requests over both address families for a short time.
measure() { # ARGUMENT...: of xrdma perf
	local address host
	for host in a b; do start_counting $host; done
	requests=0
	for address in 10.66.0.2 fd66::2; do
		$xrdma -n a perf xa $address "$@" -d 1 -t 0.02 -j >"$work/json"
		requests=$((requests + $(jq 'map(.latency_ns.count) | add' "$work/json")))
	done
	stop_captures
}

compare_all() {
	local server hook captures=()
	start_until "$work/server" waiting $xrdma -n b perf xb
	server=$!
	measure write read -s 64 --tx udp
	compare_column b in "request arrives"
	compare_column b out "reply leaves"
	compare_column a out "request leaves by UDP"
	measure write read -s 64 --tx xdp
	compare_column a out "request leaves by AF_XDP"
	measure read -s 16384
	for hook in qdiscs tcpdump; do
		compare "$(count_$hook b out)" yes "$hook, long responses, $mode mode"
	done
	kill $server
	wait $server || true
}

compared=0
in_both_modes compare_all
[ $compared = 42 ] || fail "$compared cells compared"
echo "hooks get what docs/security.md says"
