// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Create and destroy queue pairs. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <xrdma/cntr.h>

#include "key/bind.h"
#include "key/windows.h"
#include "lib/attr.h"
#include "lib/auth.h"
#include "lib/error.h"
#include "lib/opcode.h"
#include "queue/stop.h"

static int check_init(const struct xrdma_pd *pd, const struct xrdma_qp_init_attr *init)
{
	const struct xrdma_device_attr *limits = &pd->context->limits;

	if (init->transport > XRDMA_TRANSPORT_UD)
		return xrdma_fail(EOPNOTSUPP, "service %u: XRDMA_TRANSPORT_RC, UC or UD",
				  init->transport);
	if (!init->max_send_wr || init->max_send_wr > limits->max_send_wr)
		return xrdma_fail(EINVAL, "max_send_wr %u: 1 to %u", init->max_send_wr,
				  limits->max_send_wr);
#define CHECK(field)                     \
	if (init->field > limits->field) \
		return xrdma_fail(EINVAL, #field " %u: at most %u", init->field, limits->field);
	CHECK(max_send_sge)
	CHECK(max_inline)
	CHECK(max_recv_wr)
	CHECK(max_recv_sge)
#undef CHECK
	if (init->send_ops & ~XRDMA_QP_WITH_MKEY_CONFIGURE)
		return xrdma_fail(EOPNOTSUPP, "send_ops 0x%x: 0x%x is unknown", init->send_ops,
				  init->send_ops & ~XRDMA_QP_WITH_MKEY_CONFIGURE);
	if (!init->send_cq || !init->recv_cq || init->send_cq->context != pd->context ||
	    init->recv_cq->context != pd->context)
		return xrdma_fail(EINVAL, "a queue pair needs completion queues, of its context");
	if (init->srq && init->srq->pd != pd)
		return xrdma_fail(EINVAL, "the shared receive queue is of another domain");
	return 0;
}

/* Set up the receive queue of QP, which has ROW, or use the shared one. */
static int open_rq(struct xrdma_qp *qp, __u32 row)
{
	struct xrdma_queues *queues = qp->pd->context->queues;
	const struct xrdma_qp_init_attr *init = &qp->init;

	qp->srq = init->srq;
	if (qp->srq) {
		qp->rq = &qp->srq->rq;
		xrdma_count_in(&qp->srq->users);
		return 0;
	}
	qp->rq = &qp->own_rq;
	return xrdma_rq_init(qp->rq, queues, queues->free_cqs.count + row, init->max_recv_wr,
			     init->max_recv_sge, false);
}

static void close_rq(struct xrdma_qp *qp)
{
	if (qp->srq)
		xrdma_count_out(&qp->srq->users);
	else
		xrdma_rq_exit(qp->rq, qp->pd->context->queues);
}

/* Enter QP, which has ROW, into its completion queues. */
static int enter(struct xrdma_qp *qp, __u32 row)
{
	struct xrdma_context *context = qp->pd->context;
	struct xrdma_queues *queues = context->queues;
	int err;

	err = open_rq(qp, row);
	if (err)
		return err;
	err = xrdma_rd_atomics_init(&qp->rd_atomics, queues, &qp->init);
	if (err) {
		close_rq(qp);
		return err;
	}
	qp->qpn = context->slot << XRDMA_QPN_INDEX_BITS | row;
	qp->row = queues->qps + row;
	xrdma_qp_start(qp);
	xrdma_qp_set_entry(qp, qp->init.send_cq, qp->init.recv_cq);
	xrdma_count_in(&qp->pd->users);
	xrdma_count_in(&qp->init.send_cq->users);
	xrdma_count_in(&qp->init.recv_cq->users);
	return 0;
}

/* Take a random row for QP, so that its QPN was not in use recently. */
static int take_row(struct xrdma_qp *qp)
{
	struct xrdma_context *context = qp->pd->context;
	__u32 row = xrdma_rows_take_random(&context->queues->free_qps);
	int err;

	if (row == XRDMA_ROWS_NONE)
		return xrdma_fail(ENOMEM,
				  "all %u queue pairs of the context are in use: destroy some, or "
				  "open it with more qps",
				  context->limits.max_qp);
	err = enter(qp, row);
	if (err)
		xrdma_rows_give(&context->queues->free_qps, row);
	return err;
}

int xrdma_qp_create(struct xrdma_pd *pd, const struct xrdma_qp_init_attr *attr,
		    struct xrdma_qp **qp)
{
	struct xrdma_qp_init_attr init;
	__u64 auth = pd->auth;
	int err = xrdma_attr_read(attr, &init, sizeof(init), "xrdma_qp_init_attr");

	if (!err)
		err = check_init(pd, &init);
	if (!err)
		err = xrdma_auth_read(init.auth_key, init.auth_key_size, &auth);
	if (err)
		return err;
	*qp = calloc(1, sizeof(**qp));
	if (!*qp)
		return xrdma_fail(ENOMEM, "no memory for a queue pair");
	xrdma_mutex_init(&(*qp)->lock, XRDMA_RANK_QP);
	(*qp)->pd = pd;
	(*qp)->udp.fd = -1;
	(*qp)->auth = auth;
	(*qp)->init = init;
	(*qp)->is_reliable = xrdma_transport_is(init.transport, XRDMA_SERVICE_RELIABLE);
	(*qp)->is_connected = xrdma_transport_is(init.transport, XRDMA_SERVICE_CONNECTED);
	(*qp)->sends = (struct xrdma_finished){ .qp = *qp, .are_sends = true };
	(*qp)->async.object = *qp;
	(*qp)->receives = (struct xrdma_finished){ .qp = *qp };
	err = xrdma_sq_init(&(*qp)->sq, &init);
	if (err)
		goto err_sq;
	err = xrdma_context_enter(pd->context);
	if (err)
		goto err_enter;
	err = take_row(*qp);
	if (!err)
		return 0;
err_enter:
	xrdma_sq_exit(&(*qp)->sq);
err_sq:
	free(*qp);
	return err;
}

/* Destroy QP. When this function returns, no thread that polls knows it. */
int xrdma_qp_destroy(struct xrdma_qp *qp)
{
	struct xrdma_context *context = qp->pd->context;
	int err = xrdma_context_own(context);

	if (err)
		return err;
	xrdma_mutex_lock(&qp->lock);
	err = xrdma_mws_check_qp(context->keys, &qp->windows);
	if (err) {
		xrdma_mutex_unlock(&qp->lock);
		return err;
	}
	xrdma_qp_reset(qp);
	xrdma_mws_leave_qp(context->keys, &qp->windows);
	xrdma_mrs_leave_qp(context->keys, &qp->regions);
	xrdma_qp_set_entry(qp, NULL, NULL);
	xrdma_mutex_unlock(&qp->lock); /* wait for a thread that found it by polling */
	xrdma_channel_leave(&context->async, &qp->async);
	memset(qp->row, 0, sizeof(*qp->row));
	close_rq(qp);
	xrdma_rd_atomics_exit(&qp->rd_atomics, context->queues);
	xrdma_rows_give(&context->queues->free_qps, qp->qpn & (XRDMA_QP_ROWS_MAX - 1));
	xrdma_count_out(&qp->init.send_cq->users);
	xrdma_count_out(&qp->init.recv_cq->users);
	xrdma_count_out(&qp->pd->users);
	xrdma_mutex_destroy(&qp->lock);
	xrdma_sq_exit(&qp->sq);
	free(qp);
	return 0;
}

int xrdma_mr_bind_qp(struct xrdma_mr *mr, struct xrdma_qp *qp, __u64 flags)
{
	if (flags)
		return xrdma_fail(XRDMA_EBADFLAGS, "flags 0x%llx: 0", flags);
	return xrdma_context_enter(qp->pd->context)
		       ?: xrdma_mr_join_qp(mr, qp->pd, qp->qpn, &qp->regions);
}
