#!/usr/bin/env bash
# make deps installs everything that the build and the unit tests need. They pass in a Debian 12
# root folder with only apt and make, without a terminal, a locale or an environment. The root is a
# tmpfs in a mount namespace of its own, so nothing remains.
set -eu
[ "$(id -u)" = 0 ] || { echo "needs root"; exit 77; }
if [ -z "${XRDMA_ISOLATED-}" ]; then
	export XRDMA_ISOLATED=1
	exec unshare --mount --pid --fork --kill-child --mount-proc "$0" "$@"
fi
cd "$(dirname "$0")/../.."
root=/mnt

mirror=$(apt-get indextargets --format '$(REPO_URI) $(RELEASE)' 'Created-By: Packages' |
	awk '$2 == "bookworm" { print $1; exit }')
[ -n "$mirror" ] || { echo "apt knows no Debian 12 archive"; exit 77; }
mount -t tmpfs -o size=4g,mode=755 tmpfs $root

if ! debootstrap --variant=minbase --include=make bookworm $root "$mirror" >$root/log 2>&1; then
	cat $root/log
	grep -q 'Failed getting release file' $root/log || exit 1
	echo "cannot reach $mirror"
	exit 77
fi
apt-config dump | grep '^Acquire::' >$root/etc/apt/apt.conf.d/99host # proxies and similar settings
mount -t proc proc $root/proc

mkdir $root/xrdma $root/shared
tar --create --exclude=./build --exclude=./.git . | tar --extract --directory $root/xrdma
[ ! -d ../shared/captures ] || cp -r ../shared/captures $root/shared/

env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin chroot $root make --no-print-directory -C /xrdma check TESTS=unit </dev/null
