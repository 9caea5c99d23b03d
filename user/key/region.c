// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "key/region.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

#include "key/fault.h"
#include "key/key.h"
#include "key/layouts.h"
#include "lib/error.h"
#include "lib/order.h"
#include "key/fork.h"
#include "key/unbacked.h"

/*
 * Give back the buffers of REGION, to which no key leads any more. All misses of packets in these
 * buffers are handled first, because the next buffer may get the same place in the heap for its
 * page table.
 */
static void give_buffers(struct xrdma_region *region)
{
	for (__u32 i = 0; i < region->count; i++)
		xrdma_faults_leave(region->context->faults, &region->buffers[i].buffer);
	xrdma_faults_quiesce(region->context->faults);
	while (region->count)
		xrdma_buffer_give(&region->context->heap, &region->buffers[--region->count].buffer);
	if (region->buffers != &region->only)
		free(region->buffers);
}

/* Take the memory of one buffer. In a list each must be shorter than 4 GiB. */
static int take_buffer(struct xrdma_region *region, const struct xrdma_region_conf *conf,
		       __u32 number)
{
	const struct iovec *iov = &conf->iov[number];
	struct xrdma_buffer *buffer = &region->buffers[number].buffer;
	int err;

	if (conf->count > 1 && iov->iov_len > UINT32_MAX)
		return xrdma_fail(
			EINVAL,
			"buffer %u has %zu bytes: a buffer of 4 GiB or more must be the only one "
			"of its region",
			number, iov->iov_len);
	err = xrdma_buffer_take(&region->context->heap, (uintptr_t)iov->iov_base, iov->iov_len,
				conf->backing, buffer);
	if (!err)
		xrdma_faults_enter(region->context->faults, buffer);
	return err;
}

/* Take the memory of all buffers. On error REGION has none of them. */
static int take_buffers(struct xrdma_region *region, const struct xrdma_region_conf *conf)
{
	int err = 0;

	region->buffers =
		conf->count == 1 ? &region->only : calloc(conf->count, sizeof(*region->buffers));
	if (!region->buffers)
		return xrdma_fail(ENOMEM, "no memory for a region");
	for (; region->count < conf->count && !err; region->count += !err)
		err = take_buffer(region, conf, region->count);
	if (err)
		give_buffers(region);
	return err;
}

static __u8 first_state(const struct xrdma_region_conf *conf)
{
	return conf->disabled ? XRDMA_MKEY_STATE_INVALID : XRDMA_MKEY_STATE_VALID;
}

/* Publish a row for the process alone, in which the memory of PART is named by its address. */
static int publish_buffer(struct xrdma_region *region, struct xrdma_region_buffer *part,
			  const struct xrdma_region_conf *conf)
{
	struct xrdma_mkey_row row = {
		.kind = XRDMA_MKEY_KIND_MR,
		.state = first_state(conf),
		.rights = conf->rights & XRDMA_ACCESS_LOCAL,
		.pd = conf->pd,
		.base = part->buffer.addr,
		.len = part->buffer.len,
		.offset = part->buffer.table.offset,
	};

	return xrdma_key_publish(region->context->keys, &row, &part->row);
}

static void revoke_row(struct xrdma_region *region, struct xrdma_mkey_row *row)
{
	if (row)
		xrdma_key_revoke(region->context->keys, row);
}

static void revoke_buffers(struct xrdma_region *region)
{
	for (__u32 i = 0; i < region->count; i++)
		revoke_row(region, region->buffers[i].row);
}

static int publish_buffers(struct xrdma_region *region, const struct xrdma_region_conf *conf)
{
	int err = 0;

	for (__u32 i = 0; i < region->count && !err; i++)
		err = publish_buffer(region, &region->buffers[i], conf);
	if (err)
		revoke_buffers(region);
	return err;
}

/* Make ROW a list of the buffers, in order. */
static int list_buffers(struct xrdma_region *region, struct xrdma_mkey_row *row)
{
	struct xrdma_layout_entry *entries;
	int err = xrdma_layouts_take(region->context->keys, region->count, &region->layout_first);

	if (err)
		return err;
	entries = xrdma_layout_entries(region->context->keys, region->layout_first);
	for (__u32 i = 0; i < region->count; i++) {
		const struct xrdma_buffer *buffer = &region->buffers[i].buffer;

		entries[i] = (struct xrdma_layout_entry){
			.addr = buffer->addr,
			.at = row->len,
			.length = buffer->len,
			.lkey = region->buffers[i].row->key,
		};
		row->len += buffer->len;
	}
	row->kind = XRDMA_MKEY_KIND_LIST;
	row->round = row->len;
	row->layout_first = region->layout_first;
	row->layout_count = region->count;
	return 0;
}

static void give_list(struct xrdma_region *region)
{
	if (region->count > 1)
		xrdma_layouts_give(region->context->keys, region->layout_first);
}

/* Publish a list for the process. It is the peers' list, but without the secret. */
static int publish_list(struct xrdma_region *region, struct xrdma_mkey_row *row)
{
	struct xrdma_mkey_row own;
	int err = list_buffers(region, row);

	if (err)
		return err;
	own = *row;
	own.rights &= XRDMA_ACCESS_LOCAL;
	own.base -= own.secret;
	own.secret = 0;
	if (row->secret)
		err = xrdma_key_publish(region->context->keys, &own, &region->own);
	if (!err)
		err = xrdma_key_publish(region->context->keys, row, &region->row);
	if (err) {
		revoke_row(region, region->own);
		give_list(region);
	}
	return err;
}

/*
 * Publish the row of the whole region. The rows of its buffers, if any, are published separately.
 */
static int publish_whole(struct xrdma_region *region, struct xrdma_mkey_row *row)
{
	if (region->count > 1)
		return publish_list(region, row);
	row->kind = XRDMA_MKEY_KIND_MR;
	row->len = region->only.buffer.len;
	row->offset = region->only.buffer.table.offset;
	return xrdma_key_publish(region->context->keys, row, &region->row);
}

static int publish(struct xrdma_region *region, const struct xrdma_region_conf *conf)
{
	struct xrdma_mkey_row row = {
		.state = first_state(conf),
		.rights = conf->rights,
		.pd = conf->pd,
		.base = conf->base + conf->secret,
		.secret = conf->secret,
	};
	bool apart = region->count > 1 || (conf->by_addr && row.base != region->only.buffer.addr);
	int err = apart ? publish_buffers(region, conf) : 0;

	if (err)
		return err;
	err = publish_whole(region, &row);
	if (err)
		revoke_buffers(region);
	return err;
}

/* Call ACT with VALUE for each row of REGION. Rows to which other rows lead come first. */
static void each_row(struct xrdma_region *region,
		     void (*act)(struct xrdma_mkey_row *row, __u32 value), __u32 value)
{
	for (__u32 i = 0; i < region->count; i++)
		if (region->buffers[i].row)
			act(region->buffers[i].row, value);
	if (region->own)
		act(region->own, value);
	act(region->row, value);
}

/* Returns whether the heap has all memory of REGION. The caller holds the lock of the keys. */
static bool is_backed(struct xrdma_region *region)
{
	const struct xrdma_heap *heap = &region->context->heap;
	bool backed;

	xrdma_adopt_lock();
	backed = xrdma_unbacked_judge(heap, region->row);
	for (__u32 i = 0; i < region->count; i++)
		if (region->buffers[i].row)
			backed = xrdma_unbacked_judge(heap, region->buffers[i].row) && backed;
	xrdma_adopt_unlock();
	return backed;
}

static int check_backed(struct xrdma_region *region)
{
	struct xrdma_mutex *lock = &region->context->keys->lock;
	bool backed;

	if (!xrdma_fork_was_refused())
		return 0;
	xrdma_mutex_lock(lock);
	backed = is_backed(region);
	xrdma_mutex_unlock(lock);
	return backed ? 0
		      : xrdma_fail(ENOMEM, "the kernel refused to move this memory back into the "
					   "heap after a fork(2)");
}

static void set_parent(struct xrdma_mkey_row *row, __u32 key)
{
	XRDMA_WRITE(row->parent, key);
}

int xrdma_region_start(struct xrdma_region *region, const struct xrdma_region_conf *conf)
{
	int err;

	xrdma_fork_mend();
	err = take_buffers(region, conf);
	if (err)
		return err;
	err = publish(region, conf);
	if (err) {
		give_buffers(region);
		return err;
	}
	each_row(region, set_parent, region->row->key);
	err = check_backed(region);
	if (err)
		xrdma_region_end(region);
	return err;
}

void xrdma_region_end(struct xrdma_region *region)
{
	xrdma_fork_mend();
	revoke_row(region, region->row);
	revoke_row(region, region->own);
	give_list(region);
	revoke_buffers(region);
	give_buffers(region);
}

static void set_state(struct xrdma_mkey_row *row, __u32 state)
{
	XRDMA_PUBLISH(row->state, (__u8)state);
}

static void set_qpn(struct xrdma_mkey_row *row, __u32 qpn)
{
	XRDMA_WRITE(row->qpn, qpn);
}

void xrdma_region_enable(struct xrdma_region *region)
{
	each_row(region, set_state, XRDMA_MKEY_STATE_VALID);
	if (xrdma_fork_was_refused())
		is_backed(region);
}

void xrdma_region_disable(struct xrdma_region *region)
{
	each_row(region, set_state, XRDMA_MKEY_STATE_INVALID);
	xrdma_keys_quiesce_locked(region->context->keys);
	each_row(region, set_state, XRDMA_MKEY_STATE_INVALID); /* see xrdma_key_revoke() */
}

void xrdma_region_bind(struct xrdma_region *region, __u32 qpn)
{
	each_row(region, set_qpn, qpn);
}

/* Refresh the intersection of PORTION and PART, and PART's row. */
static int refresh_buffer(struct xrdma_region *region, struct xrdma_region_buffer *part,
			  const struct iovec *portion)
{
	struct xrdma_buffer *buffer = &part->buffer;
	const __u64 from = (uintptr_t)portion->iov_base, to = from + portion->iov_len;
	const __u64 start = from > buffer->addr ? from : buffer->addr;
	const __u64 end = to < buffer->addr + buffer->len ? to : buffer->addr + buffer->len;
	int err;

	if (start >= end)
		return 0;
	xrdma_faults_leave(region->context->faults, buffer);
	err = xrdma_buffer_refresh(&region->context->heap, buffer, start, end);
	xrdma_faults_enter(region->context->faults, buffer);
	if (err)
		return err;
	if (part->row)
		XRDMA_WRITE(part->row->offset, buffer->table.offset);
	if (region->count == 1)
		XRDMA_WRITE(region->row->offset, buffer->table.offset);
	return 0;
}

int xrdma_region_refresh(struct xrdma_region *region, const struct iovec *portion)
{
	int err = 0;

	for (__u32 i = 0; i < region->count && !err; i++)
		err = refresh_buffer(region, &region->buffers[i], portion);
	return err;
}
