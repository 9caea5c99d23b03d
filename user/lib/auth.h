/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Authorization keys (fi_mr(3)). A number is derived from the key. The row of a region with a key
 * begins at its address plus this number, and a queue pair with the same key adds the number to the
 * addresses of its requests. So the range rule checks the key.
 */
#ifndef XRDMA_USER_LIB_AUTH_H
#define XRDMA_USER_LIB_AUTH_H

#include <stddef.h>
#include <linux/types.h>

/*
 * Derive the number *AUTH from KEY, of SIZE bytes. It is a multiple of 8, so that words stay
 * aligned. Nobody can guess it without the key, or the key from it. If SIZE is 0, *AUTH does not
 * change. Returns 0 or, with xrdma_error() set, -EINVAL (SIZE is above XRDMA_AUTH_KEY_MAX, or KEY
 * is NULL) or -EIO (OpenSSL failed).
 */
int xrdma_auth_read(const __u8 *key, size_t size, __u64 *auth);

#endif
