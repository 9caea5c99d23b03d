// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * The other end of trials. It executes the orders of the machine that connects, with libibverbs and
 * the first RDMA device of its machine. It ends with the connection.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <infiniband/verbs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "link.h"
#include "step.h"

enum {
	QUEUED = TRIAL_REQUESTS_MAX,
	REMOTE = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC,
	TO_INIT = IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS,
	TO_RTR = IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
		 IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER,
	TO_RTS = IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
		 IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC,
	GIDS = 16,
};

static struct {
	struct ibv_context *context;
	struct ibv_pd *pd;
	void *memory;
	struct ibv_mr *mr;
	struct ibv_cq *cq;
	struct ibv_qp *qp;
	struct ibv_mw *windows[TRIAL_REQUESTS_MAX];
	struct trial_end own;
} theirs;

static bool open_device(void)
{
	struct ibv_device **devices = ibv_get_device_list(NULL);

	if (!devices || !devices[0])
		return false;
	theirs.context = ibv_open_device(devices[0]);
	ibv_free_device_list(devices);
	if (!theirs.context)
		return false;
	theirs.pd = ibv_alloc_pd(theirs.context);
	theirs.memory = aligned_alloc(4096, TRIAL_BYTES);
	theirs.mr = ibv_reg_mr(theirs.pd, theirs.memory, TRIAL_BYTES,
			       REMOTE | IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_MW_BIND);
	theirs.cq = ibv_create_cq(theirs.context, 4 * QUEUED, NULL, NULL, 0);
	return theirs.mr && theirs.cq;
}

/*
 * Create the queue pair of ORDER, and what it needs. Returns 0 or the errno of the call that
 * failed.
 */
static int create(const struct trial_order *order)
{
	struct ibv_qp_init_attr init = {
		.qp_type = IBV_QPT_RC,
		.send_cq = theirs.cq,
		.recv_cq = theirs.cq,
		.cap = {
			.max_send_wr = QUEUED,
			.max_recv_wr = QUEUED,
			.max_send_sge = 1,
			.max_recv_sge = 1,
		},
	};
	struct ibv_wc wc;

	if (theirs.qp)
		ibv_destroy_qp(theirs.qp);
	for (int n = 0; n < TRIAL_REQUESTS_MAX; n++) {
		if (theirs.windows[n])
			ibv_dealloc_mw(theirs.windows[n]);
		theirs.windows[n] = NULL;
	}
	while (ibv_poll_cq(theirs.cq, 1, &wc) > 0)
		;
	theirs.qp = ibv_create_qp(theirs.pd, &init);
	if (!theirs.qp)
		return errno;
	theirs.own = (struct trial_end){
		.addr = (uintptr_t)theirs.memory,
		.key = theirs.mr->rkey,
		.qpn = theirs.qp->qp_num,
		.psn = order->trial.seed >> 24 & 0xffffff,
	};
	return 0;
}

/* Return the index of the GID for ADDRESS. The kernel adds it some time after the device. */
static int gid_index(const char *address)
{
	const time_t end = time(NULL) + TRIAL_SECONDS;
	union ibv_gid wanted, gid;

	inet_pton(AF_INET6, address, wanted.raw);
	for (; time(NULL) < end; usleep(10000))
		for (int i = 0; i < GIDS; i++)
			if (!ibv_query_gid(theirs.context, 1, i, &gid) &&
			    !memcmp(gid.raw, wanted.raw, sizeof(gid.raw)))
				return i;
	return -1;
}

static enum ibv_mtu mtu_of(__u32 bytes)
{
	enum ibv_mtu mtu = IBV_MTU_256;

	while (bytes > 128U << mtu)
		mtu++;
	return mtu;
}

/* Connect the queue pair. With retry_cnt 7, Soft-RoCE retries for ever. */
static int connect_qp(const struct trial_order *order)
{
	const bool v4 = order->trial.ip_version == 4;
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_INIT,
		.qp_access_flags = REMOTE,
		.port_num = 1,
		.path_mtu = mtu_of(order->trial.mtu),
		.dest_qp_num = order->other.qpn,
		.rq_psn = order->other.psn,
		.sq_psn = theirs.own.psn,
		.max_dest_rd_atomic = TRIAL_REQUESTS_MAX,
		.max_rd_atomic = TRIAL_REQUESTS_MAX,
		.min_rnr_timer = 12,
		.timeout = 14,
		.retry_cnt = 6,
		.rnr_retry = 6,
		.ah_attr = {
			.is_global = 1,
			.port_num = 1,
			.grh = {
				.sgid_index = gid_index(v4 ? "::ffff:10.66.0.2" : "fd66::2"),
				.hop_limit = 64,
			},
		},
	};
	int err;

	inet_pton(AF_INET6, v4 ? "::ffff:10.66.0.1" : "fd66::1", attr.ah_attr.grh.dgid.raw);
	err = ibv_modify_qp(theirs.qp, &attr, TO_INIT);
	attr.qp_state = IBV_QPS_RTR;
	err = err ?: ibv_modify_qp(theirs.qp, &attr, TO_RTR);
	attr.qp_state = IBV_QPS_RTS;
	return err ?: ibv_modify_qp(theirs.qp, &attr, TO_RTS);
}

static struct ibv_sge piece(const struct trial *trial, bool asker, __u32 n)
{
	return (struct ibv_sge){
		.addr = (uintptr_t)theirs.memory + trial_at(trial, asker, n),
		.length = trial->len,
		.lkey = theirs.mr->lkey,
	};
}

static int receive(const struct trial *trial, __u32 n)
{
	struct ibv_sge sge = piece(trial, false, n);
	struct ibv_recv_wr wr = { .wr_id = n, .sg_list = &sge, .num_sge = 1 }, *bad;

	return ibv_post_recv(theirs.qp, &wr, &bad);
}

static int bind_window(__u32 n)
{
	struct ibv_mw *window = ibv_alloc_mw(theirs.pd, IBV_MW_TYPE_2);
	struct ibv_send_wr bind = { .opcode = IBV_WR_BIND_MW, .send_flags = IBV_SEND_SIGNALED };
	struct ibv_send_wr *bad;

	if (!window)
		return errno;
	theirs.windows[n] = window;
	bind.bind_mw.mw = window;
	bind.bind_mw.rkey = theirs.own.windows[n] = ibv_inc_rkey(window->rkey);
	bind.bind_mw.bind_info = (struct ibv_mw_bind_info){
		.mr = theirs.mr,
		.addr = theirs.own.addr,
		.length = TRIAL_BYTES,
		.mw_access_flags = IBV_ACCESS_REMOTE_WRITE,
	};
	return ibv_post_send(theirs.qp, &bind, &bad);
}

static int ask(const struct trial_order *order, __u32 n)
{
	const struct trial *trial = &order->trial;
	struct ibv_sge sge = piece(trial, true, n);
	struct ibv_send_wr wr = {
		.wr_id = n,
		.opcode = trial->opcode,
		.send_flags = IBV_SEND_SIGNALED,
		.sg_list = &sge,
		.num_sge = 1,
	};
	struct ibv_send_wr *bad;

	if (trial_is_atomic(trial)) {
		wr.wr.atomic.rkey = order->other.key;
		wr.wr.atomic.remote_addr = order->other.addr + trial_at(trial, false, n);
		wr.wr.atomic.compare_add = trial_compare_add(trial, n);
		wr.wr.atomic.swap = trial_swap(trial, n);
	} else if (trial_is_remote(trial)) {
		wr.wr.rdma.rkey = order->other.key;
		wr.wr.rdma.remote_addr = order->other.addr + trial_at(trial, false, n);
	}
	if (trial_has_imm(trial))
		wr.imm_data = htonl(trial_imm(trial, n));
	if (trial->opcode == IBV_WR_SEND_WITH_INV)
		wr.invalidate_rkey = order->other.windows[n];
	return ibv_post_send(theirs.qp, &wr, &bad);
}

/*
 * Convert a completion. For a key that was invalidated Soft-RoCE sets a flag of the kernel's, not
 * of verbs.
 */
static struct trial_completion completion_of(const struct ibv_wc *wc)
{
	return (struct trial_completion){
		.wr_id = wc->wr_id,
		.status = wc->status,
		.opcode = wc->opcode,
		.byte_len = wc->byte_len,
		.imm = wc->wc_flags & IBV_WC_WITH_IMM ? ntohl(wc->imm_data) : wc->invalidated_rkey,
	};
}

/* Poll for completions, and sleep if there are none, because the machine has few CPUs. */
static int poll(int max, struct trial_completion *done)
{
	struct ibv_wc wc[TRIAL_REQUESTS_MAX];
	int got = ibv_poll_cq(theirs.cq, max, wc);

	for (int i = 0; i < got; i++)
		done[i] = completion_of(&wc[i]);
	if (!got)
		usleep(50);
	return got;
}

static const char *text(int err)
{
	return strerror(err);
}

int main(void)
{
	struct step_library library = {
		.theirs = true,
		.own = &theirs.own,
		.create = create,
		.connect = connect_qp,
		.receive = receive,
		.bind_window = bind_window,
		.ask = ask,
		.poll = poll,
		.text = text,
	};
	struct trial_outcome outcome;
	struct trial_order order;
	int link;

	if (!open_device()) {
		puts("there is no RDMA device that works");
		return 1;
	}
	library.memory = theirs.memory;
	link = link_accept();
	while (link >= 0 && link_receive(link, &order, sizeof(order))) {
		outcome = step_execute(&library, &order);
		if (!link_send(link, &outcome, sizeof(outcome)))
			break;
	}
	return link < 0;
}
