#!/usr/bin/env bash
# run.sh FILE [PART...]: run the benchmarks, or only some parts, between two hosts in namespaces.
# The figures are written to FILE as JSON.
#   a: xa 10.66.0.1 --- xb 10.66.0.2 :b
set -eu
. "$(dirname "$0")/../tests/support/net.sh"
two_hosts 4500
build/bench/bench "$@"
