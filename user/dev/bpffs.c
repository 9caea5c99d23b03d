// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "dev/bpffs.h"

#include <dirent.h>
#include <errno.h>
#include <linux/magic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "lib/error.h"

const char *xrdma_bpffs(void)
{
	const char *path = getenv("XRDMA_BPFFS");

	return path && *path ? path : "/sys/fs/bpf";
}

static bool is_there(void)
{
	struct statfs fs;

	return !statfs(xrdma_bpffs(), &fs) && fs.f_type == BPF_FS_MAGIC;
}

int xrdma_bpffs_check(void)
{
	if (is_there())
		return 0;
	return xrdma_fail(
		ENOTDIR,
		"%s is not a BPF file system: mount -t bpf bpf %s, or name one in XRDMA_BPFFS "
		"(ip netns exec hides /sys/fs/bpf: use xrdma -n)",
		xrdma_bpffs(), xrdma_bpffs());
}

static bool is_empty(const char *path)
{
	DIR *dir = opendir(path);
	int entries = 0;

	if (!dir)
		return false;
	while (entries <= 2 && readdir(dir)) /* itself and its parent */
		entries++;
	closedir(dir);
	return entries <= 2;
}

static bool mount_stays(void)
{
	struct stat own, parent;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/ns/mnt", getppid());
	if (stat("/proc/self/ns/mnt", &own) || stat(path, &parent))
		return !getppid(); /* the parent is in another PID namespace */
	return own.st_ino == parent.st_ino;
}

int xrdma_bpffs_mount(void)
{
	const char *path = xrdma_bpffs();

	if (is_there())
		return 0;
	if (!is_empty(path) || !mount_stays())
		return xrdma_bpffs_check();
	if (!mount("bpf", path, "bpf", 0, "mode=0700"))
		return 0;
	return xrdma_fail(errno, "cannot mount a BPF file system on %s: %s", path,
			  errno == EPERM ? "not permitted, run as root" : strerror(errno));
}
