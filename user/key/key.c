// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "key/key.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

#include "key/requested.h"
#include "lib/error.h"
#include "lib/order.h"

/* All 64 bits of the result depend on all of X (the finalizer of SplitMix64). */
static __u64 mix(__u64 x)
{
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
	x = (x ^ x >> 27) * 0x94d049bb133111eb;
	return x ^ x >> 31;
}

/*
 * Number NUMBER of all values of BITS bits in an order of SECRET's own, in which each stands once:
 * a swap-or-not shuffle (Hoang, Morris, Rogaway 2012), whose rounds pair up all values and swap
 * some of the pairs.
 */
static __u32 shuffled(__u32 number, __u32 bits, __u64 secret)
{
	enum { ROUNDS = 32 };
	__u32 mask = 0xffffffff >> (32 - bits), value = number & mask;

	for (int round = 0; round < ROUNDS; round++) {
		__u64 random = mix(secret + (round + 1) * 0x9e3779b97f4a7c15);
		__u32 partner = (random ^ value) & mask;
		__u64 larger = value > partner ? value : partner;

		if (mix(random ^ larger << 32) & 1)
			value = partner;
	}
	return value;
}

__u32 xrdma_key_make(__u64 secret, __u32 mask, __u32 index, __u32 generation)
{
	__u32 index_bits = __builtin_popcount(mask), low = (1 << XRDMA_KEY_INDEX_SHIFT) - 1;
	__u32 tag = shuffled(generation, 32 - index_bits, secret + index);

	return (__u64)(tag & ~low) << index_bits | index << XRDMA_KEY_INDEX_SHIFT | (tag & low);
}

__u32 xrdma_key_next(const struct xrdma_context *context, struct xrdma_mkey_row *row)
{
	__u32 index = row - (struct xrdma_mkey_row *)context->tables.mkeys.rows, key;

	do
		key = xrdma_key_make(context->key_secret, context->mkey_mask, index,
				     ++row->generation);
	while (!key);
	return key;
}

int xrdma_key_publish(struct xrdma_context *context, struct xrdma_mkey_row *row,
		      struct xrdma_mkey_row **into)
{
	__u32 index = xrdma_rows_take_random(&context->mkey_rows);
	__u8 state = row->state;

	if (index == XRDMA_ROWS_NONE)
		return xrdma_fail(ENOMEM,
				  "all %u keys of the context are in use: end some, or open "
				  "it with more mkeys",
				  context->mkey_mask + 1);
	*into = (struct xrdma_mkey_row *)context->tables.mkeys.rows + index;
	row->state = XRDMA_MKEY_INVALID;
	do {
		row->key = xrdma_key_next(context, *into);
		row->generation = (*into)->generation;
		**into = *row;
	} while (xrdma_requested_has(context, row->key));
	XRDMA_PUBLISH((*into)->state, state);
	row->state = state;
	return 0;
}

/* Whether a row has KEY, or had it: a peer may still believe so. No row has 0. */
static bool is_of_row(const struct xrdma_context *context, __u32 key)
{
	return key && XRDMA_READ(xrdma_key_row(context, key)->key) == key;
}

/*
 * Who writes a key into a row asks afterwards whether it was requested meanwhile, as here it is the
 * other way around, so that one of the two sees the other. A window's key is written with the lock.
 */
int xrdma_key_request(struct xrdma_context *context, __u32 pd, __u64 requested)
{
	int err;

	if (requested > UINT32_MAX)
		return xrdma_fail(EKEYREJECTED, "the requested key 0x%llx has more than 32 bits",
				  requested);
	xrdma_mutex_lock(&context->key_notes.lock);
	err = xrdma_requested_add(context, pd, requested);
	if (!err && is_of_row(context, requested)) {
		xrdma_requested_remove(context, pd, requested);
		err = xrdma_fail(XRDMA_ENOKEY, "the requested key 0x%llx is in use", requested);
	}
	xrdma_mutex_unlock(&context->key_notes.lock);
	return err;
}

/*
 * Threads that read registered memory check REVOKED afterwards, and look at their keys again
 * (run/request.c).
 */
void xrdma_keys_settle_locked(struct xrdma_context *context)
{
	__atomic_add_fetch(&context->revoked, 1, __ATOMIC_RELEASE);
	xrdma_epochs_wait(&context->slots.epochs);
}

/* Threads that copy staged data to registered memory hold the lock of the notes (queue/stage.c). */
void xrdma_keys_settle(struct xrdma_context *context)
{
	xrdma_keys_settle_locked(context);
	if (!XRDMA_READ(context->transforms))
		return;
	xrdma_mutex_lock(&context->key_notes.lock);
	xrdma_mutex_unlock(&context->key_notes.lock);
}

void xrdma_key_revoke(struct xrdma_context *context, struct xrdma_mkey_row *row)
{
	XRDMA_PUBLISH(row->state, XRDMA_MKEY_INVALID);
	xrdma_keys_settle(context);
	/* A SEND with invalidate may have come between. */
	XRDMA_WRITE(row->state, XRDMA_MKEY_INVALID);
	XRDMA_WRITE(row->pd, 0);
	xrdma_rows_give(&context->mkey_rows,
			row - (struct xrdma_mkey_row *)context->tables.mkeys.rows);
}

void xrdma_key_end(struct xrdma_context *context, struct xrdma_mkey_row *row, __u8 state)
{
	XRDMA_PUBLISH(row->state, XRDMA_MKEY_INVALID);
	xrdma_keys_settle_locked(context);
	XRDMA_PUBLISH(row->state, state); /* a SEND with invalidate may have come between */
}

enum xrdma_verdict xrdma_key_invalidate(const struct xrdma_pd *pd, __u32 qpn, __u32 key)
{
	struct xrdma_context *context = pd->context;
	struct xrdma_mkey_row *row = xrdma_key_row(context, key);
	const struct xrdma_access access = {
		.key = key,
		.pd = pd->number,
		.qpn = qpn,
		/* Of an mkey it is said for peers only. */
		.rights = xrdma_mkey_is_indirect(row->kind) ? 0 : XRDMA_ACCESS_REMOTE_INVALIDATE,
	};
	__u8 state;

	xrdma_mutex_lock(&context->key_notes.lock);
	state = xrdma_access_invalidates(row, &access);
	if (state == XRDMA_MKEY_VALID)
		xrdma_key_end(context, row, XRDMA_MKEY_FREE);
	xrdma_mutex_unlock(&context->key_notes.lock);
	return state == XRDMA_MKEY_INVALID ? XRDMA_V_INVALIDATE : XRDMA_V_OK;
}

int xrdma_key_notes_init(struct xrdma_key_notes *notes, __u32 rows)
{
	xrdma_mutex_init(&notes->lock, XRDMA_RANK_KEY_NOTES);
	notes->by_row = calloc(rows, sizeof(*notes->by_row));
	return notes->by_row ? 0 : -ENOMEM;
}

void xrdma_key_notes_exit(struct xrdma_key_notes *notes)
{
	if (notes->by_row)
		xrdma_mutex_destroy(&notes->lock);
	free(notes->by_row);
}
