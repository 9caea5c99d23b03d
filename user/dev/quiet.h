/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * libbpf and libxdp print messages to stderr through print functions. A process has one such
 * function for all its threads. This file replaces them while the library calls libbpf or libxdp,
 * so that these calls print nothing. Messages of other threads still go to the program's own print
 * functions. Thread safe.
 */
#ifndef XRDMA_USER_DEV_QUIET_H
#define XRDMA_USER_DEV_QUIET_H

/*
 * Between the first xrdma_quiet_begin() of a thread and its last xrdma_quiet_end(), libbpf and
 * libxdp print nothing for this thread. dev/verifier.h still gets their messages. Pair each
 * xrdma_quiet_begin() with one xrdma_quiet_end().
 */
void xrdma_quiet_begin(void);
void xrdma_quiet_end(void);

#endif
