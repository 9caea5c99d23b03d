// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "mem/hold.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef MADV_DONTNEED_LOCKED /* Linux 5.18 */
#define MADV_DONTNEED_LOCKED 24
#endif

int xrdma_hold_error(const struct xrdma_hold *hold, long returned)
{
	return returned == -1 ? -*hold->failed : 0;
}

static int begin(const struct xrdma_hold *hold, int fd, char *at, size_t size, __u64 mode)
{
	struct uffdio_register begun = { .range = { (uintptr_t)at, size }, .mode = mode };

	return xrdma_hold_error(hold, hold->kernel(SYS_ioctl, fd, UFFDIO_REGISTER, &begun));
}

/* Returns a mode in which no thread ever waits, because no page is write-protected. */
static __u64 watching(const struct xrdma_hold *hold)
{
	return hold->knows_others ? UFFDIO_REGISTER_MODE_WP : 0;
}

int xrdma_hold_begin(const struct xrdma_hold *hold, int fd, char *at, size_t size)
{
	return begin(hold, fd, at, size, UFFDIO_REGISTER_MODE_MISSING | watching(hold));
}

bool xrdma_hold_watch(const struct xrdma_hold *hold, char *at, size_t size)
{
	return hold->knows_others && !begin(hold, hold->swap, at, size, UFFDIO_REGISTER_MODE_WP);
}

/*
 * UFFDIO_WRITEPROTECT fails if some of the memory is of a mapping that is not registered for write
 * protection. It does not fail for addresses without a mapping, but msync(2) does.
 */
bool xrdma_hold_has(const struct xrdma_hold *hold, int fd, char *at, size_t size)
{
	struct uffdio_writeprotect range = { .range = { (uintptr_t)at, size },
					     .mode = UFFDIO_WRITEPROTECT_MODE_DONTWAKE };
	int err;

	if (!hold->knows_others)
		return true;
	do
		err = xrdma_hold_error(hold,
				       hold->kernel(SYS_ioctl, fd, UFFDIO_WRITEPROTECT, &range));
	while (err == -EAGAIN);
	return !err && !hold->kernel(SYS_msync, at, size, (long)MS_ASYNC);
}

void xrdma_hold_wake(const struct xrdma_hold *hold, int fd, char *at, size_t size)
{
	struct uffdio_range range = { (uintptr_t)at, size };

	hold->kernel(SYS_ioctl, fd, UFFDIO_WAKE, &range);
}

void xrdma_hold_end(const struct xrdma_hold *hold, int fd, char *at, size_t size)
{
	struct uffdio_range range = { (uintptr_t)at, size };

	hold->kernel(SYS_ioctl, fd, UFFDIO_UNREGISTER, &range);
}

void xrdma_hold_empty(const struct xrdma_hold *hold, char *at, size_t size)
{
	if (hold->kernel(SYS_madvise, at, size, MADV_DONTNEED))
		hold->kernel(SYS_madvise, at, size, MADV_DONTNEED_LOCKED);
}

char *xrdma_hold_blank(const struct xrdma_hold *hold, size_t size, size_t huge)
{
	int pages = huge ? MAP_HUGETLB | __builtin_ctzll(huge) << MAP_HUGE_SHIFT : 0;
	long blank = hold->kernel(SYS_mmap, NULL, size, PROT_READ | PROT_WRITE,
				  MAP_PRIVATE | MAP_ANONYMOUS | pages, -1, 0L);

	return blank == -1 ? NULL : (char *)blank;
}

int xrdma_hold_remap(const struct xrdma_hold *hold, char *from, size_t size, char *to)
{
	return xrdma_hold_error(hold, hold->kernel(SYS_mremap, from, size, size,
						   (long)(MREMAP_MAYMOVE | MREMAP_FIXED), to));
}

int xrdma_hold_put(const struct xrdma_hold *hold, char *blank, char *at, size_t size)
{
	int err = xrdma_hold_begin(hold, hold->swap, blank, size);

	if (err)
		return err;
	xrdma_hold_empty(hold, blank, size);
	err = xrdma_hold_remap(hold, blank, size, at);
	if (err)
		xrdma_hold_end(hold, hold->swap, blank, size);
	return err;
}

/* Returns how many bytes were filled, and why no more were in *ERR: 0 or -errno. */
static size_t fill(const struct xrdma_hold *hold, char *at, const char *from, size_t size,
		   bool watch, int *err)
{
	size_t done = 0;

	*err = 0;
	while (done < size && (!*err || *err == -EAGAIN)) {
		struct uffdio_copy copy = {
			.dst = (uintptr_t)at + done,
			.src = (uintptr_t)from + done,
			.len = size - done,
		};

		*err = xrdma_hold_error(hold,
					hold->kernel(SYS_ioctl, hold->swap, UFFDIO_COPY, &copy));
		done += copy.copy > 0 ? copy.copy : 0;
	}
	if (done && !(watch && xrdma_hold_watch(hold, at, done)))
		xrdma_hold_end(hold, hold->swap, at, done);
	return done;
}

/*
 * If only a part of the memory is SWAP's, the kernel fills nothing of it, and the error is ENOENT.
 * Then fill each page for itself.
 */
size_t xrdma_hold_fill(const struct xrdma_hold *hold, char *at, const char *from, size_t size,
		       bool watch)
{
	int err;
	size_t done = fill(hold, at, from, size, watch, &err);

	while (done < size && (!err || err == -ENOENT))
		if (fill(hold, at + done, from + done, hold->page, watch, &err) || err == -ENOENT)
			done += hold->page;
	return done;
}

/*
 * Some processes, as those of containers, may not call userfaultfd(2) but are given its device,
 * which asks for no capability (Linux 6.1, Documentation/admin-guide/mm/userfaultfd.rst).
 */
static int new_faults(void)
{
	int fd = syscall(SYS_userfaultfd, O_CLOEXEC), err = errno, device;

	if (fd >= 0 || (err != EPERM && err != ENOSYS))
		return fd >= 0 ? fd : -err;
	device = open("/dev/userfaultfd", O_RDWR | O_CLOEXEC);
	if (device < 0)
		return -err;
	fd = ioctl(device, USERFAULTFD_IOC_NEW, O_CLOEXEC);
	close(device);
	return fd >= 0 ? fd : -err;
}

static int open_faults(struct xrdma_hold *hold, __u64 features)
{
	struct uffdio_api api = { .api = UFFD_API, .features = features };
	int err, fd = new_faults();

	if (fd < 0)
		return fd;
	if (!ioctl(fd, UFFDIO_API, &api)) {
		hold->knows_others = api.features & UFFD_FEATURE_PAGEFAULT_FLAG_WP;
		return fd;
	}
	err = -errno;
	close(fd);
	return err;
}

int xrdma_hold_open(struct xrdma_hold *hold)
{
	hold->kernel = syscall;
	hold->page = sysconf(_SC_PAGESIZE);
	hold->away = open_faults(hold, 0);
	if (hold->away < 0)
		return hold->away;
	hold->swap = open_faults(hold, UFFD_FEATURE_EVENT_REMAP);
	if (hold->swap >= 0)
		return 0;
	close(hold->away);
	return hold->swap;
}

void xrdma_hold_close(const struct xrdma_hold *hold)
{
	close(hold->away);
	close(hold->swap);
}
