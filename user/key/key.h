/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Rows of the key table: handed out under keys that cannot be guessed, and taken back. What is
 * noted of a row is changed with the lock of all notes; that a peer has ended a key stands in its
 * row, and what is noted follows when it is looked at.
 */
#ifndef XRDMA_USER_KEY_KEY_H
#define XRDMA_USER_KEY_KEY_H

#include <xrdma/verdict.h>

#include "obj/access.h"
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
 * Take the key REQUESTED for the protection domain PD, as xrdma_requested_add() does, until
 * xrdma_requested_remove(). No key is requested and a row's too. Returns 0, -XRDMA_ENOKEY (it is in
 * use), -EKEYREJECTED (it has more than 32 bits), -ENOMEM. Thread safe.
 */
int xrdma_key_request(struct xrdma_context *context, __u32 pd, __u64 requested);

/*
 * When it returns, no access under the row's key can touch memory any more, and the row is given
 * back. Thread safe, for several rows.
 */
void xrdma_key_revoke(struct xrdma_context *context, struct xrdma_mkey_row *row);

/*
 * Put ROW into STATE. When it returns, no access that its key was good for before is under way any
 * more. The lock of the notes is held.
 */
void xrdma_key_end(struct xrdma_context *context, struct xrdma_mkey_row *row, __u8 state);

/*
 * End KEY, for queue pair QPN of PD: when it returns, no access under it can touch memory any more.
 * Returns XRDMA_V_OK or XRDMA_V_INVALIDATE.
 */
enum xrdma_verdict xrdma_key_invalidate(const struct xrdma_pd *pd, __u32 qpn, __u32 key);

/*
 * Wait until nothing uses a key that is invalid now. Thread safe. The caller of
 * xrdma_keys_settle_locked() holds the lock of the notes, the caller of xrdma_keys_settle() does
 * not.
 */
void xrdma_keys_settle(struct xrdma_context *context);
void xrdma_keys_settle_locked(struct xrdma_context *context);

/* Returns 0 or -ENOMEM. */
int xrdma_key_notes_init(struct xrdma_key_notes *notes, __u32 rows);
void xrdma_key_notes_exit(struct xrdma_key_notes *notes);

/* Rights of a key that allows the process, and peers, what ibv_reg_mr(3) says of ACCESS. */
static inline __u32 xrdma_key_rights(__u32 access)
{
	const __u32 written =
		access & XRDMA_ACCESS_LOCAL_WRITE ? XRDMA_ACCESS_READ | XRDMA_ACCESS_RECV : 0;

	return access | XRDMA_ACCESS_LOCAL_READ | XRDMA_ACCESS_WRITE | XRDMA_ACCESS_SEND | written;
}

/* The row that has KEY, if one has. */
static inline struct xrdma_mkey_row *xrdma_key_row(const struct xrdma_context *context, __u32 key)
{
	return (struct xrdma_mkey_row *)context->tables.mkeys.rows +
	       xrdma_key_index(key, context->mkey_mask);
}

/* What is noted of ROW. */
static inline struct xrdma_key_note *xrdma_key_note(const struct xrdma_context *context,
						    const struct xrdma_mkey_row *row)
{
	return &context->key_notes
			.by_row[row - (struct xrdma_mkey_row *)context->tables.mkeys.rows];
}

#endif
