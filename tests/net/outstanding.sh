#!/usr/bin/env bash
# How much may be outstanding on a queue pair, in both modes: tests/net/outstanding.c.
#   a: xa 10.66.0.1 --- xb 10.66.0.2 :b
set -eu
. "$(dirname "$0")/../support/net.sh"
two_hosts 4500
reads() { "$programs/outstanding"; }
in_both_modes reads
echo "READs of 2^31 bytes and 2^23 PSNs, sixteen at a time"
