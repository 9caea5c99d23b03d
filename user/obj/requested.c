// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "obj/requested.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "lib/error.h"
#include "lib/order.h"
#include "obj/key.h"

void xrdma_requested_init(struct xrdma_requested *requested)
{
	pthread_mutex_init(&requested->lock, NULL);
	requested->map = -1;
}

void xrdma_requested_exit(struct xrdma_requested *requested)
{
	if (requested->map >= 0)
		close(requested->map);
	pthread_mutex_destroy(&requested->lock);
}

/* Only contexts that use it have it: XDP has an additional look-up then. */
static int create_map(struct xrdma_context *context)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_NO_PREALLOC);
	int map = bpf_map_create(BPF_MAP_TYPE_HASH, "requested", sizeof(__u32), sizeof(__u32),
				 context->mkey_mask + 1, &opts);
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

static int provide_map(struct xrdma_context *context)
{
	int err = 0;

	pthread_mutex_lock(&context->requested.lock);
	if (context->requested.map < 0)
		err = create_map(context);
	pthread_mutex_unlock(&context->requested.lock);
	return err;
}

/* Whether a row has KEY, or had it: a peer may still believe so. No row has 0. */
static bool is_of_row(const struct xrdma_context *context, __u32 key)
{
	return key && XRDMA_READ(xrdma_key_row(context, key)->key) == key;
}

/*
 * Who writes a key into a row asks afterwards whether it was requested meanwhile, as here it is the
 * other way around, so that one of the two sees the other. A window's key is written with the lock
 * of the notes.
 */
static int insert(struct xrdma_context *context, __u32 requested, __u32 key)
{
	int err;

	pthread_mutex_lock(&context->key_notes.lock);
	err = bpf_map_update_elem(context->requested.map, &requested, &key, BPF_NOEXIST);
	if (!err && is_of_row(context, requested)) {
		xrdma_requested_remove(context, requested);
		err = -EEXIST;
	}
	pthread_mutex_unlock(&context->key_notes.lock);
	return err;
}

static int add(struct xrdma_context *context, __u32 requested, __u32 key)
{
	int err = insert(context, requested, key);

	if (err == -EEXIST)
		return xrdma_fail(ENOKEY, "the requested key 0x%x is in use", requested);
	if (err)
		return xrdma_fail(-err, "cannot have the requested key 0x%x: %s", requested,
				  strerror(-err));
	return 0;
}

int xrdma_requested_add(struct xrdma_context *context, __u64 requested, __u32 key)
{
	int err;

	if (requested > UINT32_MAX)
		return xrdma_fail(EKEYREJECTED, "the requested key 0x%llx has more than 32 bits",
				  requested);
	err = provide_map(context);
	return err ?: add(context, requested, key);
}

void xrdma_requested_remove(struct xrdma_context *context, __u32 requested)
{
	bpf_map_delete_elem(context->requested.map, &requested);
}

bool xrdma_requested_has(const struct xrdma_context *context, __u32 key)
{
	__u32 meant;
	int map;

	__atomic_thread_fence(__ATOMIC_SEQ_CST); /* after the key was written */
	map = XRDMA_OBSERVE(context->requested.map);
	return map >= 0 && !bpf_map_lookup_elem(map, &key, &meant);
}
