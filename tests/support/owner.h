/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Objects of a process on a loaded device, for tests in a network namespace. An error fails the
 * test.
 */
#ifndef XRDMA_TESTS_OWNER_H
#define XRDMA_TESTS_OWNER_H

#include "key/key.h"

/*
 * Open a context with 2 MiB of heap, 16 keys and 2 queue pairs. If TX_UDP is in the environment, it
 * has XRDMA_TX_UDP.
 */
struct xrdma_context *open_small(const char *device);

enum { OWNER_BYTES = 512 << 10 };

/* Such a context, with a domain and OWNER_BYTES of memory. */
struct owner {
	struct xrdma_context *context;
	struct xrdma_pd *pd;
	__u8 *memory;
};

void owner_open(struct owner *owner, const char *device);

/* Open an owner with room for MKEYS keys. */
void owner_open_with(struct owner *owner, const char *device, __u32 mkeys);
void owner_close(struct owner *owner);

/* Expect that ERR is -EXPECTED, and that xrdma_error() contains TEXT. */
void expect_error(int err, int expected, const char *text);

#endif
