/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Memory of the process, to be registered in place, in a network namespace. An error fails the
 * test.
 */
#ifndef XRDMA_TESTS_MAPPED_H
#define XRDMA_TESTS_MAPPED_H

#include "support/owner.h"

enum { PAGE = 4096, MAPPED_BYTES = 64 * PAGE };

extern struct mapped {
	struct owner owner;	   /* owner on device xa */
	__u8 *memory;		   /* a mapping of MAPPED_BYTES */
	__u8 before[MAPPED_BYTES]; /* former contents of MEMORY */
} mapped;

/* Fixtures of a suite and of each test. */
void mapped_open(void);
void mapped_close(void);
void mapped_start(void);
void mapped_stop(void);

/* Register LEN bytes at ADDR, or close the region. */
struct xrdma_mr *mapped_reg(void *addr, size_t len);
void mapped_end(struct xrdma_mr *mr);

struct xrdma_mkey_row mapped_row(const struct xrdma_mr *mr);

/* Returns the bytes of the heap that a peer reaches by the key of MR. They must be consecutive. */
__u8 *mapped_reached(const struct xrdma_mr *mr);

/* Returns the number of the process's mappings in the LEN bytes at START. */
int count_mappings(const void *start, size_t len);

#endif
