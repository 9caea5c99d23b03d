// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "dev/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/queue.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/mutex.h"

/*
 * A lock that this process holds or waits for. A lock lasts as long as any process has its file
 * open, so children close these files.
 */
struct holder {
	int fd;
	SLIST_ENTRY(holder) next;
};

static SLIST_HEAD(, holder) holders = SLIST_HEAD_INITIALIZER(holders);
static struct xrdma_mutex holders_lock = XRDMA_MUTEX(XRDMA_RANK_DEVICE);
static pthread_once_t watched = PTHREAD_ONCE_INIT;

static void before_fork(void)
{
	xrdma_mutex_lock(&holders_lock);
}

static void after_fork(void)
{
	xrdma_mutex_unlock(&holders_lock);
}

static void in_child(void)
{
	struct holder *holder;

	while ((holder = SLIST_FIRST(&holders))) {
		SLIST_REMOVE_HEAD(&holders, next);
		close(holder->fd);
		free(holder);
	}
	xrdma_mutex_init(&holders_lock, XRDMA_RANK_DEVICE);
	xrdma_rank_forget();
}

static void watch_forks(void)
{
	pthread_atfork(before_fork, after_fork, in_child);
}

static int open_directory(const char *path)
{
	struct holder *holder = malloc(sizeof(*holder));
	int fd = -ENOMEM;

	if (!holder)
		return fd;
	pthread_once(&watched, watch_forks);
	xrdma_mutex_lock(&holders_lock);
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0) {
		fd = -errno;
		free(holder);
	} else {
		holder->fd = fd;
		SLIST_INSERT_HEAD(&holders, holder, next);
	}
	xrdma_mutex_unlock(&holders_lock);
	return fd;
}

void xrdma_unlock(int lock)
{
	struct holder *holder;

	xrdma_mutex_lock(&holders_lock);
	SLIST_FOREACH(holder, &holders, next)
	if (holder->fd == lock)
		break;
	if (holder) {
		SLIST_REMOVE(&holders, holder, holder, next);
		/*
		 * Unlock explicitly, because a child of vfork(2) closes the file only when it
		 * executes a program.
		 */
		flock(lock, LOCK_UN);
		close(lock);
		free(holder);
	}
	xrdma_mutex_unlock(&holders_lock);
}

/* Returns whether PATH is still the directory that was opened as FD: unloading removes it. */
static bool is_at(int fd, const char *path)
{
	struct stat opened, there;

	return !fstat(fd, &opened) && !stat(path, &there) && opened.st_dev == there.st_dev &&
	       opened.st_ino == there.st_ino;
}

int xrdma_lock(const char *path, int operation)
{
	int err, fd = open_directory(path);

	if (fd < 0)
		return fd;
	do
		err = flock(fd, operation) ? -errno : 0;
	while (err == -EINTR);
	if (!err && !is_at(fd, path))
		err = -ESTALE;
	if (!err)
		return fd;
	xrdma_unlock(fd);
	return err;
}
