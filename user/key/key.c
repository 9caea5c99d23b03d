// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "key/key.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "lib/error.h"
#include "lib/order.h"

/*
 * Mix the bits of X, so that each bit of the result depends on all of X (the finalizer of
 * SplitMix64).
 */
static __u64 mix(__u64 x)
{
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
	x = (x ^ x >> 27) * 0x94d049bb133111eb;
	return x ^ x >> 31;
}

/*
 * Returns element NUMBER of a permutation of all values of BITS bits. SECRET selects the
 * permutation. It is a swap-or-not shuffle (Hoang, Morris, Rogaway 2012): each round pairs up all
 * values and swaps some of the pairs.
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

__u32 xrdma_key_next(const struct xrdma_keys *keys, struct xrdma_mkey_row *row)
{
	__u32 index = row - keys->rows, key;

	do
		key = xrdma_key_make(keys->secret, keys->mask, index, ++row->generation);
	while (!key);
	return key;
}

int xrdma_key_publish(struct xrdma_keys *keys, struct xrdma_mkey_row *row,
		      struct xrdma_mkey_row **into)
{
	__u32 index = xrdma_rows_take_random(&keys->free);
	__u8 state = row->state;

	if (index == XRDMA_ROWS_NONE)
		return xrdma_fail(
			ENOMEM,
			"all %u keys of the context are in use: close some regions, windows or "
			"mkeys, or open the context with more mkeys",
			keys->mask + 1);
	*into = keys->rows + index;
	row->state = XRDMA_MKEY_STATE_INVALID;
	do {
		row->key = xrdma_key_next(keys, *into);
		row->generation = (*into)->generation;
		**into = *row;
	} while (xrdma_user_keys_has(&keys->user_keys, row->key));
	XRDMA_PUBLISH((*into)->state, state);
	row->state = state;
	return 0;
}

/*
 * Returns whether a row has KEY, or had it before, because a peer may still use an old key. No row
 * has key 0.
 */
static bool is_of_row(const struct xrdma_keys *keys, __u32 key)
{
	return key && XRDMA_READ(xrdma_key_row(keys, key)->key) == key;
}

/*
 * Add a user key. It is added first, and a row with the same key is searched afterwards. A thread
 * that publishes a row writes its key first, and searches for a user key afterwards. So at least
 * one of both notices the conflict. The key of a window is written with the lock held.
 */
int xrdma_key_request(struct xrdma_keys *keys, __u32 pd, __u64 requested)
{
	int err;

	if (requested > UINT32_MAX)
		return xrdma_fail(EKEYREJECTED, "the user key 0x%llx has more than 32 bits",
				  requested);
	xrdma_mutex_lock(&keys->lock);
	err = xrdma_user_keys_add(&keys->user_keys, pd, requested);
	if (!err && is_of_row(keys, requested)) {
		xrdma_user_keys_remove(&keys->user_keys, pd, requested);
		err = xrdma_fail(XRDMA_ENOKEY, "the user key 0x%llx is in use", requested);
	}
	xrdma_mutex_unlock(&keys->lock);
	return err;
}

/*
 * Wait for threads that use keys. Threads that read registered memory check REVOKED afterwards, and
 * look up their keys again (run/request.c).
 */
void xrdma_keys_quiesce_locked(struct xrdma_keys *keys)
{
	__atomic_add_fetch(&keys->revoked, 1, __ATOMIC_RELEASE);
	xrdma_epochs_wait(keys->epochs);
}

/*
 * Wait with the lock of the keys, which threads hold while they copy bounced data to registered
 * memory.
 */
void xrdma_keys_quiesce(struct xrdma_keys *keys)
{
	xrdma_keys_quiesce_locked(keys);
	if (!XRDMA_READ(keys->transforms))
		return;
	xrdma_mutex_lock(&keys->lock);
	xrdma_mutex_unlock(&keys->lock);
}

void xrdma_key_revoke(struct xrdma_keys *keys, struct xrdma_mkey_row *row)
{
	XRDMA_PUBLISH(row->state, XRDMA_MKEY_STATE_INVALID);
	xrdma_keys_quiesce(keys);
	/* Write INVALID again: a SEND with invalidate may have changed the state. */
	XRDMA_WRITE(row->state, XRDMA_MKEY_STATE_INVALID);
	XRDMA_WRITE(row->pd, 0);
	xrdma_rows_give(&keys->free, row - keys->rows);
}

void xrdma_key_end(struct xrdma_keys *keys, struct xrdma_mkey_row *row, __u8 state)
{
	XRDMA_PUBLISH(row->state, XRDMA_MKEY_STATE_INVALID);
	xrdma_keys_quiesce_locked(keys);
	XRDMA_PUBLISH(row->state, state); /* a SEND with invalidate may have changed the state */
}

enum xrdma_verdict xrdma_key_invalidate(const struct xrdma_pd *pd, __u32 qpn, __u32 key)
{
	struct xrdma_keys *keys = pd->context->keys;
	struct xrdma_mkey_row *row = xrdma_key_row(keys, key);
	const struct xrdma_access access = {
		.key = key,
		.pd = pd->number,
		.qpn = qpn,
		/* In an mkey, XRDMA_ACCESS_REMOTE_INVALIDATE limits only peers. */
		.rights = xrdma_mkey_is_indirect(row->kind) ? 0 : XRDMA_ACCESS_REMOTE_INVALIDATE,
	};
	__u8 state;

	xrdma_mutex_lock(&keys->lock);
	state = xrdma_access_invalidates(row, &access);
	if (state == XRDMA_MKEY_STATE_VALID)
		xrdma_key_end(keys, row, XRDMA_MKEY_STATE_FREE);
	xrdma_mutex_unlock(&keys->lock);
	return state == XRDMA_MKEY_STATE_INVALID ? XRDMA_V_INVALIDATE : XRDMA_V_OK;
}

/*
 * Allocate what KEYS know of each row. ATTR has the numbers of rows. Returns whether there was
 * memory.
 */
static bool init_rows(struct xrdma_keys *keys, const struct xrdma_context_attr *attr)
{
	const size_t layouts = attr->layouts / XRDMA_LAYOUT_ROW * sizeof(*keys->layouts);

	keys->infos = calloc(attr->mkeys, sizeof(*keys->infos));
	return keys->infos && !xrdma_rows_init(&keys->free, 0, attr->mkeys) &&
	       !xrdma_rows_init(&keys->free_raw_keys, 0, attr->raw_keys) &&
	       !xrdma_rows_init(&keys->free_cntrs, 0, attr->cntrs) &&
	       !xrdma_extents_init(&keys->layout_space, layouts);
}

int xrdma_keys_init(struct xrdma_keys *keys, struct xrdma_context *context,
		    const struct xrdma_context_attr *attr)
{
	const struct xrdma_context_tables *tables = &context->tables;

	keys->rows = tables->mkeys.rows;
	keys->layouts = tables->layouts.rows;
	keys->raw_keys = tables->raw_keys.rows;
	keys->cntrs = tables->cntrs.rows;
	keys->mask = attr->mkeys - 1;
	keys->epochs = &context->slots.epochs;
	xrdma_mutex_init(&keys->lock, XRDMA_RANK_KEYS);
	xrdma_worker_init(&keys->registrar);
	xrdma_user_keys_init(&keys->user_keys, context, attr->mkeys);
	if (getrandom(&keys->secret, sizeof(keys->secret), 0) < 0)
		return xrdma_fail(errno, "cannot get random numbers for keys: %s", strerror(errno));
	return init_rows(keys, attr) ? 0 : xrdma_fail(ENOMEM, "no memory for the records of keys");
}

void xrdma_keys_exit(struct xrdma_keys *keys)
{
	xrdma_extents_exit(&keys->layout_space);
	xrdma_rows_exit(&keys->free_cntrs);
	xrdma_rows_exit(&keys->free_raw_keys);
	xrdma_rows_exit(&keys->free);
	free(keys->infos);
	xrdma_user_keys_exit(&keys->user_keys);
	xrdma_mutex_destroy(&keys->lock);
}
