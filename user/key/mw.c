// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "key/mw.h"

#include <errno.h>
#include <stdlib.h>

#include "key/key.h"
#include "key/mr.h"
#include "lib/error.h"
#include "lib/order.h"
#include "obj/access.h"

enum {
	REMOTE_ACCESS =
		XRDMA_ACCESS_REMOTE_WRITE | XRDMA_ACCESS_REMOTE_READ | XRDMA_ACCESS_REMOTE_ATOMIC,
	CHANGES = XRDMA_ACCESS_REMOTE_WRITE | XRDMA_ACCESS_REMOTE_ATOMIC,
};

int xrdma_mw_alloc(struct xrdma_pd *pd, enum xrdma_mw_type type, struct xrdma_mw **mw)
{
	static const struct {
		__u8 kind, state;
		__u16 rights;
	} types[] = {
		[XRDMA_MW_TYPE_1] = { XRDMA_MKEY_KIND_MW1, XRDMA_MKEY_STATE_INVALID, 0 },
		[XRDMA_MW_TYPE_2A] = { XRDMA_MKEY_KIND_MW2A, XRDMA_MKEY_STATE_FREE,
				       XRDMA_ACCESS_REMOTE_INVALIDATE },
		[XRDMA_MW_TYPE_2B] = { XRDMA_MKEY_KIND_MW2B, XRDMA_MKEY_STATE_FREE,
				       XRDMA_ACCESS_REMOTE_INVALIDATE },
	};
	struct xrdma_keys *keys = pd->context->keys;
	struct xrdma_mkey_row row;
	int err = xrdma_context_enter(pd->context);

	if (err)
		return err;
	if (type < XRDMA_MW_TYPE_1 || type > XRDMA_MW_TYPE_2B)
		return xrdma_fail(EINVAL, "type %u: a window is of type 1, 2A or 2B", type);
	*mw = calloc(1, sizeof(**mw));
	if (!*mw)
		return xrdma_fail(ENOMEM, "no memory for a window");
	row = (struct xrdma_mkey_row){
		.kind = types[type].kind,
		.state = types[type].state,
		.rights = types[type].rights,
		.pd = pd->number,
	};
	err = xrdma_key_publish(keys, &row, &(*mw)->row);
	if (err) {
		free(*mw);
		return err;
	}
	(*mw)->pd = pd;
	(*mw)->type = type;
	(*mw)->key = row.key;
	xrdma_mutex_lock(&keys->lock);
	(*mw)->number = ++keys->last_window;
	xrdma_key_info(keys, (*mw)->row)->window = *mw;
	xrdma_mutex_unlock(&keys->lock);
	xrdma_count_in(&pd->users);
	return 0;
}

__u32 xrdma_mw_key(const struct xrdma_mw *mw)
{
	return XRDMA_READ(mw->key);
}

__u32 xrdma_mw_next_key(struct xrdma_mw *mw)
{
	struct xrdma_keys *keys = mw->pd->context->keys;
	__u32 key;

	xrdma_mutex_lock(&keys->lock);
	do
		key = xrdma_key_next(keys, mw->row);
	while (xrdma_user_keys_has(&keys->user_keys, key));
	xrdma_mutex_unlock(&keys->lock);
	return key;
}

static int check_access(const struct xrdma_mw_bind_info *info, unsigned int allowed)
{
	if (info->access & ~allowed)
		return xrdma_fail(EINVAL, "access 0x%x: 0x%x is not for windows", info->access,
				  info->access & ~allowed);
	if (info->length && !info->mr)
		return xrdma_fail(EINVAL, "mr is NULL: a window is bound to a region");
	return 0;
}

static int check_type_1(const struct xrdma_send_wr *wr)
{
	const struct xrdma_mw_bind_info *info = &wr->bind_info;
	int err = check_access(info, REMOTE_ACCESS);

	if (!err && info->length &&
	    XRDMA_READ(info->mr->region.row->rights) & XRDMA_ACCESS_ZERO_BASED)
		err = xrdma_fail(EINVAL, "the region is zero-based: windows of type 1 are not");
	return err;
}

static int check_type_2(const struct xrdma_send_wr *wr)
{
	if (!wr->bind_info.length)
		return xrdma_fail(
			EINVAL,
			"length is 0, but a window of type 2 has at least 1 byte: to invalidate "
			"its key, post XRDMA_WR_LOCAL_INV");
	if ((wr->rkey ^ wr->mw->key) >> XRDMA_KEY_INDEX_SHIFT)
		return xrdma_fail(
			EINVAL,
			"rkey is 0x%08llx: the upper 24 bits are those of the window's key "
			"0x%08x",
			wr->rkey, wr->mw->key);
	return check_access(&wr->bind_info, REMOTE_ACCESS | XRDMA_ACCESS_ZERO_BASED);
}

int xrdma_mw_check(const struct xrdma_send_wr *wr, bool by_call)
{
	if (!wr->mw)
		return xrdma_fail(EINVAL, "mw is NULL: there is no window to bind");
	if (by_call != (wr->mw->type == XRDMA_MW_TYPE_1))
		return xrdma_fail(EINVAL,
				  "windows of type 1 are bound by xrdma_mw_bind(), those of "
				  "type 2 by XRDMA_WR_BIND_MW");
	return by_call ? check_type_1(wr) : check_type_2(wr);
}

struct xrdma_bind xrdma_mw_bind_of(const struct xrdma_send_wr *wr)
{
	const struct xrdma_mw_bind_info *info = &wr->bind_info;

	return (struct xrdma_bind){
		.addr = info->addr,
		.length = info->length,
		.region = info->length ? info->mr->region.row->key : 0,
		.window = wr->mw->number,
		.access = info->access,
	};
}

/* The functions from here to bind_window() need the lock of the keys. */

/* Find the window of BIND, and check that its state allows the bind. */
static enum xrdma_verdict find(const struct xrdma_pd *pd, const struct xrdma_bind *bind, __u32 key,
			       struct xrdma_mw **mw)
{
	struct xrdma_keys *keys = pd->context->keys;

	*mw = xrdma_key_info(keys, xrdma_key_row(keys, key))->window;
	if (!*mw || (*mw)->number != bind->window)
		return XRDMA_V_KEY;
	if ((*mw)->pd != pd)
		return XRDMA_V_KEY_PD;
	if ((*mw)->type != XRDMA_MW_TYPE_1 &&
	    XRDMA_OBSERVE((*mw)->row->state) != XRDMA_MKEY_STATE_FREE)
		return XRDMA_V_KEY_STATE;
	return XRDMA_V_OK;
}

/*
 * Check that the region allows such a window, and set *HEAP_AT to the first byte. A window can only
 * give peers rights to change memory that the process has, too (IBA 10.6.7.2.2).
 */
static enum xrdma_verdict check_region(const struct xrdma_pd *pd, __u32 qpn,
				       const struct xrdma_bind *bind, __u64 *heap_at)
{
	const struct xrdma_access access = {
		.key = bind->region,
		.pd = pd->number,
		.qpn = qpn,
		.rights = XRDMA_ACCESS_MW_BIND |
			  (bind->access & CHANGES ? XRDMA_ACCESS_LOCAL_WRITE : 0),
		.va = bind->addr,
		.len = bind->length,
	};

	return xrdma_access_check(xrdma_key_row(pd->context->keys, bind->region), &access, heap_at);
}

/* Write the row of MW for BIND. The window is not bound. */
static void write_row(struct xrdma_mw *mw, const struct xrdma_bind *bind, __u32 key, __u32 qpn,
		      __u64 heap_at)
{
	bool is_type_1 = mw->type == XRDMA_MW_TYPE_1;
	struct xrdma_mkey_row row = {
		.key = key,
		.kind = mw->row->kind,
		.state = XRDMA_MKEY_STATE_INVALID,
		.rights = (bind->access & REMOTE_ACCESS) |
			  (is_type_1 ? 0 : XRDMA_ACCESS_REMOTE_INVALIDATE),
		.pd = mw->pd->number,
		.qpn = is_type_1 ? 0 : qpn,
		.base = bind->access & XRDMA_ACCESS_ZERO_BASED ? 0 : bind->addr,
		.len = bind->length,
		.offset = heap_at,
		.parent = bind->region,
		.generation = mw->row->generation,
	};

	*mw->row = row;
	if (bind->length)
		XRDMA_PUBLISH(mw->row->state, XRDMA_MKEY_STATE_VALID);
}

static enum xrdma_verdict bind_window(const struct xrdma_pd *pd, __u32 qpn,
				      struct xrdma_mw_list *windows, const struct xrdma_bind *bind,
				      __u32 key)
{
	enum xrdma_verdict verdict;
	struct xrdma_mw *mw;
	__u64 heap_at = 0;

	verdict = find(pd, bind, key, &mw);
	if (verdict == XRDMA_V_OK && xrdma_user_keys_has(&pd->context->keys->user_keys, key))
		verdict = XRDMA_V_KEY;
	if (verdict == XRDMA_V_OK && bind->length)
		verdict = check_region(pd, qpn, bind, &heap_at);
	if (verdict != XRDMA_V_OK)
		return verdict;
	if (mw->type == XRDMA_MW_TYPE_1)
		xrdma_key_end(pd->context->keys, mw->row, XRDMA_MKEY_STATE_INVALID);
	xrdma_window_unlink(mw);
	write_row(mw, bind, key, qpn, heap_at);
	if (bind->length)
		xrdma_window_link(mw, xrdma_key_row(pd->context->keys, bind->region), windows);
	return XRDMA_V_OK;
}

enum xrdma_verdict xrdma_mw_execute(const struct xrdma_pd *pd, __u32 qpn,
				    struct xrdma_mw_list *windows, const struct xrdma_bind *bind,
				    __u32 key)
{
	struct xrdma_mutex *lock = &pd->context->keys->lock;
	enum xrdma_verdict verdict;

	xrdma_mutex_lock(lock);
	verdict = bind_window(pd, qpn, windows, bind, key);
	xrdma_mutex_unlock(lock);
	return verdict;
}

int xrdma_mw_dealloc(struct xrdma_mw *mw)
{
	struct xrdma_keys *keys = mw->pd->context->keys;
	int err = xrdma_context_own(mw->pd->context);

	if (err)
		return err;
	xrdma_mutex_lock(&keys->lock);
	xrdma_window_unlink(mw);
	xrdma_key_info(keys, mw->row)->window = NULL;
	xrdma_mutex_unlock(&keys->lock);
	xrdma_key_revoke(keys, mw->row);
	xrdma_count_out(&mw->pd->users);
	free(mw);
	return 0;
}
