/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Freeze memory of the process, by userfaultfd(2): a thread that touches a missing page waits until
 * it is woken. While memory is frozen, the calling thread may touch stacks and records that are
 * never frozen, and nothing else. So these functions do not use errno, or functions of a shared
 * library, which a program finds by a table in its memory. They return 0 or -errno.
 */
#ifndef XRDMA_USER_MEM_FREEZE_H
#define XRDMA_USER_MEM_FREEZE_H

#include <stdbool.h>
#include <stddef.h>

struct xrdma_freeze {
	long (*kernel)(long number, ...); /* syscall(2) */
	void *(*copy)(void *to, const void *from, size_t size);
	int *failed; /* errno of the calling thread */
	/*
	 * Two descriptors of userfaultfd(2). A thread waits when it touches a missing page in
	 * memory of either. Memory that is moved elsewhere with mremap(2) leaves AWAY. It stays in
	 * SWAP, and the thread that moves it waits until another thread has read the message.
	 */
	int away, swap;
	bool knows_others; /* the kernel has write protection by userfaultfd(2) */
	size_t page;	   /* bytes */
};

/* Open the descriptors, and set all fields but FAILED and COPY. */
int xrdma_freeze_open(struct xrdma_freeze *freeze);
void xrdma_freeze_close(const struct xrdma_freeze *freeze);

/* Returns 0, or -errno if RETURNED, the result of FREEZE->kernel(), is an error. */
int xrdma_freeze_error(const struct xrdma_freeze *freeze, long returned);

/* Register the SIZE bytes at AT with FD, or unregister them. */
int xrdma_freeze_begin(const struct xrdma_freeze *freeze, int fd, char *at, size_t size);
void xrdma_freeze_end(const struct xrdma_freeze *freeze, int fd, char *at, size_t size);

/*
 * Returns whether the SIZE bytes at AT are still memory of FD: nothing was mapped over them, and
 * nothing was unmapped, since xrdma_freeze_begin(). Always true unless KNOWS_OTHERS.
 */
bool xrdma_freeze_has(const struct xrdma_freeze *freeze, int fd, char *at, size_t size);

/*
 * Register the SIZE bytes at AT with SWAP in such a way that no thread waits there, but that
 * xrdma_freeze_has() tells whether they are still there. Returns false, and changes nothing, if the
 * kernel cannot do that.
 */
bool xrdma_freeze_watch(const struct xrdma_freeze *freeze, char *at, size_t size);

/* Wake the threads that wait in the SIZE bytes at AT. They touch the memory again. */
void xrdma_freeze_wake(const struct xrdma_freeze *freeze, int fd, char *at, size_t size);

/* Drop the pages of the SIZE bytes at AT, even if they are locked by mlock(2) or mlockall(2). */
void xrdma_freeze_empty(const struct xrdma_freeze *freeze, char *at, size_t size);

/*
 * Map SIZE bytes of new memory without pages. HUGE is the size of its huge pages in bytes, or 0.
 * Returns the address or NULL.
 */
char *xrdma_freeze_blank(const struct xrdma_freeze *freeze, size_t size, size_t huge);

/* Move the mapping of SIZE bytes at FROM to TO, where it replaces whatever is mapped. */
int xrdma_freeze_remap(const struct xrdma_freeze *freeze, char *from, size_t size, char *to);

/* Register BLANK with SWAP, and move it to AT. Threads that touch it there wait. */
int xrdma_freeze_put(const struct xrdma_freeze *freeze, char *blank, char *at, size_t size);

/*
 * Copy the SIZE bytes at FROM into the memory that xrdma_freeze_put() moved to AT. Leave alone
 * memory that another thread has mapped there since, or unmapped. Unregister the filled memory from
 * SWAP, or, if WATCH is true, call xrdma_freeze_watch() for it. Returns SIZE, or the number of
 * bytes that were filled or left alone: threads that touch the others wait.
 */
size_t xrdma_freeze_fill(const struct xrdma_freeze *freeze, char *at, const char *from, size_t size,
			 bool watch);

#endif
