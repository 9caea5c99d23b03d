// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Builder of requests (<xrdma/mkey.h>). Requests under construction are already in the send queue.
 * No other thread reads them before the builder unlocks the queue pair.
 */
#include <errno.h>
#include <xrdma/mkey.h>

#include "key/dek.h"
#include "key/mkey.h"
#include "lib/attr.h"
#include "lib/error.h"
#include "queue/qp.h"
#include "run/post.h"
#include "run/requester.h"

enum {
	ACCESS = XRDMA_ACCESS_LOCAL_WRITE | XRDMA_ACCESS_REMOTE_WRITE | XRDMA_ACCESS_REMOTE_READ |
		 XRDMA_ACCESS_REMOTE_ATOMIC,
};

void xrdma_wr_start(struct xrdma_qp *qp)
{
	int err = xrdma_context_enter(qp->pd->context);

	xrdma_mutex_lock(&qp->lock);
	qp->builder = (struct xrdma_builder){
		.mark = xrdma_sq_mark(&qp->sq),
		.entered = !err,
		.err = err,
	};
	if (!err)
		xrdma_requester_notice(qp);
}

/* Check that all setters of the last xrdma_wr_mkey_configure() were called. */
static int check_setters(const struct xrdma_builder *builder)
{
	return builder->setters ? xrdma_fail(EINVAL, "%u setters of the request are missing",
					     builder->setters)
				: 0;
}

void xrdma_wr_add(struct xrdma_qp *qp, const struct xrdma_send_wr *wr)
{
	struct xrdma_builder *builder = &qp->builder;

	if (!builder->err)
		builder->err = check_setters(builder);
	if (!builder->err)
		builder->err = xrdma_post_add(qp, wr, false);
}

static void end(struct xrdma_qp *qp)
{
	bool entered = qp->builder.entered;

	if (entered)
		xrdma_requester_progress(qp);
	xrdma_mutex_unlock(&qp->lock);
	if (entered)
		xrdma_transmit_flush(&qp->pd->context->transmit);
}

int xrdma_wr_complete(struct xrdma_qp *qp)
{
	int err = qp->builder.err;

	if (!err)
		err = check_setters(&qp->builder);
	if (err)
		xrdma_sq_return(&qp->sq, &qp->builder.mark);
	end(qp);
	return err;
}

void xrdma_wr_abort(struct xrdma_qp *qp)
{
	xrdma_sq_return(&qp->sq, &qp->builder.mark);
	end(qp);
}

static int check_configure(const struct xrdma_qp *qp, const struct xrdma_mkey *mkey,
			   const struct xrdma_mkey_conf_attr *attr)
{
	if (!(qp->init.send_ops & XRDMA_QP_WITH_MKEY_CONFIGURE))
		return xrdma_fail(EOPNOTSUPP, "the queue pair was created without "
					      "XRDMA_QP_WITH_MKEY_CONFIGURE in send_ops");
	if (mkey->pd != qp->pd)
		return xrdma_fail(EINVAL, "the mkey is of another protection domain");
	if (attr->conf_flags & ~XRDMA_MKEY_CONF_RESET_SIG_ATTR)
		return xrdma_fail(EINVAL, "conf_flags 0x%x: 0x%x is unknown", attr->conf_flags,
				  attr->conf_flags & ~XRDMA_MKEY_CONF_RESET_SIG_ATTR);
	if (attr->comp_mask)
		return xrdma_fail(EINVAL, "comp_mask 0x%llx: must be 0", attr->comp_mask);
	if (!(attr->send_flags & XRDMA_SEND_INLINE))
		return xrdma_fail(EINVAL, "send_flags must have XRDMA_SEND_INLINE");
	return 0;
}

static int configure(struct xrdma_qp *qp, struct xrdma_mkey *mkey, __u8 num_setters,
		     const struct xrdma_mkey_conf_attr *attr)
{
	struct xrdma_builder *builder = &qp->builder;
	struct xrdma_mkey_conf_attr all;
	struct xrdma_send_wr wr;
	int err = xrdma_attr_read(attr, &all, sizeof(all), "xrdma_mkey_conf_attr");

	if (!err)
		err = check_setters(builder);
	if (!err)
		err = check_configure(qp, mkey, &all);
	if (err)
		return err;
	wr = (struct xrdma_send_wr){
		.wr_id = all.wr_id,
		.opcode = XRDMA_WR_DRIVER1,
		.flags = all.send_flags,
		.rkey = mkey->key,
	};
	err = xrdma_post_add(qp, &wr, true);
	if (err)
		return err;
	builder->mkey = mkey;
	builder->conf = xrdma_sq_configure(&qp->sq);
	if (all.conf_flags & XRDMA_MKEY_CONF_RESET_SIG_ATTR)
		builder->conf->setters = XRDMA_SETTER_NO_SIG;
	builder->setters = num_setters;
	return 0;
}

void xrdma_wr_mkey_configure(struct xrdma_qp *qp, struct xrdma_mkey *mkey, __u8 num_setters,
			     const struct xrdma_mkey_conf_attr *attr)
{
	if (!qp->builder.err)
		qp->builder.err = configure(qp, mkey, num_setters, attr);
}

/* Returns whether SETTER may be called now, and counts it. */
static bool may_set(struct xrdma_builder *builder, __u32 setter)
{
	if (builder->err)
		return false;
	if (!builder->setters)
		builder->err = xrdma_fail(
			EINVAL,
			"more setters than num_setters of the request, or a setter without a "
			"request");
	else if (builder->conf->setters & setter)
		builder->err = xrdma_fail(EINVAL, "a setter was called twice");
	if (builder->err)
		return false;
	builder->setters--;
	builder->conf->setters |= setter;
	return true;
}

void xrdma_wr_set_mkey_access_flags(struct xrdma_qp *qp, __u32 access)
{
	struct xrdma_builder *builder = &qp->builder;

	if (!may_set(builder, XRDMA_SETTER_ACCESS))
		return;
	builder->conf->access = access;
	if (access & ~ACCESS)
		builder->err = xrdma_fail(EINVAL, "access 0x%x: 0x%x is not for mkeys", access,
					  access & ~ACCESS);
}

/*
 * Returns whether the request and the mkey have room for COUNT entries, and allow a layout of KIND.
 */
static bool may_lay_out(struct xrdma_qp *qp, __u8 kind, __u32 count)
{
	struct xrdma_builder *builder = &qp->builder;
	__u32 more = kind == XRDMA_MKEY_KIND_INTERLEAVED, most = qp->sq.layout_entries;

	if (!may_set(builder, XRDMA_SETTER_LAYOUT))
		return false;
	if (most > builder->mkey->max_entries)
		most = builder->mkey->max_entries;
	if (count + more > most) {
		builder->err = xrdma_fail(
			ENOMEM,
			"%u entries: at most %u, as the mkey's max_entries is %u, "
			"and the queue pair's max_inline %u",
			count, most - more, builder->mkey->max_entries, qp->init.max_inline);
		return false;
	}
	builder->conf->kind = kind;
	builder->conf->count = count;
	return true;
}

void xrdma_wr_set_mkey_layout_list(struct xrdma_qp *qp, __u16 num_sges, const struct xrdma_sge *sge)
{
	struct xrdma_builder *builder = &qp->builder;

	if (!may_lay_out(qp, XRDMA_MKEY_KIND_LIST, num_sges))
		return;
	for (__u32 i = 0; i < num_sges; i++)
		builder->conf->entries[i] = (struct xrdma_layout_entry){
			.addr = sge[i].addr,
			.length = sge[i].length,
			.lkey = sge[i].lkey,
		};
	builder->err = xrdma_mkey_lay_out(builder->mkey, 1, builder->conf);
}

void xrdma_wr_set_mkey_layout_interleaved(struct xrdma_qp *qp, __u32 repeat_count,
					  __u16 num_interleaved,
					  const struct xrdma_mr_interleaved *data)
{
	struct xrdma_builder *builder = &qp->builder;

	if (!may_lay_out(qp, XRDMA_MKEY_KIND_INTERLEAVED, num_interleaved))
		return;
	for (__u32 i = 0; i < num_interleaved; i++)
		builder->conf->entries[i] = (struct xrdma_layout_entry){
			.addr = data[i].addr,
			.length = data[i].bytes_count,
			.skip = data[i].bytes_skip,
			.lkey = data[i].lkey,
		};
	builder->err = xrdma_mkey_lay_out(builder->mkey, repeat_count, builder->conf);
}

/* Returns whether SETTER may be called now. The mkey must have been created with FLAG. */
static bool may_set_created(struct xrdma_builder *builder, __u32 setter, __u32 flag,
			    const char *name)
{
	if (!may_set(builder, setter))
		return false;
	if (!(builder->mkey->create_flags & flag))
		builder->err = xrdma_fail(EINVAL, "the mkey was created without %s", name);
	return !builder->err;
}

void xrdma_wr_set_mkey_sig_block(struct xrdma_qp *qp, const struct xrdma_sig_block_attr *attr)
{
	struct xrdma_builder *builder = &qp->builder;
	struct xrdma_sig_block_attr all;

	if (!may_set_created(builder, XRDMA_SETTER_SIG, XRDMA_MKEY_INIT_BLOCK_SIGNATURE,
			     "XRDMA_MKEY_INIT_BLOCK_SIGNATURE"))
		return;
	builder->err = xrdma_attr_read(attr, &all, sizeof(all), "xrdma_sig_block_attr");
	if (!builder->err)
		builder->err = xrdma_sig_read(&all, &builder->conf->transform->sig);
}

void xrdma_wr_set_mkey_crypto(struct xrdma_qp *qp, const struct xrdma_crypto_attr *attr)
{
	struct xrdma_builder *builder = &qp->builder;
	struct xrdma_crypto_attr all;

	if (!may_set_created(builder, XRDMA_SETTER_CRYPTO, XRDMA_MKEY_INIT_CRYPTO,
			     "XRDMA_MKEY_INIT_CRYPTO"))
		return;
	builder->err = xrdma_attr_read(attr, &all, sizeof(all), "xrdma_crypto_attr");
	if (!builder->err && (!all.dek || all.dek->pd != qp->pd))
		builder->err = xrdma_fail(EINVAL, "dek is NULL, or of another protection domain");
	if (!builder->err)
		builder->err =
			xrdma_crypto_read(&all, &all.dek->key, &builder->conf->transform->crypto);
}
