/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Raw keys (fi_mr(3)): a key and a secret. The secret is in the addresses: a region's row begins
 * that much later than it seems to, and whoever has mapped its raw key adds as much to what a
 * request names. So the range rule checks it.
 */
#ifndef XRDMA_USER_KEY_RAW_H
#define XRDMA_USER_KEY_RAW_H

#include "key/pd.h"

/* Bytes of the keys that PD's regions have for peers. */
__u32 xrdma_raw_key_size(const struct xrdma_pd *pd);

/* A secret that nobody can guess. Returns 0 or, with xrdma_error() set, -errno of getrandom(2). */
int xrdma_raw_secret(__u64 *secret);

/*
 * Write the raw key that KEY and SECRET make for PD to RAW_KEY, in which there is ROOM for so many
 * bytes. Returns the bytes of the key. If that is more than ROOM, nothing is written.
 */
size_t xrdma_raw_key_write(const struct xrdma_pd *pd, __u32 key, __u64 secret, __u8 *raw_key,
			   size_t room);

/* Whether KEY is one of xrdma_mr_map_raw(). */
static inline bool xrdma_raw_key_is_mapped(__u64 key)
{
	return key >> 32;
}

/*
 * Look up KEY, a mapped key, for a request of PD's queue pairs: they send *RKEY, and add *SECRET to
 * the address. Returns 0 or, with xrdma_error() set, -EINVAL: KEY is not mapped in PD. Thread safe.
 */
int xrdma_raw_key_find(const struct xrdma_pd *pd, __u64 key, __u32 *rkey, __u64 *secret);

#endif
