// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "mem/pagemap.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/bounds.h"

static int pagemap = -1; /* file descriptor; -1: not open */

int xrdma_pagemap_open(void)
{
	pagemap = open("/proc/thread-self/pagemap", O_RDONLY | O_CLOEXEC);
	return pagemap < 0 && errno != EACCES ? -errno : 0;
}

void xrdma_pagemap_close(void)
{
	if (pagemap >= 0)
		close(pagemap);
	pagemap = -1;
}

/* Fields of a page's entry in proc_pid_pagemap(5). The frame is 0 without CAP_SYS_ADMIN. */
#define PAGE_FRAME	((1ULL << 55) - 1)
#define PAGE_IS_OF_FILE (1ULL << 61)
#define PAGE_IS_PRESENT (1ULL << 63)

/* Read the entries of COUNT pages, from address ADDR on. Returns false if they are not known. */
static bool read_entries(__u64 addr, __u64 count, __u64 *entries)
{
	const __u64 size = count * sizeof(*entries);

	return pread(pagemap, entries, size, addr / sysconf(_SC_PAGESIZE) * sizeof(*entries)) ==
	       (ssize_t)size;
}

/*
 * Returns the entry of the page at ADDR, or 0 if it is not known. A page has no entry before it is
 * first used; since Linux 7 this applies to maps, too. The system call bypasses hook/hook.c, which
 * would take a madvise() for the program's.
 */
static __u64 entry_at(__u64 addr)
{
	const __u64 size = sysconf(_SC_PAGESIZE);
	__u64 entry;

	syscall(SYS_madvise, addr / size * size, size, MADV_POPULATE_READ);
	return read_entries(addr, 1, &entry) ? entry : 0;
}

/* Returns whether pages of the entries A and B are known to be different memory. */
static bool differ(__u64 a, __u64 b)
{
	return a & b & PAGE_IS_PRESENT && (a ^ b) & (PAGE_FRAME | PAGE_IS_OF_FILE);
}

enum { BATCH = 64 }; /* pages */

/* Returns whether the COUNT pages at A and at B, at most BATCH, may be the same memory. */
static bool pages_may_be_same(__u64 a, __u64 b, __u64 count)
{
	const __u64 page = sysconf(_SC_PAGESIZE);
	__u64 of_a[BATCH], of_b[BATCH];
	bool same = true;

	if (syscall(SYS_msync, a, count * page, MS_ASYNC) && errno == ENOMEM)
		return false; /* some pages are not mapped */
	if (!read_entries(a, count, of_a) || !read_entries(b, count, of_b))
		return true;
	for (__u64 i = 0; i < count && same; i++) {
		if (!(of_a[i] & of_b[i] & PAGE_IS_PRESENT)) {
			of_a[i] = entry_at(a + i * page);
			of_b[i] = entry_at(b + i * page);
		}
		same = !differ(of_a[i], of_b[i]);
	}
	return same;
}

bool xrdma_pages_may_be_same(__u64 a, __u64 b, __u64 size)
{
	const __u64 page = sysconf(_SC_PAGESIZE);
	bool same = true;

	for (__u64 at = 0; at < size && same; at += BATCH * page)
		same = pages_may_be_same(a + at, b + at, xrdma_lesser(BATCH, (size - at) / page));
	return same;
}

bool xrdma_page_may_be_same(__u64 a, __u64 b)
{
	return !differ(entry_at(a), entry_at(b));
}
