/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Loops that poll, and that leave the CPU to others. */
#ifndef XRDMA_TESTS_WAIT_H
#define XRDMA_TESTS_WAIT_H

#include <stdbool.h>

/*
 * Call this in each round of a polling loop. CAME says whether this round found something. After a
 * hundred rounds without success, each call sleeps for some microseconds.
 */
void wait_unless(bool came);

#endif
