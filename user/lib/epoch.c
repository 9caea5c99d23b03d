// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "lib/epoch.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <sched.h>
#include <sys/mman.h>

int xrdma_epochs_map(struct xrdma_epochs *epochs, int fd)
{
	struct bpf_map_info info = { 0 };
	__u32 len = sizeof(info);
	int err = bpf_obj_get_info_by_fd(fd, &info, &len);
	void *rows;

	if (err)
		return err;
	rows = mmap(NULL, info.max_entries * sizeof(struct xrdma_epoch), PROT_READ, MAP_SHARED, fd,
		    0);
	if (rows == MAP_FAILED)
		return -errno;
	*epochs = (struct xrdma_epochs){ .cpus = rows, .count = info.max_entries };
	return 0;
}

void xrdma_epochs_unmap(struct xrdma_epochs *epochs)
{
	munmap((void *)epochs->cpus, epochs->count * sizeof(struct xrdma_epoch));
}

void xrdma_epochs_wait(const struct xrdma_epochs *epochs)
{
	/*
	 * Every run that enters after this fence sees what was overwritten. The fence pairs with
	 * the run's own barrier.
	 */
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	for (__u32 cpu = 0; cpu < epochs->count; cpu++) {
		const struct xrdma_epoch *epoch = &epochs->cpus[cpu];
		__u64 entered = __atomic_load_n(&epoch->entered, __ATOMIC_RELAXED);

		/* Acquire: after the wait, everything that those runs wrote is visible. */
		while ((__s64)(__atomic_load_n(&epoch->left, __ATOMIC_ACQUIRE) - entered) < 0)
			sched_yield();
	}
}
