/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Memory of both sides of a pair (pair.h) that is not from xrdma_alloc(). Its pages are in random
 * order in the heap.
 */
#ifndef XRDMA_TESTS_SCATTERED_H
#define XRDMA_TESTS_SCATTERED_H

#include "pair.h"

/* Replace the memory of both sides, before pair_start() and until scattered_stop(). */
void scattered_start(void);
void scattered_stop(void);

#endif
