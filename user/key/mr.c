// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "key/mr.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

#include "key/key.h"
#include "key/windows.h"
#include "key/raw.h"
#include "lib/error.h"
#include "lib/order.h"

enum {
	ACCESS = XRDMA_ACCESS_LOCAL_WRITE | XRDMA_ACCESS_REMOTE_WRITE | XRDMA_ACCESS_REMOTE_READ |
		 XRDMA_ACCESS_REMOTE_ATOMIC | XRDMA_ACCESS_MW_BIND | XRDMA_ACCESS_ZERO_BASED |
		 XRDMA_ACCESS_REMOTE_INVALIDATE,
};

/*
 * Rights of peers. A region without any of them is only for the process: it does not occupy its
 * user key.
 */
enum {
	BY_PEERS =
		XRDMA_ACCESS_REMOTE_READ | XRDMA_ACCESS_REMOTE_WRITE | XRDMA_ACCESS_REMOTE_ATOMIC,
};

/* Check ACCESS: rights of peers to change memory need LOCAL_WRITE (ibv_reg_mr(3)). */
static int check_access(unsigned int access)
{
	if (access & ~ACCESS)
		return xrdma_fail(EINVAL, "access 0x%x: 0x%x is unknown", access, access & ~ACCESS);
	if (access & (XRDMA_ACCESS_REMOTE_WRITE | XRDMA_ACCESS_REMOTE_ATOMIC) &&
	    !(access & XRDMA_ACCESS_LOCAL_WRITE))
		return xrdma_fail(EINVAL, "remote write and remote atomic access need local write "
					  "access too");
	return 0;
}

/* Add the user key of MR, by which peers name the region. */
static int start_user_keys(struct xrdma_mr *mr, const struct xrdma_region_conf *region)
{
	struct xrdma_keys *keys = mr->pd->context->keys;
	int err = xrdma_key_request(keys, mr->pd->number, mr->key);

	if (err)
		return err;
	err = xrdma_region_start(&mr->region, region);
	if (!err) {
		err = xrdma_user_keys_set(&keys->user_keys, mr->pd->number, mr->key,
					  mr->region.row->key);
		if (err)
			xrdma_region_end(&mr->region);
	}
	if (err) {
		xrdma_user_keys_remove(&keys->user_keys, mr->pd->number, mr->key);
		return err;
	}
	XRDMA_WRITE(mr->region.row->user_key, (__u32)mr->key);
	XRDMA_WRITE(mr->region.row->has_user_key, 1);
	return 0;
}

static int create(struct xrdma_mr *mr, const struct xrdma_mr_conf *conf)
{
	struct xrdma_region_conf region = {
		.iov = conf->iov,
		.count = conf->count,
		.pd = mr->pd->number,
		.rights = conf->rights,
		.base = conf->base,
		.by_addr = conf->by_addr,
		.backing = conf->backing,
		.disabled = conf->disabled,
	};
	int err = conf->is_raw ? xrdma_raw_secret(&mr->secret) : 0;

	if (err)
		return err;
	region.secret = mr->secret + conf->auth;
	if (mr->has_user_key)
		return start_user_keys(mr, &region);
	err = xrdma_region_start(&mr->region, &region);
	if (!err && !conf->has_user_key)
		mr->key = mr->region.row->key;
	return err;
}

int xrdma_mr_create(struct xrdma_pd *pd, const struct xrdma_mr_conf *conf, struct xrdma_mr **mr)
{
	int err = xrdma_context_enter(pd->context);
	struct xrdma_mr *made;

	if (err)
		return err;
	made = malloc(sizeof(*made));
	if (!made)
		return xrdma_fail(ENOMEM, "no memory for a region");
	*made = (struct xrdma_mr){
		.pd = pd,
		.region.context = pd->context,
		.key = conf->key,
		.base = conf->base,
		.has_user_key = conf->has_user_key && conf->rights & BY_PEERS,
		.is_raw = conf->is_raw,
		.has_events = conf->has_events,
		.refreshing = XRDMA_MUTEX(XRDMA_RANK_REFRESHING),
		.phase = conf->disabled ? XRDMA_MR_PHASE_DISABLED : XRDMA_MR_PHASE_USABLE,
	};
	err = create(made, conf);
	if (err) {
		free(made);
		return err;
	}
	xrdma_count_in(&pd->users);
	*mr = made;
	return 0;
}

int xrdma_mr_reg(struct xrdma_pd *pd, void *addr, size_t len, unsigned int access,
		 struct xrdma_mr **mr)
{
	const struct iovec buffer = { addr, len };
	const struct xrdma_mr_conf conf = {
		.iov = &buffer,
		.count = 1,
		.rights = xrdma_key_rights(access),
		.base = access & XRDMA_ACCESS_ZERO_BASED ? 0 : (uintptr_t)addr,
	};

	return check_access(access) ?: xrdma_mr_create(pd, &conf, mr);
}

__u64 xrdma_mr_key(const struct xrdma_mr *mr)
{
	return mr->is_raw ? XRDMA_KEY_NOTAVAIL : mr->key;
}

__u32 xrdma_mr_lkey(const struct xrdma_mr *mr)
{
	return xrdma_region_own(&mr->region)->key;
}

void *xrdma_mr_desc(const struct xrdma_mr *mr)
{
	return (void *)(uintptr_t)xrdma_mr_lkey(mr);
}

int xrdma_mr_raw_attr(const struct xrdma_mr *mr, __u64 *base_addr, __u8 *raw_key, size_t *key_size,
		      __u64 flags)
{
	const size_t room = *key_size;

	if (flags)
		return xrdma_fail(XRDMA_EBADFLAGS, "flags 0x%llx are unknown", flags);
	*key_size = xrdma_raw_key_write(mr->pd, mr->key, mr->secret, raw_key, room);
	if (room < *key_size)
		return xrdma_fail(XRDMA_ETOOSMALL, "the key has %zu bytes, the buffer %zu",
				  *key_size, room);
	*base_addr = mr->base;
	return 0;
}

static int check_bound(struct xrdma_mr *mr)
{
	struct xrdma_mutex *lock = &mr->pd->context->keys->lock;
	int err = 0;

	xrdma_mutex_lock(lock);
	if (mr->qpn)
		err = xrdma_fail(EBUSY,
				 "the region is bound to queue pair 0x%x: destroy that first",
				 mr->qpn);
	else if (mr->cntr)
		err = xrdma_fail(EBUSY, "the region is bound to a counter: close that first");
	xrdma_mutex_unlock(lock);
	return err;
}

int xrdma_mr_close(struct xrdma_mr *mr)
{
	struct xrdma_context *context = mr->pd->context;
	int err = xrdma_context_own(context) ?: check_bound(mr);

	if (!err)
		err = xrdma_mws_leave_region(context->keys, mr->region.row);
	if (err)
		return err;
	if (mr->has_user_key)
		xrdma_user_keys_remove(&context->keys->user_keys, mr->pd->number, mr->key);
	xrdma_region_end(&mr->region);
	xrdma_count_out(&mr->pd->users);
	free(mr);
	return 0;
}
