#!/usr/bin/env bash
# Run the program of make demo, in both XDP modes.
set -eu
cd "$(dirname "$0")/../.."
log=$(mktemp)
trap 'rm -f "$log"' EXIT
for mode in native tc; do
	status=0
	examples/write/demo.sh $mode >"$log" 2>&1 || status=$?
	[ $status = 0 ] || { cat "$log"; exit $status; }
done
tail -n 1 "$log"
