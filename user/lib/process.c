// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "lib/process.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

enum { SIZE = 1 }; /* the kernel rounds up to a page */

int xrdma_process_init(struct xrdma_process *process)
{
	unsigned char *page =
		mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (page == MAP_FAILED)
		return -ENOMEM;
	if (madvise(page, SIZE, MADV_WIPEONFORK)) {
		munmap(page, SIZE);
		return -ENOMEM;
	}
	*page = 1;
	*process = (struct xrdma_process){ .page = page, .pid = getpid() };
	return 0;
}

void xrdma_process_exit(const struct xrdma_process *process)
{
	munmap((void *)process->page, SIZE);
}
