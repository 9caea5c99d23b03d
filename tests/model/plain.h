/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * A plain copy of a process's memory. The process maps, unmaps, moves and writes the pages of one
 * range of addresses; each function here does so, and does the same to the copy. A cell is what one
 * page of memory holds. A page of the range shows a cell, and so does a page of a region
 * (regions.h): the two differ once the process has unmapped the page.
 */
#ifndef XRDMA_TESTS_PLAIN_H
#define XRDMA_TESTS_PLAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

enum { PAGE = 4096, PAGES = 1280, PLAIN_BYTES = PAGES * PAGE };

struct cell {
	int users;	   /* pages of the range and of regions that show it */
	int registered[2]; /* pages of regions that show it, for each context */
	bool shown;	   /* by a page of the range */
	bool moved;	   /* by mremap() while it was registered: it is heap memory for ever */
	__u8 bytes[PAGE];
};

struct page {
	struct cell *cell; /* NULL: nothing is mapped */
	int prot;	   /* PROT_* */
};

extern struct plain {
	__u8 *at; /* the first byte of the range */
	struct page pages[PAGES];
} plain;

/* Pages from FIRST on. */
struct part {
	size_t first, count;
};

/* Returns a random part of at most MAX pages. */
struct part random_part(size_t max);

/* Nothing is mapped at the addresses from AT on. */
void plain_start(void *at);

void cell_hold(struct cell *cell);
void cell_drop(struct cell *cell);

void plain_unmap(struct part part);
void plain_map(struct part part);
void plain_protect(struct part part, int prot);

/* madvise(MADV_DONTNEED). Registered pages are left out, because access to them would be SIGBUS. */
void plain_discard(struct part part);

/*
 * mremap() those pages that are mapped, in turn, to the pages from TO on. Registered pages are
 * moved only once: back at their old address they would be as before.
 */
void plain_move(struct part part, size_t to);

/* Write random bytes to those pages that are writable. */
void plain_write(struct part part);

/* Each readable page of the part must hold what its cell says; of a child, or OF something else. */
void plain_check(struct part part, const char *of);

/*
 * The kernel must list a mapping for each mapped page of the copy, with the same protection, and
 * none for other pages of the range.
 */
void plain_check_mappings(void);

/* In a child, which does not have the pages that were moved while they were registered. */
void plain_check_child(const char *of);

/* The child of a fork has no region. */
void plain_forget_regions(void);

#endif
