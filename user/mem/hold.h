/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Memory of the process that whoever touches it waits for: pages that are missing, by
 * userfaultfd(2). While some is held nothing else of the process's memory is to be touched but
 * stacks and records that are never held; so nothing here uses errno, or functions of a library,
 * which a program finds by a table in its memory. Functions return 0 or -errno.
 */
#ifndef XRDMA_USER_MEM_HOLD_H
#define XRDMA_USER_MEM_HOLD_H

#include <stdbool.h>
#include <stddef.h>

struct xrdma_hold {
	long (*kernel)(long number, ...); /* syscall(2) */
	void *(*copy)(void *to, const void *from, size_t size);
	int *failed; /* errno of the thread that calls */
	/*
	 * File descriptors. Who touches a page that is missing in memory of either waits. What is
	 * moved away is AWAY's no more; SWAP's it remains, and who moves waits until another thread
	 * has read that.
	 */
	int away, swap;
	bool knows_others; /* the kernel has write protection by userfaultfd(2) */
	size_t page;	   /* bytes */
};

/* All but FAILED and COPY. */
int xrdma_hold_open(struct xrdma_hold *hold);
void xrdma_hold_close(const struct xrdma_hold *hold);

/* Of what kernel() returned. */
int xrdma_hold_error(const struct xrdma_hold *hold, long returned);

/* From now on, and no more, the SIZE bytes at AT are memory of FD. */
int xrdma_hold_begin(const struct xrdma_hold *hold, int fd, char *at, size_t size);
void xrdma_hold_end(const struct xrdma_hold *hold, int fd, char *at, size_t size);

/*
 * Returns whether the SIZE bytes at AT are still memory of FD, so that nothing was mapped over them
 * and nothing unmapped since xrdma_hold_begin(). Always true unless KNOWS_OTHERS.
 */
bool xrdma_hold_has(const struct xrdma_hold *hold, int fd, char *at, size_t size);

/*
 * Make the SIZE bytes at AT memory of SWAP where nobody waits, so that xrdma_hold_has() tells
 * whether they are still there. Returns false, and changes nothing, if the kernel cannot do that.
 */
bool xrdma_hold_watch(const struct xrdma_hold *hold, char *at, size_t size);

/* Who waits there looks again at what is there. */
void xrdma_hold_wake(const struct xrdma_hold *hold, int fd, char *at, size_t size);

/* Also of what mlock(2) or mlockall(2) filled. */
void xrdma_hold_empty(const struct xrdma_hold *hold, char *at, size_t size);

/* New memory in which nothing is, or NULL. HUGE: bytes of its pages, or 0. */
char *xrdma_hold_blank(const struct xrdma_hold *hold, size_t size, size_t huge);

/* What stands at FROM replaces what stands at TO. */
int xrdma_hold_remap(const struct xrdma_hold *hold, char *from, size_t size, char *to);

/* The same of BLANK, which becomes SWAP's: who touches it at AT waits. */
int xrdma_hold_put(const struct xrdma_hold *hold, char *blank, char *at, size_t size);

/*
 * Fill what xrdma_hold_put() put at AT with the bytes at FROM. Leave alone what another thread has
 * mapped or unmapped there since. What was filled is not SWAP's any more; but if WATCH is true,
 * xrdma_hold_watch() is called for it. Returns SIZE, or how many bytes were filled or left alone:
 * whoever touches the others waits.
 */
size_t xrdma_hold_fill(const struct xrdma_hold *hold, char *at, const char *from, size_t size,
		       bool watch);

#endif
