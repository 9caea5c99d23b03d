/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Regions of the plain memory, in two contexts of the process. A peer reads and writes them. Each
 * function changes the plain copy as it changes the memory.
 */
#ifndef XRDMA_TESTS_REGIONS_H
#define XRDMA_TESTS_REGIONS_H

#include <stddef.h>

enum { REGIONS_MAX = 12 };

/*
 * Failures that the kernel causes while it refuses descriptors, addresses or mappings:
 * registrations fail; or memory cannot be moved to and from the heap either, and a child lacks
 * some.
 */
extern enum allowed { NO_FAILURE, FAILED_REGISTRATIONS, FAILED_MOVES } allowed;

void region_register(void);	 /* some bytes of the plain memory, in either context */
void region_register_much(void); /* nearly all bytes */
void region_end(void);
void regions_end(void); /* all of them */

/*
 * End all regions, and register some pages in one context, then, mapped anew, in the other one: at
 * the same place of its heap, because both heaps are empty. Then the first region ends.
 */
void region_register_anew(void);
void region_refresh(void);
void region_access(void);  /* the peer writes a part of a region, and reads another part */
void region_refused(void); /* the peer uses the key of a region that has ended */

/* Register LEN bytes at ADDR, which no plain page is; the peer writes and reads them. */
void region_elsewhere(void *addr, size_t len);

/* Take memory from a heap, which must be nobody else's, or free such memory. */
void heap_take_or_free(void);

/* In a child: open a context of its own, and register some plain memory. */
void child_register(void);

#endif
