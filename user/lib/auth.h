/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Authorization keys (fi_mr(3)). A region that has one begins at a later address than it seems to,
 * by a number that follows from the key, and a queue pair with the same key adds it to what its
 * requests name: the range rule tells whether the two are the same.
 */
#ifndef XRDMA_USER_LIB_AUTH_H
#define XRDMA_USER_LIB_AUTH_H

#include <stddef.h>
#include <linux/types.h>

/*
 * The number of the KEY of SIZE bytes, a multiple of 8, so that words are where they would be. Who
 * does not know the key cannot guess it, nor the key from it. *AUTH stays what it is if SIZE is 0.
 * Returns 0 or, with xrdma_error() set, -EINVAL (SIZE is above XRDMA_AUTH_KEY_MAX, or KEY is NULL),
 * -EIO (OpenSSL cannot).
 */
int xrdma_auth_read(const __u8 *key, size_t size, __u64 *auth);

#endif
