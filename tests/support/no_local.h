/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* A pair in domains without XRDMA_MR_MODE_LOCAL, whose segments need no keys. */
#ifndef XRDMA_TESTS_NO_LOCAL_H
#define XRDMA_TESTS_NO_LOCAL_H

#include "pair.h"

enum { NO_LOCAL_KEY = 0xdeadbeef }; /* a key that no memory has */

/* Fixtures of a suite: pair_open() with domains of MR_MODE (HMEM is not needed). */
void no_local_open(__u32 mr_mode);
void no_local_close(void);

/*
 * Fixture of a test. SOURCE and TARGET, of PAIR_BYTES each, become A's source and B's target. NULL:
 * use the memory that pair_start() has registered for the peer.
 */
void no_local_start(void *source, void *target);

/* SEND LEN bytes at OFFSET of the source to the same place of the target. */
void no_local_send(__u32 offset, __u32 len);

#endif
