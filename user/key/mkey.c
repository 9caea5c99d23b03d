// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "key/mkey.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "key/key.h"
#include "key/layouts.h"
#include "key/memory.h"
#include "lib/attr.h"
#include "lib/error.h"
#include "lib/order.h"

enum {
	CREATE_FLAGS = XRDMA_MKEY_INIT_INDIRECT | XRDMA_MKEY_INIT_REMOTE_INVALIDATE |
		       XRDMA_MKEY_TRANSFORMS,
};

static int check_init(const struct xrdma_mkey_init_attr *init)
{
	if (init->create_flags & ~CREATE_FLAGS)
		return xrdma_fail(EINVAL, "create_flags 0x%x: 0x%x is unknown", init->create_flags,
				  init->create_flags & ~CREATE_FLAGS);
	if (!(init->create_flags & XRDMA_MKEY_INIT_INDIRECT))
		return xrdma_fail(
			EINVAL,
			"create_flags must have XRDMA_MKEY_INIT_INDIRECT: for a direct key, call "
			"xrdma_mr_reg()");
	if (!init->max_entries || init->max_entries > XRDMA_LAYOUT_ENTRIES_MAX)
		return xrdma_fail(EINVAL, "max_entries %u: 1 to %u", init->max_entries,
				  XRDMA_LAYOUT_ENTRIES_MAX);
	return 0;
}

/* Returns the rights for the row of MKEY if it allows ACCESS. */
static __u16 rights_of(const struct xrdma_mkey *mkey, __u32 access)
{
	return xrdma_key_rights(access) | (mkey->create_flags & XRDMA_MKEY_INIT_REMOTE_INVALIDATE
						   ? XRDMA_ACCESS_REMOTE_INVALIDATE
						   : 0);
}

/* Set the information on the key in ROW, so that xrdma_mkey_find() finds MKEY. */
static void set_info(struct xrdma_keys *keys, const struct xrdma_mkey_row *row,
		     struct xrdma_mkey *mkey)
{
	xrdma_mutex_lock(&keys->lock);
	xrdma_key_info(keys, row)->mkey = mkey;
	xrdma_mutex_unlock(&keys->lock);
}

static int publish(struct xrdma_keys *keys, struct xrdma_mkey *mkey)
{
	struct xrdma_mkey_row row = {
		.kind = XRDMA_MKEY_KIND_LIST,
		.state = XRDMA_MKEY_STATE_FREE,
		.rights = rights_of(mkey, 0),
		.pd = mkey->pd->number,
		.layout_first = mkey->first,
	};
	int err = xrdma_key_publish(keys, &row, &mkey->row);

	if (err)
		return err;
	mkey->key = row.key;
	set_info(keys, mkey->row, mkey);
	return 0;
}

int xrdma_mkey_create(struct xrdma_pd *pd, const struct xrdma_mkey_init_attr *attr,
		      struct xrdma_mkey **mkey)
{
	struct xrdma_mkey_init_attr init;
	int err = xrdma_attr_read(attr, &init, sizeof(init), "xrdma_mkey_init_attr");

	if (!err)
		err = check_init(&init);
	if (!err)
		err = xrdma_context_enter(pd->context);
	if (err)
		return err;
	*mkey = calloc(1, sizeof(**mkey));
	if (!*mkey)
		return xrdma_fail(ENOMEM, "no memory for an mkey");
	(*mkey)->pd = pd;
	(*mkey)->create_flags = init.create_flags;
	(*mkey)->max_entries = init.max_entries;
	err = xrdma_layouts_take(pd->context->keys, init.max_entries, &(*mkey)->first);
	if (err)
		goto err_layouts;
	(*mkey)->entries = xrdma_layout_entries(pd->context->keys, (*mkey)->first);
	err = publish(pd->context->keys, *mkey);
	if (err)
		goto err_publish;
	xrdma_count_in(&pd->users);
	if (init.create_flags & XRDMA_MKEY_TRANSFORMS)
		XRDMA_WRITE(pd->context->keys->transforms, true);
	return 0;
err_publish:
	xrdma_layouts_give(pd->context->keys, (*mkey)->first);
err_layouts:
	free(*mkey);
	return err;
}

__u32 xrdma_mkey_key(const struct xrdma_mkey *mkey)
{
	return mkey->key;
}

int xrdma_mkey_check(struct xrdma_mkey *mkey, struct xrdma_mkey_err *err_info)
{
	struct xrdma_context *context = mkey->pd->context;
	int err = xrdma_context_own(context);

	if (err)
		return err;
	if (!(mkey->create_flags & XRDMA_MKEY_INIT_BLOCK_SIGNATURE))
		return xrdma_fail(EINVAL, "the mkey was created without "
					  "XRDMA_MKEY_INIT_BLOCK_SIGNATURE");
	xrdma_mutex_lock(&context->keys->lock);
	*err_info = mkey->err;
	mkey->err = (struct xrdma_mkey_err){ 0 };
	xrdma_mutex_unlock(&context->keys->lock);
	return 0;
}

int xrdma_mkey_destroy(struct xrdma_mkey *mkey)
{
	struct xrdma_context *context = mkey->pd->context;
	int err = xrdma_context_own(context);

	if (err)
		return err;
	set_info(context->keys, mkey->row, NULL);
	xrdma_key_revoke(context->keys, mkey->row);
	xrdma_layouts_give(context->keys, mkey->first);
	xrdma_count_out(&mkey->pd->users);
	explicit_bzero(&mkey->transform, sizeof(mkey->transform));
	free(mkey);
	return 0;
}

/* Returns whether KEY is that of an mkey. No mkey may contain another one. */
static bool is_of_mkey(const struct xrdma_keys *keys, __u32 key)
{
	const struct xrdma_mkey_row *row = xrdma_key_row(keys, key);

	return XRDMA_READ(row->key) == key && xrdma_mkey_is_indirect(XRDMA_READ(row->kind));
}

static int check_entry(const struct xrdma_keys *keys, __u32 number, __u32 repeat,
		       const struct xrdma_layout_entry *entry)
{
	__u64 last = (repeat - 1) * ((__u64)entry->length + entry->skip) + entry->length, end;

	if (!entry->length)
		return xrdma_fail(EINVAL, "entry %u has no bytes", number);
	if (__builtin_add_overflow(entry->addr, last - 1, &end))
		return xrdma_fail(EINVAL,
				  "entry %u, from 0x%llx on: the last of its %llu bytes "
				  "would be beyond 64 bits",
				  number, entry->addr, last);
	if (is_of_mkey(keys, entry->lkey))
		return xrdma_fail(EINVAL,
				  "entry %u: key 0x%08x is an mkey's, and mkeys are made of "
				  "regions",
				  number, entry->lkey);
	return 0;
}

int xrdma_mkey_lay_out(const struct xrdma_mkey *mkey, __u32 repeat, struct xrdma_mkey_conf *conf)
{
	struct xrdma_layout_entry *entries = conf->entries;
	const __u64 max = 1ULL << 63;
	int err;

	if (!conf->count || !repeat)
		return xrdma_fail(
			EINVAL,
			"a layout needs at least one entry, and a repeat count of at least 1");
	conf->round = 0;
	for (__u32 i = 0; i < conf->count; i++) {
		err = check_entry(mkey->pd->context->keys, i, repeat, &entries[i]);
		if (err)
			return err;
		entries[i].at = conf->round;
		conf->round += entries[i].length;
	}
	if (repeat > 1 && conf->round < conf->count * XRDMA_LAYOUT_AVERAGE_MIN)
		return xrdma_fail(
			EINVAL,
			"%llu bytes in %u entries, repeated: the entries must have at least %d "
			"bytes on average",
			conf->round, conf->count, XRDMA_LAYOUT_AVERAGE_MIN);
	if (conf->round > (max - 1) / repeat)
		return xrdma_fail(EINVAL, "%u times %llu bytes: must be less than 2^63 in all",
				  repeat, conf->round);
	conf->length = conf->round * repeat;
	return 0;
}

struct xrdma_mkey *xrdma_mkey_find(const struct xrdma_keys *keys, __u32 key)
{
	struct xrdma_mkey *mkey = xrdma_key_info(keys, xrdma_key_row(keys, key))->mkey;

	return mkey && mkey->key == key ? mkey : NULL;
}

/* Returns the transform of MKEY before any setter has run. */
static struct xrdma_transform no_transform(const struct xrdma_mkey *mkey)
{
	bool missing = mkey->create_flags & XRDMA_MKEY_INIT_CRYPTO;

	return (struct xrdma_transform){
		.crypto.kind = missing ? XRDMA_CRYPTO_MISSING : XRDMA_CRYPTO_NONE,
	};
}

/* Write MKEY's row. Nothing uses the row during this call. */
static void write_row(struct xrdma_mkey *mkey, bool was_configured,
		      const struct xrdma_mkey_conf *conf)
{
	struct xrdma_mkey_row *row = mkey->row;

	if (!was_configured) {
		row->rights = rights_of(mkey, 0);
		row->round = row->layout_count = 0;
		mkey->length = 0;
		mkey->transform = no_transform(mkey);
	}
	if (conf->setters & XRDMA_SETTER_NO_SIG)
		mkey->transform.sig = (struct xrdma_sig){ 0 };
	if (conf->setters & XRDMA_SETTER_SIG)
		mkey->transform.sig = conf->transform->sig;
	if (conf->setters & XRDMA_SETTER_CRYPTO) {
		mkey->transform.crypto = conf->transform->crypto;
		explicit_bzero(&conf->transform->crypto, sizeof(conf->transform->crypto));
	}
	if (conf->setters & XRDMA_SETTER_ACCESS)
		row->rights = rights_of(mkey, conf->access);
	if (conf->setters & XRDMA_SETTER_LAYOUT) {
		memcpy(mkey->entries, conf->entries, conf->count * sizeof(*conf->entries));
		row->kind = conf->kind;
		row->layout_count = conf->count;
		row->round = conf->round;
		mkey->length = conf->length;
	}
	row->transform = xrdma_transform_is_set(&mkey->transform);
	row->len = xrdma_transform_wire(&mkey->transform, mkey->length);
	mkey->version++;
}

enum xrdma_verdict xrdma_mkey_execute(const struct xrdma_pd *pd, __u32 key,
				      const struct xrdma_mkey_conf *conf)
{
	struct xrdma_keys *keys = pd->context->keys;
	struct xrdma_mkey *mkey;
	bool was_configured;

	xrdma_mutex_lock(&keys->lock);
	mkey = xrdma_mkey_find(keys, key);
	if (mkey) {
		was_configured = XRDMA_OBSERVE(mkey->row->state) == XRDMA_MKEY_STATE_VALID;
		xrdma_key_end(keys, mkey->row, XRDMA_MKEY_STATE_INVALID);
		write_row(mkey, was_configured, conf);
		XRDMA_PUBLISH(mkey->row->state, XRDMA_MKEY_STATE_VALID);
	}
	xrdma_mutex_unlock(&keys->lock);
	return mkey ? XRDMA_V_OK : XRDMA_V_KEY;
}
