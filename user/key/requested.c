// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "key/requested.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "lib/error.h"
#include "lib/order.h"

void xrdma_requested_init(struct xrdma_requested *requested)
{
	xrdma_mutex_init(&requested->lock, XRDMA_RANK_REQUESTED);
	requested->map = -1;
}

void xrdma_requested_exit(struct xrdma_requested *requested)
{
	if (requested->map >= 0)
		close(requested->map);
	xrdma_mutex_destroy(&requested->lock);
}

/* No row has it. */
enum { KEY_NONE };

/* Only contexts that use it have it: XDP has an additional look-up then. */
static int create_map(struct xrdma_context *context)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_NO_PREALLOC);
	int map = bpf_map_create(BPF_MAP_TYPE_HASH, "requested", sizeof(struct xrdma_requested_key),
				 sizeof(__u32), 2 * (context->mkey_mask + 1), &opts);
	int err;

	if (map < 0)
		return xrdma_fail(-map, "cannot create a map of requested keys: %s",
				  strerror(-map));
	err = xrdma_slot_add_requested(&context->slots, context->slot, map);
	if (err)
		close(map);
	else
		XRDMA_PUBLISH(context->requested.map, map);
	return err;
}

static int update(struct xrdma_context *context, __u32 pd, __u32 requested, __u32 value,
		  __u64 flags)
{
	const struct xrdma_requested_key key = { pd, requested };
	int err = bpf_map_update_elem(context->requested.map, &key, &value, flags);

	if (err == -EEXIST)
		return xrdma_fail(XRDMA_ENOKEY, "the requested key 0x%x is in use", requested);
	if (err)
		return xrdma_fail(-err, "cannot have the requested key 0x%x: %s", requested,
				  strerror(-err));
	return 0;
}

/* How many protection domains have REQUESTED. */
static __u32 count_of(int map, __u32 requested)
{
	const struct xrdma_requested_key key = { 0, requested };
	__u32 count;

	return bpf_map_lookup_elem(map, &key, &count) ? 0 : count;
}

static void drop(struct xrdma_context *context, __u32 pd, __u32 requested)
{
	const struct xrdma_requested_key key = { pd, requested };

	bpf_map_delete_elem(context->requested.map, &key);
}

static int add(struct xrdma_context *context, __u32 pd, __u32 requested)
{
	const __u32 count = count_of(context->requested.map, requested);
	int err = update(context, pd, requested, KEY_NONE, BPF_NOEXIST);

	if (err)
		return err;
	err = update(context, 0, requested, count + 1, BPF_ANY);
	if (err)
		drop(context, pd, requested);
	return err;
}

int xrdma_requested_add(struct xrdma_context *context, __u32 pd, __u32 requested)
{
	int err;

	xrdma_mutex_lock(&context->requested.lock);
	err = context->requested.map < 0 ? create_map(context) : 0;
	if (!err)
		err = add(context, pd, requested);
	xrdma_mutex_unlock(&context->requested.lock);
	return err;
}

int xrdma_requested_set(struct xrdma_context *context, __u32 pd, __u32 requested, __u32 key)
{
	return update(context, pd, requested, key, BPF_EXIST);
}

void xrdma_requested_remove(struct xrdma_context *context, __u32 pd, __u32 requested)
{
	__u32 count;

	xrdma_mutex_lock(&context->requested.lock);
	drop(context, pd, requested);
	count = count_of(context->requested.map, requested);
	if (count > 1)
		update(context, 0, requested, count - 1, BPF_EXIST);
	else
		drop(context, 0, requested);
	xrdma_mutex_unlock(&context->requested.lock);
}

bool xrdma_requested_has(const struct xrdma_context *context, __u32 key)
{
	int map;

	__atomic_thread_fence(__ATOMIC_SEQ_CST); /* after the key was written */
	map = XRDMA_OBSERVE(context->requested.map);
	return map >= 0 && count_of(map, key);
}
