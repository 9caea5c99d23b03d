/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* A pair in domains without XRDMA_MR_MODE_LOCAL: its segments need no keys. */
#ifndef XRDMA_TESTS_BARE_H
#define XRDMA_TESTS_BARE_H

#include "pair.h"

enum { BARE_KEY = 0xdeadbeef }; /* of nobody */

/* Fixtures of a suite: as pair_open(), with domains of MR_MODE, of which HMEM is not needed. */
void bare_open(__u32 mr_mode);
void bare_close(void);

/*
 * And of each test: A's source and B's target are SOURCE and TARGET, of PAIR_BYTES, or, if NULL,
 * what pair_start() has registered for the other to name.
 */
void bare_start(void *source, void *target);

/* One SEND of LEN bytes at OFFSET of the source to the same place of the target. */
void bare_send(__u32 offset, __u32 len);

#endif
