/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Rows of the key table: handed out under keys that cannot be guessed, and taken back. */
#ifndef XRDMA_USER_MKEY_H
#define XRDMA_USER_MKEY_H

#include "context.h"

/*
 * Publish ROW under a new key, which is written to ROW->key. *INTO is where it stands. The key is random; of its index
 * the low bits are the row's, so that a made-up key must match all 32 bits, and a row's next key is not its last.
 * The context's lock is held. Returns 0 or -ENOMEM: all rows are in use.
 */
int xrdma_mkey_publish(struct xrdma_context *context, struct xrdma_mkey_row *row,
		       struct xrdma_mkey_row **into);

/* When it returns, no access under the row's key can touch memory any more. The context's lock is held. */
void xrdma_mkey_revoke(struct xrdma_context *context, struct xrdma_mkey_row *row);

#endif
