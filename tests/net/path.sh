#!/usr/bin/env bash
# That packets follow the kernel's routes and neighbours as they change: tests/net/path.c.
#   a: xa 10.66.0.1 --- xb 10.66.0.2 :b, which has fd66::99 beside
set -eu
. "$(dirname "$0")/../support/net.sh"
two_hosts 4500
ip -n b addr add fd66::99/128 dev lo
ip -n a route add fd66::99/128 via fd66::2
nsenter --net=/run/netns/b sh -c "echo 0 >/proc/sys/net/ipv6/icmp/ratelimit"
in_both_modes "$programs/path"
echo "routes, neighbours, path MTUs"
