#!/usr/bin/env bash
# xrdma pcap reports what is wrong with a file that it cannot decode, and survives captures of any
# content.
set -eu
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

refused() { # STATUS TEXT ARGUMENT...
	local status=$1 text=$2 got=0
	shift 2
	build/xrdma "$@" >"$work/out" 2>&1 || got=$?
	[ $got = "$status" ] && grep -q "$text" "$work/out" && return
	echo "xrdma $*: status $got, expected $status and '$text'"
	cat "$work/out"
	exit 1
}
refused 2 "usage"
refused 2 "there is no command nonsense" nonsense
refused 2 "usage" pcap
refused 2 "usage" pcap a b
refused 1 "No such file" pcap "$work/absent"
head -c 100 /dev/zero >"$work/zeros"
refused 1 "unknown file format" pcap "$work/zeros"

# Write a capture header (little endian, link type in the last word), and packets of LEN bytes each.
header() { printf '\xd4\xc3\xb2\xa1\2\0\4\0\0\0\0\0\0\0\0\0\0\0\4\0%b\0\0\0' "$1"; }
record() { printf '\0\0\0\0\0\0\0\0%b\0\0\0%b\0\0\0' "$1" "$1"; }

header '\x71' >"$work/cooked"
refused 1 "LINUX_SLL: capture on one Ethernet interface" pcap "$work/cooked"
{ header '\1'; record '\x40'; head -c 10 /dev/zero; } >"$work/cut"
refused 1 "truncated" pcap "$work/cut"

{ header '\1'; for _ in $(seq 200); do record '\x60'; head -c 96 /dev/urandom; done; } >"$work/noise"
[ "$(build/xrdma pcap -j "$work/noise" | jq length)" = 0 ] || { echo "noise was taken for RoCE"; exit 1; }
header '\1' >"$work/empty"
[ "$(build/xrdma pcap -j "$work/empty")" = '[]' ] || { echo "an empty capture is not []"; exit 1; }
echo "refusals are clear"
