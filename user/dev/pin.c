// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "dev/pin.h"

#include <bpf/bpf.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dev/bpffs.h"
#include "lib/error.h"
#include "dev/lock.h"

static void root_path(char path[PATH_MAX])
{
	snprintf(path, PATH_MAX, "%s/xrdma", xrdma_bpffs());
}

/*
 * Swap two characters in NAME. A BPF file system allows no dots, and a netdev's name has no colons,
 * so each replaces the other.
 */
static void swap(char *name, char from, char to)
{
	while ((name = strchr(name, from)))
		*name = to;
}

int xrdma_pin_path(char path[PATH_MAX], const char *device, const char *name)
{
	char folder[IF_NAMESIZE] = { 0 };

	if (!*device || strlen(device) >= sizeof(folder) || strpbrk(device, "/: \t\n") ||
	    !strcmp(device, ".") || !strcmp(device, ".."))
		return xrdma_fail(EINVAL, "'%s' is not the name of a netdev", device);
	strncpy(folder, device, sizeof(folder) - 1);
	swap(folder, '.', ':');
	snprintf(path, PATH_MAX, "%s/xrdma/%s/%s", xrdma_bpffs(), folder, name);
	return 0;
}

/* Explain ERROR, from opening PATH of a device's pins. Returns -errno. */
static int refuse(const char *device, const char *path, int error)
{
	int err;

	switch (error) {
	case ENOENT:
		err = xrdma_bpffs_check();
		return err ? err
			   : xrdma_fail(ENOENT, "%s is not loaded: xrdma load %s", device, device);
	case EPERM:
	case EACCES:
		return xrdma_fail(EPERM, "%s: not permitted: needs CAP_BPF, run as root", path);
	default:
		return xrdma_fail(error, "%s: %s", path, strerror(error));
	}
}

/* Make the directory of a device, and its parent. */
static int create(const char *path)
{
	char root[PATH_MAX];
	int err = xrdma_bpffs_mount();

	if (err)
		return err;
	root_path(root);
	if ((mkdir(root, 0700) && errno != EEXIST) || (mkdir(path, 0700) && errno != EEXIST))
		return xrdma_fail(errno, "cannot create %s: %s", path, strerror(errno));
	return 0;
}

int xrdma_pin_lock(const char *device, enum xrdma_pin_mode hold)
{
	char path[PATH_MAX];
	int fd, err = xrdma_pin_path(path, device, "");

	do {
		if (!err && hold == XRDMA_PIN_CREATE)
			err = create(path);
		if (err)
			return err;
		fd = xrdma_lock(path, hold == XRDMA_PIN_SHARED ? LOCK_SH : LOCK_EX);
	} while (fd == -ESTALE);
	return fd < 0 ? refuse(device, path, -fd) : fd;
}

void xrdma_pin_unlock(int lock)
{
	xrdma_unlock(lock);
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

int xrdma_pin_put(const char *device, const char *name, int fd)
{
	char path[PATH_MAX];
	int err = xrdma_pin_path(path, device, name);

	return err ? err : bpf_obj_pin(fd, path);
}

void xrdma_pin_remove(const char *device, const char *name)
{
	char path[PATH_MAX];

	if (!xrdma_pin_path(path, device, name))
		unlink(path);
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

int xrdma_pin_watch(const char *device)
{
	char path[PATH_MAX];
	int fd, err = xrdma_pin_path(path, device, "");

	if (err)
		return err;
	fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	if (fd >= 0 && inotify_add_watch(fd, path, IN_DELETE | IN_DELETE_SELF) >= 0)
		return fd;
	err = -errno;
	if (fd >= 0)
		close(fd);
	return err;
}

/* Rename a device. If both names exist, swap them. */
void xrdma_pin_rename(const char *device, const char *name)
{
	char from[PATH_MAX], to[PATH_MAX];

	if (xrdma_pin_path(from, device, "") || xrdma_pin_path(to, name, ""))
		return;
	if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) && errno == EEXIST)
		renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_EXCHANGE);
}

int xrdma_pin_each(int (*visit)(const char *name, void *arg), void *arg)
{
	char path[PATH_MAX], name[IF_NAMESIZE];
	struct dirent *entry;
	int err = xrdma_bpffs_check();
	DIR *dir;

	if (err)
		return err;
	root_path(path);
	dir = opendir(path);
	if (!dir)
		return errno == ENOENT ? 0 : xrdma_fail(errno, "%s: %s", path, strerror(errno));
	while (!err && (entry = readdir(dir))) {
		if (*entry->d_name == '.')
			continue;
		snprintf(name, sizeof(name), "%.*s", IF_NAMESIZE - 1, entry->d_name);
		swap(name, ':', '.');
		err = visit(name, arg);
	}
	closedir(dir);
	return err;
}
