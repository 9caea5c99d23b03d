/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
#ifndef XRDMA_TESTS_PIN_H
#define XRDMA_TESTS_PIN_H

#include <sched.h>

/* Move the calling thread to CPU. If there is no such CPU, it may run on any. */
static inline void pin(int cpu)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	sched_setaffinity(0, sizeof(one), &one);
}

#endif
