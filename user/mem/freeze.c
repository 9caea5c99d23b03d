// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "mem/freeze.h"

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

int xrdma_freeze_error(const struct xrdma_freeze *freeze, long returned)
{
	return returned == -1 ? -*freeze->failed : 0;
}

static int begin(const struct xrdma_freeze *freeze, int fd, char *at, size_t size, __u64 mode)
{
	struct uffdio_register begun = { .range = { (uintptr_t)at, size }, .mode = mode };

	return xrdma_freeze_error(freeze, freeze->kernel(SYS_ioctl, fd, UFFDIO_REGISTER, &begun));
}

/* Returns a mode in which no thread ever waits, because no page is write-protected. */
static __u64 watching(const struct xrdma_freeze *freeze)
{
	return freeze->knows_others ? UFFDIO_REGISTER_MODE_WP : 0;
}

int xrdma_freeze_begin(const struct xrdma_freeze *freeze, int fd, char *at, size_t size)
{
	return begin(freeze, fd, at, size, UFFDIO_REGISTER_MODE_MISSING | watching(freeze));
}

bool xrdma_freeze_watch(const struct xrdma_freeze *freeze, char *at, size_t size)
{
	return freeze->knows_others &&
	       !begin(freeze, freeze->swap, at, size, UFFDIO_REGISTER_MODE_WP);
}

/*
 * UFFDIO_WRITEPROTECT fails if some of the memory is of a mapping that is not registered for write
 * protection. It does not fail for addresses without a mapping, but msync(2) does.
 */
bool xrdma_freeze_has(const struct xrdma_freeze *freeze, int fd, char *at, size_t size)
{
	struct uffdio_writeprotect range = { .range = { (uintptr_t)at, size },
					     .mode = UFFDIO_WRITEPROTECT_MODE_DONTWAKE };
	int err;

	if (!freeze->knows_others)
		return true;
	do
		err = xrdma_freeze_error(
			freeze, freeze->kernel(SYS_ioctl, fd, UFFDIO_WRITEPROTECT, &range));
	while (err == -EAGAIN);
	return !err && !freeze->kernel(SYS_msync, at, size, (long)MS_ASYNC);
}

void xrdma_freeze_wake(const struct xrdma_freeze *freeze, int fd, char *at, size_t size)
{
	struct uffdio_range range = { (uintptr_t)at, size };

	freeze->kernel(SYS_ioctl, fd, UFFDIO_WAKE, &range);
}

void xrdma_freeze_end(const struct xrdma_freeze *freeze, int fd, char *at, size_t size)
{
	struct uffdio_range range = { (uintptr_t)at, size };

	freeze->kernel(SYS_ioctl, fd, UFFDIO_UNREGISTER, &range);
}

void xrdma_freeze_empty(const struct xrdma_freeze *freeze, char *at, size_t size)
{
	if (freeze->kernel(SYS_madvise, at, size, MADV_DONTNEED))
		freeze->kernel(SYS_madvise, at, size, MADV_DONTNEED_LOCKED);
}

char *xrdma_freeze_blank(const struct xrdma_freeze *freeze, size_t size, size_t huge)
{
	int pages = huge ? MAP_HUGETLB | __builtin_ctzll(huge) << MAP_HUGE_SHIFT : 0;
	long blank = freeze->kernel(SYS_mmap, NULL, size, PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS | pages, -1, 0L);

	return blank == -1 ? NULL : (char *)blank;
}

int xrdma_freeze_remap(const struct xrdma_freeze *freeze, char *from, size_t size, char *to)
{
	return xrdma_freeze_error(freeze,
				  freeze->kernel(SYS_mremap, from, size, size,
						 (long)(MREMAP_MAYMOVE | MREMAP_FIXED), to));
}

int xrdma_freeze_put(const struct xrdma_freeze *freeze, char *blank, char *at, size_t size)
{
	int err = xrdma_freeze_begin(freeze, freeze->swap, blank, size);

	if (err)
		return err;
	xrdma_freeze_empty(freeze, blank, size);
	err = xrdma_freeze_remap(freeze, blank, size, at);
	if (err)
		xrdma_freeze_end(freeze, freeze->swap, blank, size);
	return err;
}

/*
 * Fill the SIZE bytes at AT from FROM. Returns the number of bytes that were filled, and sets *ERR
 * to 0 or to the -errno for which no more were.
 */
static size_t fill(const struct xrdma_freeze *freeze, char *at, const char *from, size_t size,
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

		*err = xrdma_freeze_error(
			freeze, freeze->kernel(SYS_ioctl, freeze->swap, UFFDIO_COPY, &copy));
		done += copy.copy > 0 ? copy.copy : 0;
	}
	if (done && !(watch && xrdma_freeze_watch(freeze, at, done)))
		xrdma_freeze_end(freeze, freeze->swap, at, done);
	return done;
}

/*
 * Fill the memory at once. If only part of it is registered with SWAP, the kernel fills nothing and
 * fails with ENOENT. Then fill each page by itself.
 */
size_t xrdma_freeze_fill(const struct xrdma_freeze *freeze, char *at, const char *from, size_t size,
			 bool watch)
{
	int err;
	size_t done = fill(freeze, at, from, size, watch, &err);

	while (done < size && (!err || err == -ENOENT))
		if (fill(freeze, at + done, from + done, freeze->page, watch, &err) ||
		    err == -ENOENT)
			done += freeze->page;
	return done;
}

/*
 * Processes of containers may not call userfaultfd(2), but often may open its device, which needs
 * no capability (Linux 6.1, Documentation/admin-guide/mm/userfaultfd.rst).
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

static int open_faults(struct xrdma_freeze *freeze, __u64 features)
{
	struct uffdio_api api = { .api = UFFD_API, .features = features };
	int err, fd = new_faults();

	if (fd < 0)
		return fd;
	if (!ioctl(fd, UFFDIO_API, &api)) {
		freeze->knows_others = api.features & UFFD_FEATURE_PAGEFAULT_FLAG_WP;
		return fd;
	}
	err = -errno;
	close(fd);
	return err;
}

int xrdma_freeze_open(struct xrdma_freeze *freeze)
{
	freeze->kernel = syscall;
	freeze->page = sysconf(_SC_PAGESIZE);
	freeze->away = open_faults(freeze, 0);
	if (freeze->away < 0)
		return freeze->away;
	freeze->swap = open_faults(freeze, UFFD_FEATURE_EVENT_REMAP);
	if (freeze->swap >= 0)
		return 0;
	close(freeze->away);
	return freeze->swap;
}

void xrdma_freeze_close(const struct xrdma_freeze *freeze)
{
	close(freeze->away);
	close(freeze->swap);
}
