/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Checks that the SIZE bytes at MEMORY, which are the calling process's, are those at BEFORE. If
 * they are not, the test fails.
 */
#ifndef XRDMA_TESTS_UNCHANGED_H
#define XRDMA_TESTS_UNCHANGED_H

#include <stddef.h>
#include <xrdma/context.h>

/* Check that a child which is forked has these bytes too. */
void expect_in_child(const void *memory, const void *before, size_t size);

/* Write to all memory that xrdma_alloc() still gives for CONTEXT, and check the bytes then. */
void expect_apart(struct xrdma_context *context, const void *memory, const void *before,
		  size_t size);

#endif
