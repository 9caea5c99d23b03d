/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Check that host A and the process on host B see the same bytes in registered memory. The programs
 * are linked with libxrdma.so, like programs of users. Thread safe.
 */
#ifndef XRDMA_TESTS_PEER_VIEW_H
#define XRDMA_TESTS_PEER_VIEW_H

#include <stdbool.h>

#include "support/pair.h"

enum { PAGE = 4096, PEER_VIEW_MAX = 64 * PAGE };

/* Fixtures of a suite and of each test. */
void peer_view_open(void);
void peer_view_start(void);
void peer_view_stop(void);

/*
 * Register the LEN bytes at ADDR, let A write random bytes there, let the process write others, let
 * A read them, and close the region. Returns whether both saw the bytes of the other.
 */
bool peer_sees(void *addr, size_t len);

/*
 * Returns whether the page at ADDR, or any page of the LEN bytes there, is still memory of a heap.
 */
bool is_cached(const void *addr);
bool is_any_cached(uintptr_t addr, size_t len);

/* Map LEN bytes of anonymous memory at ADDR, or anywhere if ADDR is NULL. */
void *map_at(void *addr, size_t len);

#endif
