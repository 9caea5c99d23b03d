// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "obj/mr.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

#include "lib/error.h"
#include "obj/key.h"
#include "obj/layouts.h"
#include "obj/mw.h"
#include "obj/raw.h"
#include "obj/requested.h"

enum {
	ACCESS = XRDMA_ACCESS_LOCAL_WRITE | XRDMA_ACCESS_REMOTE_WRITE | XRDMA_ACCESS_REMOTE_READ |
		 XRDMA_ACCESS_REMOTE_ATOMIC | XRDMA_ACCESS_MW_BIND | XRDMA_ACCESS_ZERO_BASED |
		 XRDMA_ACCESS_REMOTE_INVALIDATE,
};

/* What a peer may change, the process may (ibv_reg_mr(3)). */
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

static void give_buffers(struct xrdma_mr *mr)
{
	while (mr->count)
		xrdma_buffer_give(&mr->pd->context->heap, &mr->parts[--mr->count].buffer);
}

/* The buffers of a list have less than 4 GiB each. MR has COUNT then; on error it has none. */
static int take_buffers(struct xrdma_mr *mr, const struct iovec *iov, size_t count)
{
	int err = 0;

	for (; mr->count < count && !err; mr->count += !err) {
		const struct iovec *buffer = &iov[mr->count];

		err = count > 1 && buffer->iov_len > UINT32_MAX
			      ? xrdma_fail(EINVAL,
					   "buffer %u has %zu bytes: 4 GiB or more go alone",
					   mr->count, buffer->iov_len)
			      : xrdma_buffer_take(&mr->pd->context->heap,
						  (uintptr_t)buffer->iov_base, buffer->iov_len,
						  &mr->parts[mr->count].buffer);
	}
	if (err)
		give_buffers(mr);
	return err;
}

/* A row for the process alone, which names what it has of PART by its address. */
static int publish_part(struct xrdma_mr *mr, struct xrdma_mr_part *part, __u32 rights)
{
	struct xrdma_mkey_row row = {
		.kind = XRDMA_MKEY_MR,
		.state = XRDMA_MKEY_VALID,
		.rights = rights & XRDMA_ACCESS_LOCAL,
		.pd = mr->pd->number,
		.base = part->buffer.addr,
		.len = part->buffer.len,
		.offset = part->buffer.pages.offset,
	};

	return xrdma_key_publish(mr->pd->context, &row, &part->row);
}

static void revoke_parts(struct xrdma_mr *mr)
{
	for (__u32 i = 0; i < mr->count; i++)
		if (mr->parts[i].row)
			xrdma_key_revoke(mr->pd->context, mr->parts[i].row);
}

static int publish_parts(struct xrdma_mr *mr, __u32 rights)
{
	int err = 0;

	for (__u32 i = 0; i < mr->count && !err; i++)
		err = publish_part(mr, &mr->parts[i], rights);
	if (err)
		revoke_parts(mr);
	return err;
}

/* ROW becomes a list of the parts, one after the other. */
static int list_parts(struct xrdma_mr *mr, struct xrdma_mkey_row *row)
{
	struct xrdma_layout_entry *entries;
	int err = xrdma_layouts_take(mr->pd->context, mr->count, &mr->layout_first);

	if (err)
		return err;
	entries = xrdma_layout_entries(mr->pd->context, mr->layout_first);
	for (__u32 i = 0; i < mr->count; i++) {
		const struct xrdma_buffer *buffer = &mr->parts[i].buffer;

		entries[i] = (struct xrdma_layout_entry){
			.addr = buffer->addr,
			.at = row->len,
			.length = buffer->len,
			.lkey = mr->parts[i].row->key,
		};
		row->len += buffer->len;
	}
	row->kind = XRDMA_MKEY_LIST;
	row->round = row->len;
	row->layout_first = mr->layout_first;
	row->layout_count = mr->count;
	return 0;
}

static void give_list(struct xrdma_mr *mr)
{
	if (mr->count > 1)
		xrdma_layouts_give(mr->pd->context, mr->layout_first);
}

/* The process's list is that of peers without the secret. */
static int publish_list(struct xrdma_mr *mr, struct xrdma_mkey_row *row)
{
	struct xrdma_mkey_row own;
	int err = list_parts(mr, row);

	if (err)
		return err;
	own = *row;
	own.rights &= XRDMA_ACCESS_LOCAL;
	own.base -= own.secret;
	own.secret = 0;
	if (mr->is_raw)
		err = xrdma_key_publish(mr->pd->context, &own, &mr->own);
	if (!err)
		err = xrdma_key_publish(mr->pd->context, row, &mr->row);
	if (err && mr->own)
		xrdma_key_revoke(mr->pd->context, mr->own);
	if (err)
		give_list(mr);
	return err;
}

/* Of the region as a whole. Its parts have rows, if they are to. */
static int publish_whole(struct xrdma_mr *mr, struct xrdma_mkey_row *row)
{
	if (mr->count > 1)
		return publish_list(mr, row);
	row->kind = XRDMA_MKEY_MR;
	row->len = mr->parts[0].buffer.len;
	row->offset = mr->parts[0].buffer.pages.offset;
	return xrdma_key_publish(mr->pd->context, row, &mr->row);
}

static void revoke_whole(struct xrdma_mr *mr)
{
	xrdma_key_revoke(mr->pd->context, mr->row);
	if (mr->own)
		xrdma_key_revoke(mr->pd->context, mr->own);
	give_list(mr);
}

/* Peers get the key of the row, or the requested one. */
static int name(struct xrdma_mr *mr, const struct xrdma_mr_conf *conf)
{
	mr->key = conf->is_requested ? conf->key : mr->row->key;
	mr->is_requested = conf->is_requested;
	return mr->is_requested ? xrdma_key_request(mr->pd->context, mr->key, mr->row->key) : 0;
}

static int publish(struct xrdma_mr *mr, const struct xrdma_mr_conf *conf)
{
	struct xrdma_mkey_row row = {
		.state = XRDMA_MKEY_VALID,
		.rights = conf->rights,
		.pd = mr->pd->number,
	};
	int err = conf->is_raw ? xrdma_raw_secret(&row.secret) : 0;
	bool apart;

	if (err)
		return err;
	row.base = conf->base + row.secret;
	apart = mr->count > 1 || (conf->by_addr && row.base != mr->parts[0].buffer.addr);
	err = apart ? publish_parts(mr, conf->rights) : 0;
	if (err)
		return err;
	err = publish_whole(mr, &row);
	if (!err) {
		err = name(mr, conf);
		if (err)
			revoke_whole(mr);
	}
	if (err)
		revoke_parts(mr);
	return err;
}

int xrdma_mr_create(struct xrdma_pd *pd, const struct xrdma_mr_conf *conf, struct xrdma_mr **mr)
{
	int err = xrdma_context_enter(pd->context);
	struct xrdma_mr *made;

	if (err)
		return err;
	made = calloc(1, sizeof(*made) + conf->count * sizeof(*made->parts));
	if (!made)
		return xrdma_fail(ENOMEM, "no memory for a region");
	made->pd = pd;
	made->is_raw = conf->is_raw;
	err = take_buffers(made, conf->iov, conf->count);
	if (!err)
		err = publish(made, conf);
	if (err) {
		give_buffers(made);
		free(made);
		return err;
	}
	xrdma_count_in(&pd->users);
	*mr = made;
	return 0;
}

int xrdma_reg_mr(struct xrdma_pd *pd, void *addr, size_t len, unsigned int access,
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
	const struct xrdma_mkey_row *own = mr->count == 1 ? mr->parts[0].row : mr->own;

	return (own ?: mr->row)->key;
}

void *xrdma_mr_desc(const struct xrdma_mr *mr)
{
	return (void *)(uintptr_t)xrdma_mr_lkey(mr);
}

int xrdma_mr_close(struct xrdma_mr *mr)
{
	struct xrdma_context *context = mr->pd->context;
	int err = xrdma_context_own(context);

	if (!err)
		err = xrdma_mws_leave_region(context, mr->row);
	if (err)
		return err;
	if (mr->is_requested)
		xrdma_requested_remove(context, mr->key);
	revoke_whole(mr);
	revoke_parts(mr);
	give_buffers(mr);
	xrdma_count_out(&mr->pd->users);
	free(mr);
	return 0;
}
