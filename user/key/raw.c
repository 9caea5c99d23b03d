// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "key/raw.h"

#include <endian.h>
#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/random.h>

#include "key/key.h"
#include "lib/error.h"
#include "lib/order.h"

/* Raw key as it is sent to peers. In a domain without XRDMA_MR_MODE_RAW it contains no secret. */
struct raw_key {
	__be32 key;
	__be64 secret;
} __attribute__((packed));

enum { PLAIN_SIZE = offsetof(struct raw_key, secret) };

/* A mapped key has this bit, 31 bits of the row's generation, and 32 bits of the row's number. */
#define MAPPED (1ULL << 63)

__u32 xrdma_raw_key_size(const struct xrdma_pd *pd)
{
	return pd->mr_mode & XRDMA_MR_MODE_RAW ? sizeof(struct raw_key) : PLAIN_SIZE;
}

/* Get a secret. Its low bits are 0, so that words of atomics stay aligned. */
int xrdma_raw_secret(__u64 *secret)
{
	if (getrandom(secret, sizeof(*secret), 0) < 0)
		return xrdma_fail(errno, "cannot get random numbers for a raw key: %s",
				  strerror(errno));
	*secret &= ~(sizeof(__u64) - 1);
	return 0;
}

size_t xrdma_raw_key_write(const struct xrdma_pd *pd, __u32 key, __u64 secret, __u8 *raw_key,
			   size_t room)
{
	const struct raw_key raw = { htobe32(key), htobe64(secret) };
	const size_t size = xrdma_raw_key_size(pd);

	if (room >= size)
		memcpy(raw_key, &raw, size);
	return size;
}

static int publish(const struct xrdma_pd *pd, const struct raw_key *raw, __u64 *key)
{
	struct xrdma_keys *keys = pd->context->keys;
	__u32 index = xrdma_rows_take(&keys->free_raw_keys);
	struct xrdma_raw_key_row *row;

	if (index == XRDMA_ROWS_NONE)
		return xrdma_fail(ENOMEM,
				  "all %u raw keys of the context are mapped: unmap some, or open "
				  "it with more raw_keys",
				  pd->context->limits.max_raw_key);
	row = &keys->raw_keys[index];
	row->secret = be64toh(raw->secret);
	row->rkey = be32toh(raw->key);
	row->pd = pd->number;
	row->generation++;
	*key = MAPPED | (__u64)(row->generation & INT32_MAX) << 32 | index;
	XRDMA_PUBLISH(row->key, *key);
	return 0;
}

int xrdma_mr_map_raw(struct xrdma_pd *pd, __u64 base_addr, const __u8 *raw_key, size_t key_size,
		     __u64 *key, __u64 flags)
{
	struct raw_key raw = { 0 };
	int err = xrdma_context_enter(pd->context);

	(void)base_addr; /* addresses count from the start of the peer's region, wherever that is */
	if (err)
		return err;
	if (flags)
		return xrdma_fail(XRDMA_EBADFLAGS, "flags 0x%llx are unknown", flags);
	if (key_size != PLAIN_SIZE && key_size != sizeof(raw))
		return xrdma_fail(EINVAL, "a raw key of %zu bytes: must be %d or %zu", key_size,
				  PLAIN_SIZE, sizeof(raw));
	memcpy(&raw, raw_key, key_size);
	err = publish(pd, &raw, key);
	if (!err)
		xrdma_count_in(&pd->users);
	return err;
}

/* Returns the row of the mapped key KEY of PD, or NULL. */
static struct xrdma_raw_key_row *find(const struct xrdma_pd *pd, __u64 key)
{
	__u32 index = key;
	struct xrdma_raw_key_row *row = pd->context->keys->raw_keys;

	if (key & MAPPED && index < pd->context->limits.max_raw_key &&
	    XRDMA_OBSERVE(row[index].key) == key && XRDMA_READ(row[index].pd) == pd->number)
		return &row[index];
	xrdma_fail(EINVAL, "key 0x%llx is not mapped in the protection domain", key);
	return NULL;
}

int xrdma_mr_unmap_key(struct xrdma_pd *pd, __u64 key)
{
	int err = xrdma_context_own(pd->context);
	struct xrdma_raw_key_row *row = err ? NULL : find(pd, key);
	__u64 mapped = key;

	if (!row)
		return err ?: -EINVAL;
	if (!__atomic_compare_exchange_n(&row->key, &mapped, 0, false, __ATOMIC_ACQ_REL,
					 __ATOMIC_RELAXED))
		return xrdma_fail(EINVAL, "key 0x%llx is unmapped by another thread", key);
	xrdma_rows_give(&pd->context->keys->free_raw_keys, (__u32)key);
	xrdma_count_out(&pd->users);
	return 0;
}

int xrdma_raw_key_find(const struct xrdma_pd *pd, __u64 key, __u32 *rkey, __u64 *secret)
{
	const struct xrdma_raw_key_row *row = find(pd, key);

	if (!row)
		return -EINVAL;
	*rkey = XRDMA_READ(row->rkey);
	*secret = XRDMA_READ(row->secret);
	return 0;
}
