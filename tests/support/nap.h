/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Loops that wait, and leave the CPU to others. */
#ifndef XRDMA_TESTS_NAP_H
#define XRDMA_TESTS_NAP_H

#include <stdbool.h>

/*
 * Call it in each round of a loop and say whether what the loop waits for CAME in this round. After
 * a hundred rounds in vain it sleeps some microseconds in each.
 */
void nap_unless(bool came);

#endif
