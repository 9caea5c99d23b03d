#!/usr/bin/env bash
# Packets of a peer that come twice, late, out of their order or from nowhere, at tc and behind XDP:
# tests/net/ghost{,_response}.c send them as a raw socket in a.
#   a: xa 10.66.0.3 --- xb 10.66.0.2 :b
set -eu
. "$(dirname "$0")/../support/net.sh"
peer_and_host
ghosts() {
	"$programs/ghost"
	"$programs/ghost_response"
}
in_both_modes_of_b ghosts
echo "duplicates, ghosts and wrong orders in native and tc mode"
