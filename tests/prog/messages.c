// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* SENDs of several packets into several pieces of memory, and their effect on the queues. */
#include <arpa/inet.h>
#include <linux/bpf.h>
#include <stdlib.h>
#include <string.h>

#include "support/case.h"

enum { LEN = 5000, HEAP_AT = CASE_REGION_AT + 16 };

static struct run run;
static struct target_result result;
static __u8 data[LEN];
static __u32 psn;

static void open_run(void)
{
	case_open(&run);
	case_set_send(&run);
	psn = CASE_PSN;
	for (int i = 0; i < LEN; i++)
		data[i] = rand();
}

TestSuite(prog_messages, .once = target_load, .init = open_run, .in_one_process = true);

static enum xrdma_verdict send_part(__u8 opcode, const __u8 *payload, size_t len)
{
	run.packet.opcode = opcode;
	run.packet.psn = psn | XRDMA_BTH_ACKREQ;
	run.packet.payload = payload;
	run.packet.payload_len = len;
	case_send(&run, &result);
	if (result.verdict == XRDMA_V_OK)
		psn = (psn + 1) & XRDMA_PSN_MASK;
	return result.verdict;
}

/* Send LEN bytes of data, in packets of the MTU. */
static void send_message(void)
{
	__u32 mtu = run.qp->mtu, at = 0;

	expect_int(send_part(XRDMA_RC_SEND_FIRST, data, mtu), ==, XRDMA_V_OK);
	for (at = mtu; at + mtu < LEN; at += mtu)
		expect_int(send_part(XRDMA_RC_SEND_MIDDLE, data + at, mtu), ==, XRDMA_V_OK);
	expect_int(run.cq->xdp_index, ==, (__u32)CASE_ENTRY);
	expect_int(send_part(XRDMA_RC_SEND_LAST, data + at, LEN - at), ==, XRDMA_V_OK);
}

static const struct xrdma_cqe_row *entry(__u32 number)
{
	return &run.target.cqes[CASE_CQES + ((CASE_ENTRY + number) & CASE_CQ_MASK)];
}

static void expect_entry(__u32 number, __u32 qpn, __u32 receive, __u32 len)
{
	const struct xrdma_cqe_row *cqe = entry(number);

	expect_int(cqe->sequence, ==, CASE_ENTRY + number + 1);
	expect_int(cqe->verdict, ==, XRDMA_V_OK);
	expect_int(cqe->qpn, ==, qpn);
	expect_int(cqe->rqe, ==, case_number(&run, CASE_RECEIVE + receive));
	expect_int(cqe->byte_len, ==, len);
}

/*
 * A message is placed into 32 pieces with gaps of a byte between them. The last piece has one byte
 * too many.
 */
Test(prog_messages, scattered)
{
	__u32 at = 0, left = LEN, len;

	run.rq->stride = XRDMA_RECV_SGE_MAX;
	run.rq->mask = 0;
	run.rq->first = CASE_FIRST_SGE;
	run.sges = &run.target.sges[CASE_FIRST_SGE];
	for (int i = 0; i < XRDMA_RECV_SGE_MAX; i++) {
		len = i == XRDMA_RECV_SGE_MAX - 1 ? left + 1 : 1U + rand() % 150;
		run.sges[i] = (struct xrdma_sge){ CASE_BASE + 16 + at, len, CASE_KEY };
		at += len + 1;
		left -= len;
	}
	memset(run.target.heap, 0xa5, TARGET_HEAP);
	send_message();
	for (int i = at = 0, left = 0; i < XRDMA_RECV_SGE_MAX; i++) {
		len = run.sges[i].length - (i == XRDMA_RECV_SGE_MAX - 1);
		expect_msg(!memcmp(run.target.heap + HEAP_AT + at, data + left, len), "piece %d",
			   i);
		expect_int(run.target.heap[HEAP_AT + at + len], ==, 0xa5);
		at += len + 1;
		left += len;
	}
	expect_int(run.target.heap[HEAP_AT - 1], ==, 0xa5);
	expect_entry(0, CASE_QPN, 0, LEN);
}

/* Each message gets the next receive of its queue. All queue pairs share a completion queue. */
Test(prog_messages, of_two_queue_pairs)
{
	struct xrdma_queue_row *other = run.rq + 1;

	*other = *run.rq;
	other->first += 64;
	run.target.sges[other->first + case_number(&run, CASE_RECEIVE) * CASE_SGES] =
		(struct xrdma_sge){ CASE_BASE + 6000, 10, CASE_KEY };
	*case_sges(&run, CASE_RECEIVE + 1) = (struct xrdma_sge){ CASE_BASE + 7000, 20, CASE_KEY };
	run.rq->user_index++;
	run.sges[0].length = LEN;
	run.qp[1] = run.qp[0];
	run.qp[1].rq = CASE_RQ + 1;
	expect_int(send_part(XRDMA_RC_SEND_FIRST, data, 1024), ==, XRDMA_V_OK);
	run.packet.dest_qpn++;
	psn = CASE_PSN;
	expect_int(send_part(XRDMA_RC_SEND_ONLY, data + 100, 10), ==, XRDMA_V_OK);
	run.packet.dest_qpn--;
	expect_int(send_part(XRDMA_RC_SEND_LAST, data + 1024, 7), ==, XRDMA_V_OK);
	expect_int(send_part(XRDMA_RC_SEND_ONLY, data + 200, 20), ==, XRDMA_V_OK);
	expect_entry(0, CASE_QPN + 1, 0, 10);
	expect_entry(1, CASE_QPN, 0, 1031);
	expect_entry(2, CASE_QPN, 1, 20);
	expect(!memcmp(run.target.heap + HEAP_AT, data, 1031));
	expect(!memcmp(run.target.heap + CASE_REGION_AT + 6000, data + 100, 10));
	expect(!memcmp(run.target.heap + CASE_REGION_AT + 7000, data + 200, 20));
}

/*
 * IBA 9.7.5.2.8: a request that is sent again gets another RNR NAK each time. Packets after it are
 * reported as missing once, like Soft-RoCE does it.
 */
Test(prog_messages, not_ready)
{
	run.rq->user_index--;
	expect_int(send_part(XRDMA_RC_SEND_ONLY, data, 64), ==, XRDMA_V_RNR);
	psn = (psn + 1) & XRDMA_PSN_MASK;
	expect_int(send_part(XRDMA_RC_SEND_ONLY, data, 64), ==, XRDMA_V_PSN_AHEAD);
	expect_int(send_part(XRDMA_RC_SEND_ONLY, data, 64), ==, XRDMA_V_PSN_WAITING);
	psn = CASE_PSN;
	expect_int(send_part(XRDMA_RC_SEND_ONLY, data, 64), ==, XRDMA_V_RNR);
	expect_int(result.action, ==, XDP_TX);
	run.rq->user_index++;
	expect_int(send_part(XRDMA_RC_SEND_ONLY, data, 64), ==, XRDMA_V_OK);
	expect_entry(0, CASE_QPN, 0, 64);
	expect_int(send_part(XRDMA_RC_SEND_ONLY, data, 64), ==, XRDMA_V_RNR);
}

/* The last packet waits for room, and then the message goes on. */
Test(prog_messages, waits_for_room_in_the_completion_queue)
{
	run.sges[0].length = LEN;
	expect_int(send_part(XRDMA_RC_SEND_FIRST, data, 1024), ==, XRDMA_V_OK);
	run.cq->user_index -= CASE_CQ_MASK + 1;
	expect_int(send_part(XRDMA_RC_SEND_LAST, data + 1024, 64), ==, XRDMA_V_CQ_FULL);
	expect_int(run.target.heap[HEAP_AT + 1024], ==, 0);
	run.cq->user_index++;
	expect_int(send_part(XRDMA_RC_SEND_LAST, data + 1024, 64), ==, XRDMA_V_OK);
	expect(!memcmp(run.target.heap + HEAP_AT, data, 1088));
	expect_entry(0, CASE_QPN, 0, 1088);
	expect_int(run.rq->xdp_index, ==, run.rq->user_index);
}

/* IBA 9.7.5.1: a duplicate is acknowledged again, but not placed or completed again. */
Test(prog_messages, doubled)
{
	run.rq->user_index++;
	expect_int(send_part(XRDMA_RC_SEND_ONLY, data, 64), ==, XRDMA_V_OK);
	psn = CASE_PSN;
	expect_int(send_part(XRDMA_RC_SEND_ONLY, data + 100, 64), ==, XRDMA_V_DUPLICATE);
	expect(!memcmp(run.target.heap + HEAP_AT, data, 64));
	expect_int(run.cq->xdp_index, ==, (__u32)CASE_ENTRY + 1);
	expect_int(run.rq->xdp_index, ==, run.rq->user_index - 1);
}

/* Immediate data of one context set no notify bit in another context. */
Test(prog_messages, immediate_of_another)
{
	run.rq->user_index += 2;
	run.packet.imm = 0x12345678;
	expect_int(send_part(XRDMA_RC_SEND_ONLY_IMM, data, 64), ==, XRDMA_V_OK);
	*case_sges(&run, CASE_RECEIVE + 1) = run.sges[0];
	expect_int(send_part(XRDMA_RC_SEND_ONLY, data, 64), ==, XRDMA_V_OK);
	expect_int(entry(0)->imm, ==, htonl(0x12345678));
	expect_int(entry(1)->imm, ==, 0);
	expect_int(entry(1)->invalidated_key, ==, 0);
}

/* A WRITE with immediate uses a receive at its end, but does not write to the receive's memory. */
Test(prog_messages, write_with_immediate)
{
	run.mkey->rights = XRDMA_ACCESS_RECV | XRDMA_ACCESS_REMOTE_WRITE;
	run.sges[0] = (struct xrdma_sge){ CASE_BASE + 7000, 100, CASE_KEY };
	run.packet.length = 2048 + 5;
	expect_int(send_part(XRDMA_RC_WRITE_FIRST, data, 1024), ==, XRDMA_V_OK);
	expect_int(send_part(XRDMA_RC_WRITE_MIDDLE, data + 1024, 1024), ==, XRDMA_V_OK);
	expect_int(run.rq->xdp_index, ==, (__u32)CASE_RECEIVE);
	expect_int(send_part(XRDMA_RC_WRITE_LAST_IMM, data + 2048, 5), ==, XRDMA_V_OK);
	expect(!memcmp(run.target.heap + HEAP_AT, data, 2053));
	expect_int(run.target.heap[CASE_REGION_AT + 7000], ==, 0);
	expect_entry(0, CASE_QPN, 0, 2053);
	expect_int(entry(0)->op, ==, XRDMA_OP_WRITE);
}
