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
	int users;	   /* number of pages of the range and of regions that show it */
	int registered[2]; /* number of pages of regions that show it, for each context */
	bool shown;	   /* a page of the range shows it */
	bool moved;	   /* moved by mremap() while it was registered: it remains heap memory */
	__u8 bytes[PAGE];
};

struct page {
	struct cell *cell; /* NULL: nothing is mapped */
	int prot;	   /* PROT_* */
};

extern struct plain {
	__u8 *at; /* first byte of the range */
	struct page pages[PAGES];
} plain;

/* COUNT pages, beginning with FIRST. */
struct part {
	size_t first, count;
};

/* Returns a random part of at most MAX pages. */
struct part random_part(size_t max);

/* Begin with nothing mapped at the addresses from AT on. */
void plain_start(void *at);

void cell_hold(struct cell *cell);
void cell_drop(struct cell *cell);

void plain_unmap(struct part part);
void plain_map(struct part part);
void plain_protect(struct part part, int prot);

/*
 * Discard pages by madvise(MADV_DONTNEED). Registered pages are left out, because accessing them
 * would raise SIGBUS.
 */
void plain_discard(struct part part);

/*
 * Move mapped pages by mremap(), one by one, to the pages from TO on. Registered pages are moved
 * only once: moved back to their old address, they would be as before.
 */
void plain_move(struct part part, size_t to);

/* Write random bytes to all writable pages. */
void plain_write(struct part part);

/* Check that each readable page of the part contains what its cell says. OF is used in messages. */
void plain_check(struct part part, const char *of);

/*
 * The kernel must list a mapping for each mapped page of the copy, with the same protection, and
 * none for other pages of the range.
 */
void plain_check_mappings(void);

/*
 * Check the memory of a child, which does not have the pages that were moved while they were
 * registered.
 */
void plain_check_child(const char *of);

/* Forget regions: the child of a fork has none. */
void plain_forget_regions(void);

#endif
