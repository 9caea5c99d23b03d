#!/usr/bin/env bash
# 10,000 each of WRITE, SEND and READ whose frames are in several buffers, in both modes:
# tests/net/buffers.c. tests/run sees what the kernel says to it.   a: xa 10.66.0.1 --- xb 10.66.0.2
# :b
set -eu
. "$(dirname "$0")/../support/net.sh"
two_hosts 4500
in_both_modes "$programs/buffers"
echo "30,000 frames in several buffers in native and tc mode"
