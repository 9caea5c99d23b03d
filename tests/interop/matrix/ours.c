// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "ours.h"

#include <arpa/inet.h>
#include <stdint.h>
#include <stdio.h>
#include <xrdma/xrdma.h>

#include "step.h"
#include <xrdma/abi/context.h>

enum {
	QUEUED = TRIAL_REQUESTS_MAX,
	RIGHTS = XRDMA_ACCESS_LOCAL_WRITE | XRDMA_ACCESS_REMOTE_WRITE | XRDMA_ACCESS_REMOTE_READ |
		 XRDMA_ACCESS_REMOTE_ATOMIC,
	TO_INIT = XRDMA_QP_STATE | XRDMA_QP_PKEY_INDEX | XRDMA_QP_PORT | XRDMA_QP_ACCESS_FLAGS,
	TO_RTR = XRDMA_QP_STATE | XRDMA_QP_AV | XRDMA_QP_PATH_MTU | XRDMA_QP_DEST_QPN |
		 XRDMA_QP_RQ_PSN | XRDMA_QP_MAX_DEST_RD_ATOMIC | XRDMA_QP_MIN_RNR_TIMER,
	TO_RTS = XRDMA_QP_STATE | XRDMA_QP_SQ_PSN | XRDMA_QP_TIMEOUT | XRDMA_QP_RETRY_CNT |
		 XRDMA_QP_RNR_RETRY | XRDMA_QP_MAX_QP_RD_ATOMIC,
};

static struct {
	struct xrdma_context *context;
	struct xrdma_pd *pd;
	void *memory;
	struct xrdma_mr *mr;
	struct xrdma_cq *cq;
	struct xrdma_qp *qp;
	struct xrdma_mw *windows[TRIAL_REQUESTS_MAX];
	struct trial_end own;
} ours;

static bool fails(const char *what, int err)
{
	if (err)
		printf("%s: %s\n", what, xrdma_error());
	return err;
}

bool ours_open(const char *device)
{
	const struct xrdma_context_attr attr = { .sz = sizeof(attr), .heap_size = 32 << 20 };

	return !fails("context", xrdma_context_open(device, &attr, &ours.context)) &&
	       !fails("domain", xrdma_pd_alloc(ours.context, &ours.pd)) &&
	       !fails("memory", xrdma_alloc(ours.context, TRIAL_BYTES, 4096, &ours.memory)) &&
	       !fails("region", xrdma_mr_reg(ours.pd, ours.memory, TRIAL_BYTES,
					     RIGHTS | XRDMA_ACCESS_MW_BIND, &ours.mr)) &&
	       !fails("completion queue", xrdma_cq_create(ours.context, 4 * QUEUED, &ours.cq));
}

static void destroy(void)
{
	if (ours.qp)
		xrdma_qp_destroy(ours.qp);
	ours.qp = NULL;
	for (int n = 0; n < TRIAL_REQUESTS_MAX; n++) {
		if (ours.windows[n])
			xrdma_mw_dealloc(ours.windows[n]);
		ours.windows[n] = NULL;
	}
}

void ours_close(void)
{
	destroy();
	xrdma_cq_destroy(ours.cq);
	xrdma_mr_close(ours.mr);
	xrdma_free(ours.context, ours.memory);
	xrdma_pd_dealloc(ours.pd);
	xrdma_context_close(ours.context);
}

static int create(const struct trial_order *order)
{
	const struct xrdma_qp_init_attr init = {
		.sz = sizeof(init),
		.transport = XRDMA_TRANSPORT_RC,
		.max_send_wr = QUEUED,
		.max_send_sge = 1,
		.max_recv_wr = QUEUED,
		.max_recv_sge = 1,
		.send_cq = ours.cq,
		.recv_cq = ours.cq,
	};
	int err;

	destroy();
	err = xrdma_qp_create(ours.pd, &init, &ours.qp);
	if (err)
		return err;
	ours.own = (struct trial_end){
		.addr = (uintptr_t)ours.memory,
		.key = xrdma_mr_key(ours.mr),
		.qpn = xrdma_qp_number(ours.qp),
		.psn = order->trial.seed & XRDMA_PSN_MASK,
	};
	return 0;
}

static int connect_qp(const struct trial_order *order)
{
	const bool v4 = order->trial.ip_version == 4;
	struct xrdma_qp_attr attr = {
		.sz = sizeof(attr),
		.state = XRDMA_QPS_INIT,
		.access = RIGHTS & ~XRDMA_ACCESS_LOCAL_WRITE,
		.port = 1,
		.path_mtu = order->trial.mtu,
		.timeout = 14,
		.retry_cnt = 7,
		.rnr_retry = 6,
		.min_rnr_timer = 12,
		.max_rd_atomic = XRDMA_RD_ATOMIC_MAX,
		.max_dest_rd_atomic = XRDMA_RD_ATOMIC_MAX,
		.dest_qpn = order->other.qpn,
		.rq_psn = order->other.psn,
		.sq_psn = ours.own.psn,
	};
	int err;

	inet_pton(AF_INET6, v4 ? "::ffff:10.66.0.2" : "fd66::2", attr.ah_attr.dest);
	inet_pton(AF_INET6, v4 ? "::ffff:10.66.0.1" : "fd66::1", attr.ah_attr.source);
	err = xrdma_qp_modify(ours.qp, &attr, TO_INIT);
	attr.state = XRDMA_QPS_RTR;
	err = err ?: xrdma_qp_modify(ours.qp, &attr, TO_RTR);
	attr.state = XRDMA_QPS_RTS;
	return err ?: xrdma_qp_modify(ours.qp, &attr, TO_RTS);
}

static struct xrdma_sge piece(const struct trial *trial, bool asker, __u32 n)
{
	return (struct xrdma_sge){
		.addr = (uintptr_t)ours.memory + trial_at(trial, asker, n),
		.length = trial->len,
		.lkey = ours.own.key,
	};
}

static int receive(const struct trial *trial, __u32 n)
{
	const struct xrdma_sge sge = piece(trial, false, n);
	const struct xrdma_recv_wr wr = { .wr_id = n, .sg_list = &sge, .num_sge = 1 }, *bad;

	return xrdma_qp_post_recv(ours.qp, &wr, &bad);
}

static int bind_window(__u32 n)
{
	const struct xrdma_mw_bind_info info = {
		.mr = ours.mr,
		.addr = ours.own.addr,
		.length = TRIAL_BYTES,
		.access = XRDMA_ACCESS_REMOTE_WRITE,
	};
	struct xrdma_send_wr bind = { .opcode = XRDMA_WR_BIND_MW, .bind_info = info };
	const struct xrdma_send_wr *bad;
	int err = xrdma_mw_alloc(ours.pd, XRDMA_MW_TYPE_2B, &ours.windows[n]);

	if (err)
		return err;
	bind.flags = XRDMA_SEND_SIGNALED;
	bind.mw = ours.windows[n];
	bind.rkey = ours.own.windows[n] = xrdma_inc_rkey(xrdma_mw_key(bind.mw));
	return xrdma_qp_post_send(ours.qp, &bind, &bad);
}

static int ask(const struct trial_order *order, __u32 n)
{
	const struct trial *trial = &order->trial;
	const struct xrdma_sge sge = piece(trial, true, n);
	struct xrdma_send_wr wr = {
		.wr_id = n,
		.opcode = trial->opcode,
		.flags = XRDMA_SEND_SIGNALED,
		.sg_list = &sge,
		.num_sge = 1,
	};
	const struct xrdma_send_wr *bad;

	if (trial_is_remote(trial)) {
		wr.rkey = order->other.key;
		wr.remote_addr = order->other.addr + trial_at(trial, false, n);
	}
	if (trial_is_atomic(trial)) {
		wr.compare_add = trial_compare_add(trial, n);
		wr.swap = trial_swap(trial, n);
	}
	if (trial_has_imm(trial))
		wr.imm = htonl(trial_imm(trial, n));
	if (trial->opcode == XRDMA_WR_SEND_WITH_INV)
		wr.invalidate_key = order->other.windows[n];
	return xrdma_qp_post_send(ours.qp, &wr, &bad);
}

static struct trial_completion completion_of(const struct xrdma_wc *wc)
{
	return (struct trial_completion){
		.wr_id = wc->wr_id,
		.status = wc->status,
		.opcode = wc->opcode,
		.byte_len = wc->byte_len,
		.imm = wc->flags & XRDMA_WC_WITH_IMM   ? ntohl(wc->imm)
		       : wc->flags & XRDMA_WC_WITH_INV ? wc->invalidated_key
						       : 0,
	};
}

static int poll(int max, struct trial_completion *done)
{
	struct xrdma_wc wc[TRIAL_REQUESTS_MAX];
	int got = xrdma_cq_poll(ours.cq, max, wc);

	for (int i = 0; i < got; i++)
		done[i] = completion_of(&wc[i]);
	return got;
}

static const char *text(int err)
{
	(void)err;
	return xrdma_error();
}

struct trial_outcome ours_execute(const struct trial_order *order)
{
	const struct step_library library = {
		.memory = ours.memory,
		.own = &ours.own,
		.create = create,
		.connect = connect_qp,
		.receive = receive,
		.bind_window = bind_window,
		.ask = ask,
		.poll = poll,
		.text = text,
	};

	return step_execute(&library, order);
}
