/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Memory of host B's process that is registered, and what host A sees of it, for programs that are
 * linked with libxrdma.so as those of users are. Thread safe.
 */
#ifndef XRDMA_TESTS_SEEN_H
#define XRDMA_TESTS_SEEN_H

#include <stdbool.h>

#include "support/pair.h"

enum { PAGE = 4096, SEEN_MAX = 64 * PAGE };

/* Fixtures of a suite, and of each test. */
void seen_open(void);
void seen_start(void);
void seen_stop(void);

/*
 * Register the LEN bytes at ADDR, and end that. Meanwhile what A writes stands there, which are
 * random bytes, and what the process then writes A reads. Returns whether all of it is so.
 */
bool is_seen(void *addr, size_t len);

/* Whether the page at ADDR, or some page of the LEN bytes there, is still memory of a heap. */
bool is_kept(const void *addr);
bool is_any_kept(uintptr_t addr, size_t len);

/* Of a mapping of LEN bytes, at ADDR or anywhere. */
void *map_at(void *addr, size_t len);

#endif
