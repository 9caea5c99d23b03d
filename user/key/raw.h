/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Raw keys (fi_mr(3)) consist of a key and a secret. The secret is part of all addresses: the row
 * of the region begins that many bytes after the address that the program sees. A peer that has
 * mapped the raw key adds the secret to the addresses of its requests. So the check of the range
 * checks the secret as well.
 */
#ifndef XRDMA_USER_KEY_RAW_H
#define XRDMA_USER_KEY_RAW_H

#include "key/pd.h"

/* Returns the size of keys of PD's regions for peers, in bytes. */
__u32 xrdma_raw_key_size(const struct xrdma_pd *pd);

/* Get a random secret. Returns 0 or, with xrdma_error() set, -errno of getrandom(2). */
int xrdma_raw_secret(__u64 *secret);

/*
 * Write the raw key of KEY and SECRET for PD to RAW_KEY, which has ROOM bytes. Returns the size of
 * the key. If it is larger than ROOM, nothing is written.
 */
size_t xrdma_raw_key_write(const struct xrdma_pd *pd, __u32 key, __u64 secret, __u8 *raw_key,
			   size_t room);

/* Returns whether KEY is a mapped key of xrdma_mr_map_raw(). */
static inline bool xrdma_raw_key_is_mapped(__u64 key)
{
	return key >> 32;
}

/*
 * Look up the mapped key KEY for a request of a queue pair of PD. The request is sent with *RKEY,
 * and with *SECRET added to the address. Returns 0 or, with xrdma_error() set, -EINVAL (KEY is not
 * mapped in PD). Thread safe.
 */
int xrdma_raw_key_find(const struct xrdma_pd *pd, __u64 key, __u32 *rkey, __u64 *secret);

#endif
