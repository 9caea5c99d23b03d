/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Life of one process of the model test: its random numbers, its current step, and its first error.
 * Only one thread of a life runs at a time.
 */
#ifndef XRDMA_TESTS_LIFE_H
#define XRDMA_TESTS_LIFE_H

#include <stddef.h>
#include <linux/types.h>

enum { STEP_NAME = 32 };

/* State of a life. Its parent reads it when the life ends. */
extern struct life {
	__u64 random; /* state of the generator of random numbers */
	int step;
	char name[STEP_NAME]; /* name of the step */
	char wrong[256];      /* the first error, or "" */
} * life;

/* Returns a random number below END. */
__u32 below(__u32 end);

/* Print what a step does to which pages, if XRDMA_TRACE is in the environment. */
void trace(const char *what, size_t first, size_t count);

/* If TRUTH is false, record the message and exit with status 1. */
#define must(truth, ...)                        \
	do {                                    \
		if (!(truth))                   \
			life_fail(__VA_ARGS__); \
	} while (0)
void life_fail(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));

#endif
