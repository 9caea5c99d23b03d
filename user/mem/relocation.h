/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * A relocation copies pages of the process into a BPF map, and maps these parts of the map over
 * them.
 */
#ifndef XRDMA_USER_MEM_RELOCATION_H
#define XRDMA_USER_MEM_RELOCATION_H

#include <linux/types.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct xrdma_relocation {
	char *at;     /* first byte of whole pages of the process, all in one private mapping */
	size_t size;  /* bytes */
	char *into;   /* address at which the library has mapped the same bytes of the map */
	int prot;     /* PROT_*: the process's access to the pages at AT */
	int fd;	      /* descriptor of the map */
	off_t fd_at;  /* offset of the bytes in the map */
	size_t huge;  /* size of a huge page in bytes; 0: the pages are not huge */
	bool of_file; /* the pages are huge, or of a private mapping of a file */
	char *origin; /* the mapping that was at AT, now elsewhere and empty; NULL: none was kept */
	size_t back;  /* bytes from AT on that the last xrdma_relocate_out() moved back */
	bool watch;   /* set by the caller: watch the pages after they are moved back */
	bool watched; /* the kernel watches them: xrdma_relocate_in() returns -ENOENT on a change */
	bool locked;  /* the process had locked the pages with mlock(2) before the relocation */
	bool in;      /* the pages are in the map */
	bool over;    /* set by the caller: the relocation ended, and its members are not used */
};

/* Returns the address behind the last byte of RELOCATION. */
static inline __u64 xrdma_relocation_end(const struct xrdma_relocation *relocation)
{
	return (uintptr_t)relocation->at + relocation->size;
}

enum { XRDMA_RELOCATION_OF_FILE_MAX = 2 << 20 }; /* largest SIZE if OF_FILE, in bytes */

#endif
