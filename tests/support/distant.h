/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Addresses for mappings that the library must not interfere with. */
#ifndef XRDMA_TESTS_DISTANT_H
#define XRDMA_TESTS_DISTANT_H

/*
 * Returns an address for mmap(2) of up to 1 GiB, a new one each time. It is far from the addresses
 * that the kernel chooses. So a test can unmap part of its memory, and no mapping of the library
 * takes that place.
 */
void *distant_address(void);

#endif
