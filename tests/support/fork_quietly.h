/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Forks of a process with other threads, in tests whose children allocate memory. */
#ifndef XRDMA_TESTS_FORK_QUIETLY_H
#define XRDMA_TESTS_FORK_QUIETLY_H

#include <sys/types.h>

/*
 * Call fork() as soon as all other threads sleep. The C library's malloc() can be used in a child,
 * whatever the other threads did. That of AddressSanitizer waits for ever if another thread was in
 * it.
 */
pid_t fork_quietly(void);

#endif
