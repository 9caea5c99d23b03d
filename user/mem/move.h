/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* A move: pages of the process, and where in a map their bytes go. */
#ifndef XRDMA_USER_MEM_MOVE_H
#define XRDMA_USER_MEM_MOVE_H

#include <linux/types.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct xrdma_move {
	char *at;     /* whole pages of the process, of one private mapping */
	size_t size;  /* bytes */
	char *into;   /* the same bytes of the map, where the process has them for itself */
	int prot;     /* PROT_*: how the process may access the pages at AT */
	int fd;	      /* of the map */
	off_t fd_at;  /* where they are in it */
	size_t huge;  /* bytes of a page, if these are huge pages; else 0 */
	bool of_file; /* pages that the process has of a private mapping of a file, or huge ones */
	char *kept;   /* what stood at AT, now empty and elsewhere; NULL: nothing was kept */
	size_t back;  /* bytes from AT on that the last xrdma_move_out() moved back */
	bool watch;   /* what is moved back is to be watched, if the kernel can */
	bool watched; /* and is: xrdma_move_in() must find it, or returns -ENOENT */
	bool locked;  /* the process had locked it (mlock(2)) when it was moved */
	bool in;      /* it was moved, and not back */
	bool over;    /* and need not be there: of who moves it */
};

static inline __u64 xrdma_move_end(const struct xrdma_move *move)
{
	return (uintptr_t)move->at + move->size;
}

enum { XRDMA_MOVE_OF_FILE_MAX = 2 << 20 }; /* bytes of a move that is OF_FILE */

#endif
