// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "lib/threads.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { BLOCK_MAX = 4096 }; /* bytes from the start of a block to its list of robust futexes */

static DIR *tasks;	 /* NULL: not open */
static __u64 from_start; /* bytes from the start of a block to its list of robust futexes */
static __u64 own[2];	 /* addresses from which, and up to which, blocks are the library's */

/* Where THREAD, or 0, the calling one, has its list of robust futexes: in its block. 0: nowhere. */
static __u64 robust_list(int thread)
{
	struct robust_list_head *head = NULL;
	size_t size;

	return syscall(SYS_get_robust_list, thread, &head, &size) ? 0 : (uintptr_t)head;
}

int xrdma_threads_open(__u64 own_start, __u64 own_end)
{
	int directory = open("/proc/thread-self/..", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

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
	from_start = robust_list(0) - (uintptr_t)pthread_self();
	if (from_start >= BLOCK_MAX)
		from_start = 0;
	return 0;
}

void xrdma_threads_close(void)
{
	if (tasks)
		closedir(tasks);
	tasks = NULL;
}

int xrdma_threads_next_block(__u64 start, struct xrdma_control_block *block)
{
	const struct dirent *task;

	*block = (struct xrdma_control_block){ 0 };
	rewinddir(tasks);
	errno = 0;
	while ((task = readdir(tasks))) {
		const int thread = atoi(task->d_name);
		const __u64 robust = thread && thread != getpid() ? robust_list(thread) : 0;
		const __u64 end = robust + sizeof(struct robust_list_head);

		if (robust && end > start && (robust < own[0] || robust >= own[1]) &&
		    (!block->end || end < block->end))
			*block = (struct xrdma_control_block){ robust - from_start, end, thread };
		errno = 0;
	}
	return -errno;
}
