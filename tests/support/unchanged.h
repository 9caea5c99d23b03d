/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Memory of the calling process that is to hold SIZE bytes as in BEFORE. An error fails the test.
 */
#ifndef XRDMA_TESTS_UNCHANGED_H
#define XRDMA_TESTS_UNCHANGED_H

#include <stddef.h>
#include <xrdma/context.h>

/* A child has the same bytes. */
void expect_in_child(const void *memory, const void *before, size_t size);

/* It has them still when all that CONTEXT has left of its heap was written. */
void expect_apart(struct xrdma_context *context, const void *memory, const void *before,
		  size_t size);

#endif
