/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Forks of a process with other threads, in tests whose children allocate memory. */
#ifndef XRDMA_TESTS_FORK_QUIETLY_H
#define XRDMA_TESTS_FORK_QUIETLY_H

#include <sys/types.h>

/*
 * fork() as soon as all other threads sleep. The C library's malloc() can be used in a child
 * whatever the other threads did. AddressSanitizer's waits for ever if one of them was within it.
 */
pid_t fork_quietly(void);

#endif
