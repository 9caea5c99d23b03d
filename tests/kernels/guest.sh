#!/usr/bin/env bash
# guest.sh FOLDER: run the tests of FOLDER/tests that the kernel's argument TESTS names, in a guest
# (init), and power off.
export PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8
cd "$1" || echo "no $1"
mkdir -p /dev/pts /dev/shm
ln -s /proc/self/fd /dev/fd
mount -t devpts devpts /dev/pts
mount -t tmpfs tmpfs /dev/shm
ip link set lo up
echo "kernel $(uname -r), up after $(cut -d ' ' -f 1 /proc/uptime) s"
touch /run/first_netns
mount --bind /proc/self/ns/net /run/first_netns
# The number of mutated packets is limited for an emulated machine.
XRDMA_MUTATED=20000 FIRST_NETNS=/run/first_netns PROGRAMS=build/tests/net TEST_SECONDS=900 tests/run ${TESTS//,/ }
echo "status $?"
exec busybox poweroff -f
