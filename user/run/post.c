// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Post requests to the send queue of a queue pair. */
#include <errno.h>

#include "key/mw.h"
#include "key/raw.h"
#include "lib/error.h"
#include "lib/order.h"
#include "lib/scatter.h"
#include "queue/ah.h"
#include "queue/qp.h"
#include "queue/bounce.h"
#include "queue/stop.h"
#include "run/post.h"
#include "run/request.h"
#include "run/requester.h"

enum {
	SEND_FLAGS =
		XRDMA_SEND_FENCE | XRDMA_SEND_SIGNALED | XRDMA_SEND_SOLICITED | XRDMA_SEND_INLINE,
};

/* The sizes are part of the ABI. */
_Static_assert(sizeof(struct xrdma_send_wr) == 128 && sizeof(struct xrdma_recv_wr) == 32,
	       "work requests have room to grow in");

static int check_length(const struct xrdma_qp *qp, const struct xrdma_send_wr *wr, __u32 *length)
{
	__u64 sum;

	if (xrdma_wr_info(wr->opcode)->flags & XRDMA_WRF_LOCAL && wr->num_sge)
		return xrdma_fail(EINVAL, "num_sge is %u: opcode %u carries no data", wr->num_sge,
				  wr->opcode);
	if (wr->num_sge > qp->init.max_send_sge)
		return xrdma_fail(EINVAL, "num_sge is %u: the queue pair was created for %u",
				  wr->num_sge, qp->init.max_send_sge);
	sum = xrdma_sges_length(wr->sg_list, wr->num_sge);
	if (sum > XRDMA_MESSAGE_MAX)
		return xrdma_fail(EINVAL, "a message of %llu bytes: at most %u", sum,
				  XRDMA_MESSAGE_MAX);
	if (wr->flags & XRDMA_SEND_INLINE && sum > qp->init.max_inline)
		return xrdma_fail(EINVAL, "%llu bytes inline: the queue pair was created for %u",
				  sum, qp->init.max_inline);
	if (xrdma_wr_info(wr->opcode)->flags & XRDMA_WRF_ATOMIC && sum != sizeof(__u64))
		return xrdma_fail(
			EINVAL, "%llu bytes of memory for the result of an atomic: must be 8", sum);
	*length = sum;
	return 0;
}

/*
 * Check that the kind of request allows the values of the other members (IBA 10.8.3.3, 11.4.1.1).
 */
static int check_kind(const struct xrdma_qp *qp, const struct xrdma_send_wr *wr, bool by_call)
{
	const struct xrdma_wr_info *info = xrdma_wr_info(wr->opcode);

	if (!(info->services & 1 << qp->init.transport))
		return xrdma_fail(EOPNOTSUPP, "opcode %u is not supported", wr->opcode);
	if (wr->flags & ~SEND_FLAGS)
		return xrdma_fail(EINVAL, "flags 0x%x: 0x%x is unknown", wr->flags,
				  wr->flags & ~SEND_FLAGS);
	if (info->flags & XRDMA_WRF_FETCHES && !qp->attr.max_rd_atomic)
		return xrdma_fail(
			EINVAL,
			"the queue pair's max_rd_atomic is 0: it makes no READs and no atomics");
	if (wr->flags & XRDMA_SEND_INLINE && !(info->flags & XRDMA_WRF_INLINE))
		return xrdma_fail(EINVAL, "only SENDs and WRITEs can be inline");
	if (wr->opcode == XRDMA_WR_DRIVER1 && !by_call)
		return xrdma_fail(EOPNOTSUPP, "opcode %u is made by xrdma_wr_mkey_configure()",
				  wr->opcode);
	return wr->opcode == XRDMA_WR_BIND_MW ? xrdma_mw_check(wr, by_call) : 0;
}

/* Check the destination of a datagram of LENGTH bytes. */
static int check_datagram(const struct xrdma_qp *qp, const struct xrdma_send_wr *wr, __u32 length)
{
	const __u32 mtu = wr->ah ? wr->ah->path.mtu : 0;

	if (!wr->ah || wr->ah->pd != qp->pd)
		return xrdma_fail(EINVAL, "a datagram needs an address handle of the queue pair's "
					  "protection domain");
	if (wr->remote_qpn > XRDMA_QPN_MASK)
		return xrdma_fail(EINVAL, "remote_qpn is 0x%x: a QPN has 24 bits", wr->remote_qpn);
	if (length > mtu || length > qp->path.mtu)
		return xrdma_fail(EINVAL, "a datagram of %u bytes: the path MTU allows %u", length,
				  mtu < qp->path.mtu ? mtu : qp->path.mtu);
	return 0;
}

static int check(const struct xrdma_qp *qp, const struct xrdma_send_wr *wr, bool by_call,
		 __u32 *length)
{
	int err;

	if (!xrdma_qp_requests(qp) && !qp->sq.stopped)
		return xrdma_fail(EINVAL,
				  "the queue pair is not in RTS: xrdma_qp_modify() takes it there");
	if (xrdma_ring_is_full(&qp->sq.ring))
		return xrdma_fail(ENOMEM,
				  "the send queue has no room for more than %u requests: "
				  "poll its completion queue first",
				  qp->sq.ring.size);
	err = check_kind(qp, wr, by_call);
	if (!err)
		err = check_length(qp, wr, length);
	return err || qp->is_connected ? err : check_datagram(qp, wr, *length);
}

/*
 * Prepare the bounce of request WR, if it needs one. Memory without a key is sent directly, and
 * results of atomics are not transformed. A request that will be flushed needs no bounce.
 */
static int prepare_request(struct xrdma_qp *qp, const struct xrdma_send_wr *wr,
			   struct xrdma_bounce **bounce)
{
	const struct xrdma_wr_info *info = xrdma_wr_info(wr->opcode);
	const bool may = xrdma_pd_uses_keys(qp->pd) ? !(info->flags & XRDMA_WRF_ATOMIC)
						    : info->flags & XRDMA_WRF_FETCHES;

	*bounce = NULL;
	if (!may || wr->flags & XRDMA_SEND_INLINE || qp->sq.stopped)
		return 0;
	return xrdma_post_prepare(qp->pd, qp->qpn, info->right, wr->sg_list, wr->num_sge, bounce);
}

/* Replace a mapped raw key in WR by the key to send, and add secrets to the address. */
static int name_target(const struct xrdma_qp *qp, struct xrdma_send_wr *wr)
{
	const __u16 rdma = XRDMA_ACCESS_READ | XRDMA_ACCESS_WRITE;
	__u64 secret;
	__u32 rkey;
	int err;

	if (!(xrdma_wr_info(wr->opcode)->right & rdma))
		return 0;
	wr->remote_addr += qp->auth;
	if (!xrdma_raw_key_is_mapped(wr->rkey))
		return 0;
	err = xrdma_raw_key_find(qp->pd, wr->rkey, &rkey, &secret);
	if (err)
		return err;
	wr->rkey = rkey;
	wr->remote_addr += secret;
	return 0;
}

/* Returns the destination of WR. The upper bit of its Q_Key selects that of QP (IBA 10.2.5). */
static struct xrdma_datagram_to destination(const struct xrdma_qp *qp,
					    const struct xrdma_send_wr *wr)
{
	return (struct xrdma_datagram_to){
		.path = wr->ah->path,
		.qpn = wr->remote_qpn,
		.qkey = wr->remote_qkey & XRDMA_QKEY_PRIVILEGED ? qp->attr.qkey : wr->remote_qkey,
	};
}

static void add(struct xrdma_qp *qp, struct xrdma_send_wr *wr, __u32 length,
		struct xrdma_bounce *bounce)
{
	if (qp->init.sq_sig_all)
		wr->flags |= XRDMA_SEND_SIGNALED;
	if (bounce) {
		wr->sg_list = &bounce->sge;
		wr->num_sge = 1;
	}
	xrdma_sq_add(&qp->sq, wr, length, xrdma_wr_packets(wr->opcode, length, qp->path.mtu));
	xrdma_sq_set_bounce(&qp->sq, bounce);
	if (!qp->is_connected) {
		const struct xrdma_datagram_to to = destination(qp, wr);

		xrdma_sq_set_to(&qp->sq, &to);
	}
}

int xrdma_post_prepare(struct xrdma_pd *pd, __u32 qpn, __u32 right, const struct xrdma_sge *sges,
		       __u32 num_sge, struct xrdma_bounce **bounce)
{
	*bounce = NULL;
	if (!xrdma_pd_uses_keys(pd))
		return xrdma_bounce_prepare_unregistered(pd, qpn, sges, num_sge, bounce);
	if (!XRDMA_READ(pd->context->keys->transforms))
		return 0;
	return xrdma_bounce_prepare(pd, qpn, right, sges, num_sge, bounce);
}

int xrdma_post_add(struct xrdma_qp *qp, const struct xrdma_send_wr *wr, bool by_call)
{
	struct xrdma_send_wr all = *wr;
	struct xrdma_bounce *bounce;
	__u32 length = 0;
	int err = check(qp, wr, by_call, &length);

	if (!err)
		err = name_target(qp, &all);
	if (!err)
		err = prepare_request(qp, wr, &bounce);
	if (!err)
		add(qp, &all, length, bounce);
	return err;
}

static int post(struct xrdma_qp *qp, const struct xrdma_send_wr *wr, bool by_call,
		const struct xrdma_send_wr **bad)
{
	struct xrdma_context *context = qp->pd->context;
	int err = xrdma_context_enter(context);

	if (err) {
		*bad = wr;
		return err;
	}
	xrdma_mutex_lock(&qp->lock);
	xrdma_requester_notice(qp);
	for (; wr; wr = wr->next) {
		err = xrdma_post_add(qp, wr, by_call);
		if (err)
			break;
	}
	xrdma_requester_progress(qp);
	xrdma_mutex_unlock(&qp->lock);
	xrdma_transmit_flush(&context->transmit);
	if (err)
		*bad = wr;
	return err;
}

int xrdma_qp_post_send(struct xrdma_qp *qp, const struct xrdma_send_wr *wr,
		       const struct xrdma_send_wr **bad)
{
	return post(qp, wr, false, bad);
}

int xrdma_mw_bind(struct xrdma_qp *qp, struct xrdma_mw *mw, const struct xrdma_mw_bind *bind)
{
	struct xrdma_send_wr wr = {
		.wr_id = bind->wr_id,
		.opcode = XRDMA_WR_BIND_MW,
		.flags = bind->flags,
		.rkey = xrdma_mw_next_key(mw),
		.mw = mw,
		.bind_info = bind->info,
	};
	const struct xrdma_send_wr *bad;
	int err = post(qp, &wr, true, &bad);

	if (!err)
		XRDMA_WRITE(mw->key, wr.rkey);
	return err;
}
