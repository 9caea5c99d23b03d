/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * libbpf and libxdp print to stderr, by functions that a process sets for all its threads. While
 * this library calls them they print nothing, and what other threads of the program let them print
 * meanwhile goes where the program wants it. Thread safe.
 */
#ifndef XRDMA_USER_DEV_QUIET_H
#define XRDMA_USER_DEV_QUIET_H

/*
 * From the first call in a thread up to the last they print nothing there, but dev/verifier.h hears
 * what they have to say. Each xrdma_quiet_begin() has its xrdma_quiet_end().
 */
void xrdma_quiet_begin(void);
void xrdma_quiet_end(void);

#endif
