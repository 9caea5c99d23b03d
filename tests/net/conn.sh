#!/usr/bin/env bash
# Connections that are made over TCP: tests/net/conn.c, conn_message.c.
#   a: xa 10.66.0.1 --- xb 10.66.0.2 :b
set -eu
. "$(dirname "$0")/../support/net.sh"
two_hosts 4500
$xrdma -n a load xa >/dev/null
$xrdma -n b load xb >/dev/null
# Whatever this says, a listener at every address takes IPv4 too.
nsenter --net=/run/netns/b sh -c 'echo 1 >/proc/sys/net/ipv6/bindv6only'
"$programs/conn"
"$programs/conn_message"
echo "connections over TCP"
