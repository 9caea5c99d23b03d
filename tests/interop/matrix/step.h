/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Steps of a trial (trial.h) at one end, with the library of that end. */
#ifndef XRDMA_TESTS_STEP_H
#define XRDMA_TESTS_STEP_H

#include "trial.h"

/*
 * Operations of a library. Some return an error number, which TEXT converts to a text; 0 is no
 * error.
 */
struct step_library {
	bool theirs;
	__u8 *memory;
	struct trial_end *own;
	int (*create)(const struct trial_order *order);
	int (*connect)(const struct trial_order *order);
	int (*receive)(const struct trial *trial, __u32 n);
	int (*bind_window)(__u32 n);
	int (*ask)(const struct trial_order *order, __u32 n);
	/* Returns the number of completions, or a negative number. */
	int (*poll)(int max, struct trial_completion *done);
	const char *(*text)(int err);
};

struct trial_outcome step_execute(const struct step_library *library,
				  const struct trial_order *order);

#endif
