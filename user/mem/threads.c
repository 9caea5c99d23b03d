// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "mem/threads.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
	BLOCK_MAX = 4096, /* bytes from the start of a block to its list of robust futexes */
	TRIES = 1000,	  /* other threads may start and end all the time */
};

static DIR *tasks;	 /* NULL: not open */
static __u64 from_start; /* bytes from the start of a block to its list of robust futexes */
static __u64 own[2];	 /* addresses from which, and up to which, blocks are the library's */

static struct {
	int *threads; /* their numbers */
	int count, room;
} listed;

/*
 * *LIST becomes the address of the list of robust futexes of THREAD, or of the calling thread if
 * THREAD is 0. A thread has this list in its control block. *LIST becomes 0 if the thread has no
 * list. Returns whether there is such a thread.
 */
static bool find_robust_list(int thread, __u64 *list)
{
	struct robust_list_head *head = NULL;
	size_t size;

	if (syscall(SYS_get_robust_list, thread, &head, &size))
		return false;
	*list = (uintptr_t)head;
	return true;
}

int xrdma_threads_open(__u64 own_start, __u64 own_end)
{
	int directory = open("/proc/thread-self/..", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	__u64 list = 0;

	if (directory < 0)
		return -errno;
	tasks = fdopendir(directory);
	if (!tasks) {
		close(directory);
		return -ENOMEM;
	}
	own[0] = own_start;
	own[1] = own_end;
	/* A pthread_t is the address of the block, in glibc and in musl. */
	find_robust_list(0, &list);
	from_start = list - (uintptr_t)pthread_self();
	if (from_start >= BLOCK_MAX)
		from_start = 0;
	return 0;
}

void xrdma_threads_close(void)
{
	if (tasks)
		closedir(tasks);
	tasks = NULL;
	free(listed.threads);
	listed.threads = NULL;
	listed.room = 0;
}

static int add(int thread)
{
	if (listed.count == listed.room) {
		const int room = listed.room ? 2 * listed.room : 16;
		int *more = reallocarray(listed.threads, room, sizeof(*more));

		if (!more)
			return -ENOMEM;
		listed.threads = more;
		listed.room = room;
	}
	listed.threads[listed.count++] = thread;
	return 0;
}

static int list_threads(void)
{
	const struct dirent *task;
	int err = 0;

	listed.count = 0;
	rewinddir(tasks);
	errno = 0;
	while (!err && (task = readdir(tasks))) {
		const int thread = atoi(task->d_name); /* 0: the directory itself or its parent */

		err = thread ? add(thread) : 0;
		errno = 0;
	}
	return err ?: -errno;
}

/* The directory has two links, and one more for each thread. */
static int count_threads(void)
{
	struct stat directory;

	return fstat(dirfd(tasks), &directory) ? -errno : (int)directory.st_nlink - 2;
}

/* Find the first block of the listed threads. Returns false if one of them has ended. */
static bool find_block(__u64 start, struct xrdma_control_block *block)
{
	*block = (struct xrdma_control_block){ 0 };
	for (int i = 0; i < listed.count; i++) {
		const int thread = listed.threads[i];
		__u64 robust = 0, end;

		if (thread != getpid() && !find_robust_list(thread, &robust))
			return false;
		end = robust + sizeof(struct robust_list_head);
		if (robust && end > start && (robust < own[0] || robust >= own[1]) &&
		    (!block->end || end < block->end))
			*block = (struct xrdma_control_block){ robust - from_start, end, thread };
	}
	return true;
}

/*
 * The kernel leaves living threads out of the directory when others end while it is read. So the
 * list is complete only if it has as many threads as the process has, and none of them has ended
 * after these were counted.
 */
int xrdma_threads_next_block(__u64 start, struct xrdma_control_block *block)
{
	for (int tries = 0; tries < TRIES; tries++) {
		int err = list_threads(), count = err ?: count_threads();

		if (count < 0)
			return count;
		if (count == listed.count && find_block(start, block))
			return 0;
	}
	return -EAGAIN;
}
