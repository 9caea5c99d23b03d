#!/usr/bin/env bash
# RC operations over a veth pair, in both XDP modes: tests/net/{write,send,read,atomic}{,_failure}.c.
#   a: xa 10.66.0.1 --- xb 10.66.0.2 :b
set -eu
. "$(dirname "$0")/../support/net.sh"
two_hosts 4500
for mode in native generic; do
	$xrdma -n a load xa --mode $mode >/dev/null
	$xrdma -n b load xb --mode $mode >/dev/null
	"$programs/write"
	"$programs/write_failure"
	"$programs/send"
	"$programs/send_failure"
	"$programs/read"
	"$programs/read_failure"
	"$programs/atomic"
	"$programs/atomic_failure"
	$xrdma -n a unload xa
	$xrdma -n b unload xb
done
echo "WRITE, SEND, READ and atomics in native and generic mode"
