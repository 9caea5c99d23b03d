/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Rows of the key table: handed out under keys that cannot be guessed, and taken back. */
#ifndef XRDMA_USER_OBJ_KEY_H
#define XRDMA_USER_OBJ_KEY_H

#include "obj/context.h"

/*
 * Key number GENERATION of row INDEX of a table of MASK + 1 rows: the index, and in all other bits
 * a value that whoever does not know SECRET cannot guess. It comes again when the row has had all
 * others.
 */
__u32 xrdma_key_make(__u64 secret, __u32 mask, __u32 index, __u32 generation);

/* The next key for ROW, which keeps count of them. */
__u32 xrdma_key_next(const struct xrdma_context *context, struct xrdma_mkey_row *row);

/*
 * Publish ROW under a new key, which is written to ROW->key. *INTO is where it stands. A made-up
 * key must match all 32 bits. Thread safe. Returns 0 or -ENOMEM: all rows are in use.
 */
int xrdma_key_publish(struct xrdma_context *context, struct xrdma_mkey_row *row,
		      struct xrdma_mkey_row **into);

/*
 * When it returns, no access under the row's key can touch memory any more, and the row is given
 * back. Thread safe, for several rows.
 */
void xrdma_key_revoke(struct xrdma_context *context, struct xrdma_mkey_row *row);

/* When it returns, nothing uses a key any more that was invalid before. Thread safe. */
void xrdma_keys_settle(struct xrdma_context *context);

#endif
