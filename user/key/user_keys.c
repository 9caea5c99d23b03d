// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "key/user_keys.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "lib/error.h"
#include "lib/order.h"

void xrdma_user_keys_init(struct xrdma_user_keys *user_keys, struct xrdma_context *context,
			  __u32 rows)
{
	xrdma_mutex_init(&user_keys->lock, XRDMA_RANK_USER_KEYS);
	user_keys->context = context;
	user_keys->rows = rows;
	user_keys->map = -1;
}

void xrdma_user_keys_exit(struct xrdma_user_keys *user_keys)
{
	if (user_keys->map >= 0)
		close(user_keys->map);
	xrdma_mutex_destroy(&user_keys->lock);
}

/* Entry that leads to no row. */
enum { KEY_NONE };

/*
 * Create the map, when the first user key is added. XDP needs an additional lookup in contexts that
 * have one.
 */
static int create_map(struct xrdma_user_keys *user_keys)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_NO_PREALLOC);
	struct xrdma_context *context = user_keys->context;
	int map = bpf_map_create(BPF_MAP_TYPE_HASH, "user_keys", sizeof(struct xrdma_user_key),
				 sizeof(__u32), 2 * user_keys->rows, &opts);
	int err;

	if (map < 0)
		return xrdma_fail(-map, "cannot create a map of user keys: %s", strerror(-map));
	err = xrdma_slot_add_user_keys(&context->slots, context->slot, map);
	if (err)
		close(map);
	else
		XRDMA_PUBLISH(user_keys->map, map);
	return err;
}

static int update(struct xrdma_user_keys *user_keys, __u32 pd, __u32 key, __u32 value, __u64 flags)
{
	const struct xrdma_user_key of_pd = { pd, key };
	int err = bpf_map_update_elem(user_keys->map, &of_pd, &value, flags);

	if (err == -EEXIST)
		return xrdma_fail(XRDMA_ENOKEY, "the user key 0x%x is in use", key);
	if (err)
		return xrdma_fail(-err, "cannot add the user key 0x%x: %s", key, strerror(-err));
	return 0;
}

/* Returns the number of protection domains that have KEY. */
static __u32 count_of(int map, __u32 key)
{
	const struct xrdma_user_key of_all = { 0, key };
	__u32 count;

	return bpf_map_lookup_elem(map, &of_all, &count) ? 0 : count;
}

static void drop(struct xrdma_user_keys *user_keys, __u32 pd, __u32 key)
{
	const struct xrdma_user_key of_pd = { pd, key };

	bpf_map_delete_elem(user_keys->map, &of_pd);
}

static int add(struct xrdma_user_keys *user_keys, __u32 pd, __u32 key)
{
	const __u32 count = count_of(user_keys->map, key);
	int err = update(user_keys, pd, key, KEY_NONE, BPF_NOEXIST);

	if (err)
		return err;
	err = update(user_keys, 0, key, count + 1, BPF_ANY);
	if (err)
		drop(user_keys, pd, key);
	return err;
}

int xrdma_user_keys_add(struct xrdma_user_keys *user_keys, __u32 pd, __u32 key)
{
	int err;

	xrdma_mutex_lock(&user_keys->lock);
	err = user_keys->map < 0 ? create_map(user_keys) : 0;
	if (!err)
		err = add(user_keys, pd, key);
	xrdma_mutex_unlock(&user_keys->lock);
	return err;
}

int xrdma_user_keys_set(struct xrdma_user_keys *user_keys, __u32 pd, __u32 key, __u32 row_key)
{
	return update(user_keys, pd, key, row_key, BPF_EXIST);
}

void xrdma_user_keys_remove(struct xrdma_user_keys *user_keys, __u32 pd, __u32 key)
{
	__u32 count;

	xrdma_mutex_lock(&user_keys->lock);
	drop(user_keys, pd, key);
	count = count_of(user_keys->map, key);
	if (count > 1)
		update(user_keys, 0, key, count - 1, BPF_EXIST);
	else
		drop(user_keys, 0, key);
	xrdma_mutex_unlock(&user_keys->lock);
}

bool xrdma_user_keys_has(const struct xrdma_user_keys *user_keys, __u32 key)
{
	int map;

	__atomic_thread_fence(__ATOMIC_SEQ_CST); /* the caller has written its key before */
	map = XRDMA_OBSERVE(user_keys->map);
	return map >= 0 && count_of(map, key);
}
