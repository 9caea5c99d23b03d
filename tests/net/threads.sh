#!/usr/bin/env bash
# Threads and the objects that they share: tests/net/threads{,_mkey}.c, eq.c.
#   a: xa 10.66.0.1 --- xb 10.66.0.2 :b
set -eu
. "$(dirname "$0")/../support/net.sh"
two_hosts 4500
$xrdma -n a load xa >/dev/null
$xrdma -n b load xb >/dev/null
"$programs/threads"
"$programs/threads_mkey"
# With the sanitizer of threads, where it was built, all but what reads memory while it is written.
# Without random addresses, which that of Debian 12 does not cope with on newer kernels.
for program in threads threads_mkey eq; do
	watched=build/tsan/tests/net/$program
	[ ! -x $watched ] || setarch -R $watched "$program/share_*"
done
echo "threads that share queue pairs, completion queues, regions and the builder"
