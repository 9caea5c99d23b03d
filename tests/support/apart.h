/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
#ifndef XRDMA_TESTS_APART_H
#define XRDMA_TESTS_APART_H

/*
 * Another address each time for mmap(2) of up to 1 GiB, far from where the kernel looks for room by
 * itself: for memory of which a test unmaps a part, in whose place the library could else have some
 * of its own by the time the test maps something there, or unmaps the whole.
 */
void *apart(void);

#endif
