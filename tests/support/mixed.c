// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "mixed.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "netns.h"
#include "test.h"

enum { OUR_PSN = 0xfffff0, THEIR_PSN = 5, PATIENCE = 20 /* s */ };

struct mixed mixed;

/* Returns the index of 10.66.0.2. The kernel adds it some time after the device. */
static int find_gid(struct ibv_context *context)
{
	const __u8 wanted[16] = { [10] = 0xff, [11] = 0xff, 10, 66, 0, 2 };
	time_t end = time(NULL) + PATIENCE;
	union ibv_gid gid;

	for (; time(NULL) < end; usleep(10000))
		for (int i = 0; i < 16; i++)
			if (!ibv_query_gid(context, 1, i, &gid) && !memcmp(gid.raw, wanted, 16))
				return i;
	expect_msg(false, "their device has no GID of 10.66.0.2");
	return 0;
}

static void their_open(struct theirs *theirs)
{
	struct ibv_device **devices = ibv_get_device_list(NULL);

	expect_msg(devices && devices[0], "libibverbs knows no device");
	theirs->context = ibv_open_device(devices[0]);
	expect(theirs->context);
	ibv_free_device_list(devices);
	theirs->gid_index = find_gid(theirs->context);
	theirs->pd = ibv_alloc_pd(theirs->context);
	theirs->memory = aligned_alloc(4096, MIXED_BYTES);
	theirs->mr = ibv_reg_mr(theirs->pd, theirs->memory, MIXED_BYTES,
				IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_MW_BIND);
	expect(theirs->mr);
}

void mixed_open(void)
{
	expect(netns_enter("b"));
	their_open(&mixed.theirs);
	expect(netns_enter("a"));
	owner_open(&mixed.ours.owner, "xa");
	expect_int(xrdma_mr_reg(mixed.ours.owner.pd, mixed.ours.owner.memory, OWNER_BYTES,
				XRDMA_ACCESS_LOCAL_WRITE | XRDMA_ACCESS_MW_BIND, &mixed.mr),
		   ==, 0);
}

void mixed_close(void)
{
	expect_int(xrdma_mr_close(mixed.mr), ==, 0);
	owner_close(&mixed.ours.owner);
	expect_int(ibv_dereg_mr(mixed.theirs.mr), ==, 0);
	expect_int(ibv_dealloc_pd(mixed.theirs.pd), ==, 0);
	expect_int(ibv_close_device(mixed.theirs.context), ==, 0);
	free(mixed.theirs.memory);
}

struct ibv_qp *theirs_create_qp(void)
{
	struct ibv_qp_init_attr init = {
		.qp_type = IBV_QPT_RC,
		.send_cq = mixed.theirs.cq,
		.recv_cq = mixed.theirs.cq,
		.cap = { .max_send_wr = 4, .max_recv_wr = 4, .max_send_sge = 1, .max_recv_sge = 1 },
	};
	struct ibv_qp *qp = ibv_create_qp(mixed.theirs.pd, &init);

	expect(qp);
	return qp;
}

void mixed_start(void)
{
	side_create(&mixed.ours);
	mixed.theirs.cq = ibv_create_cq(mixed.theirs.context, 16, NULL, NULL, 0);
	expect(mixed.theirs.cq);
	mixed.theirs.qp = theirs_create_qp();
	mixed_connect(&mixed.ours);
}

void mixed_stop(void)
{
	side_destroy(&mixed.ours);
	expect_int(ibv_destroy_qp(mixed.theirs.qp), ==, 0);
	expect_int(ibv_destroy_cq(mixed.theirs.cq), ==, 0);
}

static void their_connect(const struct theirs *theirs, __u32 qpn)
{
	const union ibv_gid ours = { .raw = { [10] = 0xff, [11] = 0xff, 10, 66, 0, 1 } };
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RESET,
		.qp_access_flags = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ |
				   IBV_ACCESS_REMOTE_ATOMIC,
		.port_num = 1,
		.path_mtu = IBV_MTU_1024,
		.dest_qp_num = qpn,
		.rq_psn = OUR_PSN,
		.sq_psn = THEIR_PSN,
		.max_dest_rd_atomic = 2,
		.max_rd_atomic = 1,
		.min_rnr_timer = 12,
		.timeout = 16,
		.retry_cnt = 6, /* 7 means for ever in Soft-RoCE */
		.rnr_retry = 6,
		.ah_attr = {
			.is_global = 1,
			.port_num = 1,
			.grh = { .dgid = ours, .sgid_index = theirs->gid_index, .hop_limit = 64 },
		},
	};

	expect_int(ibv_modify_qp(theirs->qp, &attr, IBV_QP_STATE), ==, 0);
	attr.qp_state = IBV_QPS_INIT;
	expect_int(
		ibv_modify_qp(theirs->qp, &attr,
			      IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS),
		==, 0);
	attr.qp_state = IBV_QPS_RTR;
	expect_int(ibv_modify_qp(theirs->qp, &attr,
				 IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
					 IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC |
					 IBV_QP_MIN_RNR_TIMER),
		   ==, 0);
	attr.qp_state = IBV_QPS_RTS;
	expect_int(ibv_modify_qp(theirs->qp, &attr,
				 IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
					 IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC),
		   ==, 0);
}

void mixed_connect(struct side *ours)
{
	ours->attr.dest_qpn = mixed.theirs.qp->qp_num;
	ours->attr.rq_psn = THEIR_PSN;
	ours->attr.sq_psn = OUR_PSN;
	ours->attr.access =
		XRDMA_ACCESS_REMOTE_WRITE | XRDMA_ACCESS_REMOTE_READ | XRDMA_ACCESS_REMOTE_ATOMIC;
	ours->attr.timeout = 16;
	side_bring_to(ours, XRDMA_QPS_RTS);
	their_connect(&mixed.theirs, xrdma_qp_number(ours->qp));
}

struct xrdma_wc ours_poll(void)
{
	time_t end = time(NULL) + PATIENCE;
	struct xrdma_wc wc = { 0 };

	while (!xrdma_cq_poll(mixed.ours.cq, 1, &wc))
		expect_msg(time(NULL) < end, "no completion of ours");
	return wc;
}

struct ibv_wc theirs_poll(void)
{
	time_t end = time(NULL) + PATIENCE;
	struct ibv_wc wc = { 0 };

	while (!ibv_poll_cq(mixed.theirs.cq, 1, &wc))
		expect_msg(time(NULL) < end, "no completion of theirs");
	return wc;
}

struct xrdma_wc ours_execute(struct xrdma_send_wr *wr)
{
	const struct xrdma_send_wr *bad;

	wr->flags = XRDMA_SEND_SIGNALED;
	expect_msg(!xrdma_qp_post_send(mixed.ours.qp, wr, &bad), "%s", xrdma_error());
	return ours_poll();
}

struct ibv_wc theirs_execute(struct ibv_send_wr *wr)
{
	struct ibv_send_wr *bad;

	wr->send_flags = IBV_SEND_SIGNALED;
	expect_int(ibv_post_send(mixed.theirs.qp, wr, &bad), ==, 0);
	return theirs_poll();
}

void ours_receive(void)
{
	const struct xrdma_recv_wr wr = { .wr_id = 7 }, *bad;

	expect_msg(!xrdma_qp_post_recv(mixed.ours.qp, &wr, &bad), "%s", xrdma_error());
}

void theirs_receive(void)
{
	struct ibv_recv_wr wr = { .wr_id = 7 }, *bad;

	expect_int(ibv_post_recv(mixed.theirs.qp, &wr, &bad), ==, 0);
}

/* Contents of both memories before an access. */
struct before {
	__u8 ours[MIXED_BYTES], theirs[MIXED_BYTES];
};

static void fill(struct before *before)
{
	arc4random_buf(before, sizeof(*before));
	memcpy(mixed.ours.owner.memory, before->ours, MIXED_BYTES);
	memcpy(mixed.theirs.memory, before->theirs, MIXED_BYTES);
}

static void expect_unchanged(const struct before *before)
{
	expect_msg(!memcmp(mixed.ours.owner.memory, before->ours, MIXED_BYTES), "our memory");
	expect_msg(!memcmp(mixed.theirs.memory, before->theirs, MIXED_BYTES), "their memory");
}

/*
 * Expect that LEN bytes were copied from FROM to TO, or that an atomic has added 1 to the word at
 * FROM. BEFORE has the former contents.
 */
static void expect_copied(struct before *before, __u8 *from, __u8 *to, __u32 offset, __u32 len,
			  bool added)
{
	__u64 word;

	memcpy(to + offset, from + offset, len);
	if (added) {
		memcpy(&word, from + offset, sizeof(word));
		word++;
		memcpy(from + offset, &word, sizeof(word));
	}
	expect_unchanged(before);
}

bool ours_access(enum xrdma_wr_opcode opcode, __u32 key, __u32 offset, __u32 len)
{
	const struct xrdma_sge sge = {
		.addr = (uintptr_t)mixed.ours.owner.memory + offset,
		.length = len,
		.lkey = xrdma_mr_key(mixed.mr),
	};
	struct xrdma_send_wr wr = {
		.sg_list = &sge,
		.num_sge = 1,
		.opcode = opcode,
		.rkey = key,
		.remote_addr = (uintptr_t)mixed.theirs.memory + offset,
		.compare_add = 1,
	};
	struct before before;
	struct xrdma_wc wc;

	fill(&before);
	wc = ours_execute(&wr);
	if (wc.status == XRDMA_WC_REM_ACCESS_ERR) {
		expect_unchanged(&before);
		return false;
	}
	expect_msg(!wc.status, "%s", xrdma_wc_status_str(wc.status));
	if (opcode == XRDMA_WR_RDMA_WRITE)
		expect_copied(&before, before.ours, before.theirs, offset, len, false);
	else
		expect_copied(&before, before.theirs, before.ours, offset, len,
			      opcode == XRDMA_WR_ATOMIC_FETCH_AND_ADD);
	return true;
}

bool theirs_access(enum ibv_wr_opcode opcode, __u32 key, __u32 offset, __u32 len)
{
	__u64 remote = (uintptr_t)mixed.ours.owner.memory + offset;
	struct ibv_sge sge = {
		.addr = (uintptr_t)mixed.theirs.memory + offset,
		.length = len,
		.lkey = mixed.theirs.mr->lkey,
	};
	struct ibv_send_wr wr = { .sg_list = &sge, .num_sge = 1, .opcode = opcode };
	struct before before;
	struct ibv_wc wc;

	if (opcode == IBV_WR_ATOMIC_FETCH_AND_ADD) {
		wr.wr.atomic.rkey = key;
		wr.wr.atomic.remote_addr = remote;
		wr.wr.atomic.compare_add = 1;
	} else {
		wr.wr.rdma.rkey = key;
		wr.wr.rdma.remote_addr = remote;
	}
	fill(&before);
	wc = theirs_execute(&wr);
	if (wc.status == IBV_WC_REM_ACCESS_ERR) {
		expect_unchanged(&before);
		return false;
	}
	expect_msg(!wc.status, "%s", ibv_wc_status_str(wc.status));
	if (opcode == IBV_WR_RDMA_WRITE)
		expect_copied(&before, before.theirs, before.ours, offset, len, false);
	else
		expect_copied(&before, before.ours, before.theirs, offset, len,
			      opcode == IBV_WR_ATOMIC_FETCH_AND_ADD);
	return true;
}
