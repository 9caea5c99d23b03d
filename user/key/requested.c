// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "key/requested.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "lib/error.h"
#include "lib/order.h"

void xrdma_requested_init(struct xrdma_requested *requested, struct xrdma_context *context,
			  __u32 rows)
{
	xrdma_mutex_init(&requested->lock, XRDMA_RANK_REQUESTED);
	requested->context = context;
	requested->rows = rows;
	requested->map = -1;
}

void xrdma_requested_exit(struct xrdma_requested *requested)
{
	if (requested->map >= 0)
		close(requested->map);
	xrdma_mutex_destroy(&requested->lock);
}

/* No row has this key. */
enum { KEY_NONE };

/* Only contexts that use it have a map: XDP has an additional look-up then. */
static int create_map(struct xrdma_requested *requested)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_NO_PREALLOC);
	struct xrdma_context *context = requested->context;
	int map = bpf_map_create(BPF_MAP_TYPE_HASH, "requested", sizeof(struct xrdma_requested_key),
				 sizeof(__u32), 2 * requested->rows, &opts);
	int err;

	if (map < 0)
		return xrdma_fail(-map, "cannot create a map of requested keys: %s",
				  strerror(-map));
	err = xrdma_slot_add_requested(&context->slots, context->slot, map);
	if (err)
		close(map);
	else
		XRDMA_PUBLISH(requested->map, map);
	return err;
}

static int update(struct xrdma_requested *requested, __u32 pd, __u32 key, __u32 value, __u64 flags)
{
	const struct xrdma_requested_key of_pd = { pd, key };
	int err = bpf_map_update_elem(requested->map, &of_pd, &value, flags);

	if (err == -EEXIST)
		return xrdma_fail(XRDMA_ENOKEY, "the user key 0x%x is in use", key);
	if (err)
		return xrdma_fail(-err, "cannot add the user key 0x%x: %s", key, strerror(-err));
	return 0;
}

/* Returns how many protection domains have KEY. */
static __u32 count_of(int map, __u32 key)
{
	const struct xrdma_requested_key of_all = { 0, key };
	__u32 count;

	return bpf_map_lookup_elem(map, &of_all, &count) ? 0 : count;
}

static void drop(struct xrdma_requested *requested, __u32 pd, __u32 key)
{
	const struct xrdma_requested_key of_pd = { pd, key };

	bpf_map_delete_elem(requested->map, &of_pd);
}

static int add(struct xrdma_requested *requested, __u32 pd, __u32 key)
{
	const __u32 count = count_of(requested->map, key);
	int err = update(requested, pd, key, KEY_NONE, BPF_NOEXIST);

	if (err)
		return err;
	err = update(requested, 0, key, count + 1, BPF_ANY);
	if (err)
		drop(requested, pd, key);
	return err;
}

int xrdma_requested_add(struct xrdma_requested *requested, __u32 pd, __u32 key)
{
	int err;

	xrdma_mutex_lock(&requested->lock);
	err = requested->map < 0 ? create_map(requested) : 0;
	if (!err)
		err = add(requested, pd, key);
	xrdma_mutex_unlock(&requested->lock);
	return err;
}

int xrdma_requested_set(struct xrdma_requested *requested, __u32 pd, __u32 key, __u32 row_key)
{
	return update(requested, pd, key, row_key, BPF_EXIST);
}

void xrdma_requested_remove(struct xrdma_requested *requested, __u32 pd, __u32 key)
{
	__u32 count;

	xrdma_mutex_lock(&requested->lock);
	drop(requested, pd, key);
	count = count_of(requested->map, key);
	if (count > 1)
		update(requested, 0, key, count - 1, BPF_EXIST);
	else
		drop(requested, 0, key);
	xrdma_mutex_unlock(&requested->lock);
}

bool xrdma_requested_has(const struct xrdma_requested *requested, __u32 key)
{
	int map;

	__atomic_thread_fence(__ATOMIC_SEQ_CST); /* after the key was written */
	map = XRDMA_OBSERVE(requested->map);
	return map >= 0 && count_of(map, key);
}
