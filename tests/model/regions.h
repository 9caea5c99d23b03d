/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Regions of the plain memory, in two contexts of the process. A peer reads and writes them. Each
 * function makes the same change to the plain copy.
 */
#ifndef XRDMA_TESTS_REGIONS_H
#define XRDMA_TESTS_REGIONS_H

#include <stddef.h>

enum { REGIONS_MAX = 12 };

/*
 * Failures that may occur while the kernel refuses descriptors, addresses or mappings.
 * FAILED_REGISTRATIONS: registrations fail. FAILED_MOVES: in addition, memory cannot be moved to
 * and from the heap, and a child lacks some.
 */
extern enum allowed { NO_FAILURE, FAILED_REGISTRATIONS, FAILED_MOVES } allowed;

void region_register(void);	 /* register some bytes of the plain memory, in either context */
void region_register_much(void); /* register nearly all bytes */
void region_end(void);
void regions_end(void); /* close all regions */

/*
 * Close all regions. Register some pages in one context. Map them anew, and register them in the
 * other context, at the same place of its heap, because both heaps are empty. Then close the first
 * region.
 */
void region_register_anew(void);
void region_refresh(void);
void region_access(void);  /* let the peer write a part of a region, and read another part */
void region_refused(void); /* let the peer use the key of a closed region */

/*
 * Register LEN bytes at ADDR, which is outside the plain memory, and let the peer write and read
 * them.
 */
void region_elsewhere(void *addr, size_t len);

/* Take memory from a heap, and check that no one else has it, or free such memory. */
void heap_take_or_free(void);

/* In a child: open a context, and register some plain memory. */
void child_register(void);

#endif
