#!/usr/bin/env bash
# run.sh FILE [PART...]: the benchmarks, or those of these parts, between two hosts of their own.
# The figures go to FILE as JSON.
#   a: xa 10.66.0.1 --- xb 10.66.0.2 :b
set -eu
. "$(dirname "$0")/../tests/support/net.sh"
two_hosts 4500
build/bench/bench "$@"
