// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "pin.h"

#include <bpf/bpf.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "error.h"

static const char *bpffs(void)
{
	const char *path = getenv("XRDMA_BPFFS");

	return path && *path ? path : "/sys/fs/bpf";
}

static int check_bpffs(void)
{
	struct statfs fs;

	if (statfs(bpffs(), &fs) || fs.f_type != BPF_FS_MAGIC)
		return xrdma_fail(ENOTDIR,
				  "%s is no BPF file system: mount -t bpf bpf %s, or name one in "
				  "XRDMA_BPFFS (ip netns exec hides /sys/fs/bpf: use xrdma -n)",
				  bpffs(), bpffs());
	return 0;
}

static void root_path(char path[PATH_MAX])
{
	snprintf(path, PATH_MAX, "%s/xrdma", bpffs());
}

int xrdma_pin_path(char path[PATH_MAX], const char *device, const char *name)
{
	if (!*device || strlen(device) >= IF_NAMESIZE || *device == '.' || strchr(device, '/'))
		return xrdma_fail(EINVAL, "'%s' is not the name of a netdev", device);
	snprintf(path, PATH_MAX, "%s/xrdma/%s/%s", bpffs(), device, name);
	return 0;
}

/* What ERROR means when PATH, of a device's pins, was to be opened. Returns -errno. */
static int refuse(const char *device, const char *path, int error)
{
	int err;

	switch (error) {
	case ENOENT:
		err = check_bpffs();
		return err ? err
			   : xrdma_fail(ENOENT, "%s is not loaded: xrdma load %s", device, device);
	case EPERM:
	case EACCES:
		return xrdma_fail(EPERM, "%s: not permitted: needs CAP_BPF, run as root", path);
	default:
		return xrdma_fail(error, "%s: %s", path, strerror(error));
	}
}

/* Make the directory of a device, and the one that it is in. */
static int create(const char *path)
{
	char root[PATH_MAX];
	int err = check_bpffs();

	if (err)
		return err;
	root_path(root);
	if ((mkdir(root, 0700) && errno != EEXIST) || (mkdir(path, 0700) && errno != EEXIST))
		return xrdma_fail(errno, "cannot create %s: %s", path, strerror(errno));
	return 0;
}

/* Whether PATH is still the directory that was opened as FD: unloading removes it. */
static bool is_at(int fd, const char *path)
{
	struct stat opened, there;

	return !fstat(fd, &opened) && !stat(path, &there) && opened.st_dev == there.st_dev &&
	       opened.st_ino == there.st_ino;
}

/* Returns a file descriptor, -ESTALE when what was locked is gone from PATH by then, or another -errno. */
static int open_locked(const char *path, int operation)
{
	int err, fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	do
		err = flock(fd, operation) ? -errno : 0;
	while (err == -EINTR);
	if (!err && !is_at(fd, path))
		err = -ESTALE;
	if (!err)
		return fd;
	close(fd);
	return err;
}

int xrdma_pin_lock(const char *device, enum xrdma_pin_hold hold)
{
	char path[PATH_MAX];
	int fd, err = xrdma_pin_path(path, device, "");

	do {
		if (!err && hold == XRDMA_PIN_CREATE)
			err = create(path);
		if (err)
			return err;
		fd = open_locked(path, hold == XRDMA_PIN_SHARED ? LOCK_SH : LOCK_EX);
	} while (fd == -ESTALE);
	return fd < 0 ? refuse(device, path, -fd) : fd;
}

void xrdma_pin_unlock(int lock)
{
	flock(lock, LOCK_UN);
	close(lock);
}

int xrdma_pin_get(const char *device, const char *name)
{
	char path[PATH_MAX];
	int fd, err = xrdma_pin_path(path, device, name);

	if (err)
		return err;
	fd = bpf_obj_get(path);
	return fd < 0 ? refuse(device, path, errno) : fd;
}

int xrdma_pin_clear(const char *device)
{
	char path[PATH_MAX];
	struct dirent *entry;
	int err = xrdma_pin_path(path, device, "");
	DIR *dir;

	if (err)
		return err;
	dir = opendir(path);
	if (!dir)
		return xrdma_fail(errno, "%s: %s", path, strerror(errno));
	while (!err && (entry = readdir(dir)))
		if (*entry->d_name != '.' && unlinkat(dirfd(dir), entry->d_name, 0))
			err = xrdma_fail(errno, "cannot remove %s%s: %s", path, entry->d_name,
					 strerror(errno));
	closedir(dir);
	return err;
}

void xrdma_pin_drop(const char *device)
{
	char path[PATH_MAX];

	if (!xrdma_pin_path(path, device, ""))
		rmdir(path);
}

int xrdma_pin_each(int (*visit)(const char *name, void *arg), void *arg)
{
	char path[PATH_MAX];
	struct dirent *entry;
	int err = check_bpffs();
	DIR *dir;

	if (err)
		return err;
	root_path(path);
	dir = opendir(path);
	if (!dir)
		return errno == ENOENT ? 0 : xrdma_fail(errno, "%s: %s", path, strerror(errno));
	while (!err && (entry = readdir(dir)))
		if (*entry->d_name != '.')
			err = visit(entry->d_name, arg);
	closedir(dir);
	return err;
}
