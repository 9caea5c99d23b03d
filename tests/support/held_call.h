/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * A system call that waits in the kernel until a test lets it go on (seccomp_unotify(2)). So the
 * test decides what happens at that moment.
 */
#ifndef XRDMA_TESTS_HELD_CALL_H
#define XRDMA_TESTS_HELD_CALL_H

#include <linux/types.h>

/* System call NUMBER (SYS_*) whose argument ARG, counted from 0, is VALUE. */
struct held_call {
	__u32 number;
	int arg;
	__u32 value; /* the lower 32 bits */
};

/*
 * Call RUN(DATA) in a new thread, and return when it has ended. When the thread makes the system
 * call HELD for the first time, the call waits until the calling thread has called MEANWHILE(). If
 * the thread never makes the call, the test fails.
 */
void run_held(void (*run)(void *data), void *data, const struct held_call *held,
	      void (*meanwhile)(void));

#endif
