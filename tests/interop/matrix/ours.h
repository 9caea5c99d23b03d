/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Our end of a trial: a queue pair of a loaded device. */
#ifndef XRDMA_TESTS_OURS_H
#define XRDMA_TESTS_OURS_H

#include "trial.h"

/*
 * Open our end on DEVICE of this network namespace. Returns false and prints an error if it cannot.
 */
bool ours_open(const char *device);
void ours_close(void);

/* Execute ORDER, from 10.66.0.1 or fd66::1 to 10.66.0.2 or fd66::2. */
struct trial_outcome ours_execute(const struct trial_order *order);

#endif
