#!/usr/bin/env bash
# Captured connections, of which either end is ours, at tc and behind XDP: tests/net/captured.c plays the other as a raw
# socket in a.
#   a: xa 10.66.0.3 --- xb 10.66.0.2 :b
set -eu
. "$(dirname "$0")/../support/net.sh"
peer_and_host
captured() { "$programs/captured"; }
in_both_modes_of_b captured
echo "either end of captured connections in native and tc mode"
