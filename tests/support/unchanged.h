/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Check that SIZE bytes of this process at MEMORY equal those at BEFORE. If they do not, the test
 * fails.
 */
#ifndef XRDMA_TESTS_UNCHANGED_H
#define XRDMA_TESTS_UNCHANGED_H

#include <stddef.h>
#include <xrdma/context.h>

/* Check that a forked child has these bytes, too. */
void expect_in_child(const void *memory, const void *before, size_t size);

/* Write to all memory that xrdma_alloc() still returns for CONTEXT, and then check the bytes. */
void expect_apart(struct xrdma_context *context, const void *memory, const void *before,
		  size_t size);

#endif
