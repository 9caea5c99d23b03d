#!/usr/bin/env bash
# xrdma pcap decodes a capture from the sender's netdev. It has frames with several packets, because
# the kernel segments them after the capture. A veth pair passes such frames on to the receiver.
#   a: xa 10.66.0.1 --- xb 10.66.0.2 :b
set -eu
. "$(dirname "$0")/../support/net.sh"
. tests/support/traffic.sh
two_hosts 4500
$xrdma -n a load xa --mode tc >/dev/null
$xrdma -n b load xb --mode tc >/dev/null

dumpcaps=()
for host in a b; do
	ip netns exec $host dumpcap -q -i x$host -B 64 -w "$work/$host.pcapng" 2>"$work/dumpcap" &
	dumpcaps+=($!)
	until [ -s "$work/$host.pcapng" ]; do sleep 0.05; done
done
traffic_over 10.66.0.2
traffic_over fd66::2
# The file has all packets when it has this last one (454e44 is END).
ip netns exec a ping -q -c 1 -p 454e44 10.66.0.2 >/dev/null
for host in a b; do
	until grep -q ENDEND "$work/$host.pcapng"; do sleep 0.05; done
done
kill -TERM "${dumpcaps[@]}"
wait "${dumpcaps[@]}" || fail "dumpcap: $(cat "$work/dumpcap")"

for host in a b; do
	build/xrdma pcap -j "$work/$host.pcapng" >"$work/json"
	read -r good segmented both packets < <(jq -r '[all(.error == null and .icrc == "good"), (map(.segment) | max > 1),
		([.[] | select(.segment == 3) | .src | contains(":")] | unique == [false, true]), length] | @tsv' "$work/json")
	[ $good = true ] || fail "$host: $(jq -c '.[] | select(.error != null or .icrc != "good")' "$work/json" | head -3)"
	[ $segmented = true ] || fail "$host: no frame has several packets"
	[ $both = true ] || fail "$host: not both families have frames of several packets"
done
echo "$packets packets at either end, in frames of one and of several"
