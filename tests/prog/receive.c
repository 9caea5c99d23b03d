// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * SENDs and WRITEs with immediate: their receives, the place of their data, and their completions.
 */
#include "support/case.h"

#define CASE_STAGE prog_receive
TestSuite(prog_receive, .once = target_load, .in_one_process = true);

CASE(send_64, OK)
{
	case_set_send(run);
}

CASE(send_with_immediate, OK)
{
	case_set_send(run);
	run->packet.opcode = XRDMA_RC_SEND_ONLY_IMM;
	run->packet.imm = 0xdeadbeef;
}

/* The message has no bytes. It uses a receive, whose key does not matter. */
CASE(send_nothing, OK)
{
	case_set_send(run);
	run->packet.payload_len = 0;
	run->sges[0].lkey = 0xdeadbeef;
}

CASE(send_shorter, OK)
{
	case_set_send(run);
	run->packet.payload_len = 61;
}

static void set_send_first(struct run *run)
{
	case_set_send(run);
	run->packet.opcode = XRDMA_RC_SEND_FIRST;
	run->packet.payload_len = 1024;
	run->sges[0].length = 4096;
}

CASE(send_first, OK)
{
	set_send_first(run);
}

/*
 * Set up a message of which DONE bytes are in place, and after which the packet of a case follows.
 */
static void set_under_way(struct run *run, __u8 opcode, __u32 done)
{
	case_set_send(run);
	run->packet.opcode = opcode;
	case_take_receive(run);
	run->qp->resp.op = XRDMA_OP_SEND;
	run->qp->resp.done = done;
	run->sges[0].length = done + run->packet.payload_len;
	run->sges[0].addr = run->packet.va - done;
	run->mkey->base -= done;
	run->mkey->offset -= done;
}

CASE(send_middle, OK)
{
	case_set_send(run);
	run->packet.payload_len = 1024;
	set_under_way(run, XRDMA_RC_SEND_MIDDLE, 2048);
}

static void set_send_last(struct run *run)
{
	set_under_way(run, XRDMA_RC_SEND_LAST, 2048);
}

CASE(send_last, OK)
{
	set_send_last(run);
}

CASE(send_last_immediate, OK)
{
	set_under_way(run, XRDMA_RC_SEND_LAST_IMM, 3072);
	run->packet.imm = 0x01020304;
}

/* The rights of the peer apply to requests that name our memory (IBA 9.7.4.1.5), not to SENDs. */
CASE(send_needs_no_access, OK)
{
	case_set_send(run);
	run->qp->access = 0;
}

static void set_write_imm(struct run *run)
{
	run->rq->user_index++;
	run->packet.opcode = XRDMA_RC_WRITE_ONLY_IMM;
	run->packet.imm = 0xcafebabe;
}

CASE(write_with_immediate, OK)
{
	set_write_imm(run);
}

CASE(write_nothing_imm, OK)
{
	set_write_imm(run);
	run->packet.length = run->packet.payload_len = 0;
	run->packet.key = 0;
}

CASE(write_last_immediate, OK)
{
	set_write_imm(run);
	run->packet.opcode = XRDMA_RC_WRITE_LAST_IMM;
	run->qp->resp.op = XRDMA_OP_WRITE;
	run->qp->resp.key = CASE_KEY;
	run->qp->resp.va = run->packet.va;
	run->qp->resp.left = 64;
	run->qp->resp.done = 2048;
}

CASE(last_entry_of_queue, OK)
{
	case_set_send(run);
	run->cq->user_index -= CASE_CQ_MASK;
}

CASE(nothing_posted, RNR)
{
	case_set_send(run);
	run->rq->user_index--;
}

/* A queue of another kind is not used, even if the queue pair names it. */
CASE(receive_queue_is_a_cq, RNR)
{
	case_set_send(run);
	run->rq->kind = XRDMA_QUEUE_CQ;
}

CASE(completion_queue_is_an_rq, CQ_FULL)
{
	case_set_send(run);
	run->cq->kind = XRDMA_QUEUE_RQ;
}

CASE(no_queues, RNR)
{
	case_set_send(run);
	target_drop(&run->target, "xrdma_queues");
}

static void set_nothing_for_imm(struct run *run)
{
	set_write_imm(run);
	run->rq->user_index--;
}

/*
 * IBA 9.7.4.1: the receive is checked before the key. The peer tries again, and learns of the key
 * then.
 */
CASE(nothing_before_key, RNR)
{
	set_nothing_for_imm(run);
	run->packet.key ^= 1;
}

CASE(send_last_invalidate, OK)
{
	set_under_way(run, XRDMA_RC_SEND_LAST_INV, 2048);
	run->mkey->rights |= XRDMA_ACCESS_REMOTE_INVALIDATE;
	run->packet.imm = CASE_KEY;
}

CASE(send_out_of_order, OPCODE_ORDER)
{
	case_set_send(run);
	run->packet.opcode = XRDMA_RC_SEND_LAST;
}

CASE(send_after_write, OPCODE_ORDER)
{
	set_send_last(run);
	run->qp->resp.op = XRDMA_OP_WRITE;
}

CASE(send_over_mtu, LENGTH)
{
	case_set_send(run);
	run->packet.payload_len = run->sges[0].length = 1025;
}

CASE(send_over_2_GiB, LENGTH)
{
	set_under_way(run, XRDMA_RC_SEND_LAST, XRDMA_MESSAGE_MAX - 63);
}

CASE(last_longer_than_rest, RECV_LENGTH)
{
	set_send_last(run);
	run->sges[0].length--;
}

CASE(receive_of_nothing, RECV_LENGTH)
{
	case_set_send(run);
	run->rq->stride = 0;
}

CASE(receive_beyond_table, RECV_LENGTH)
{
	case_set_send(run);
	run->rq->first = TARGET_RECEIVE_ROWS;
}

static void set_shared(struct run *run)
{
	case_share(run);
	case_set_send(run);
}

CASE(shared_queue, OK)
{
	set_shared(run);
}

CASE(shared_queue_first, OK)
{
	case_share(run);
	set_send_first(run);
}

CASE(shared_queue_last, OK)
{
	case_share(run);
	set_send_last(run);
}

CASE(shared_queue_too_long, RECV_LENGTH)
{
	set_shared(run);
	run->sges[0].length = 63;
}

CASE(ring_beyond_table, RNR)
{
	set_shared(run);
	run->rq->ring = TARGET_RECEIVE_ROWS + 1;
}

/* Only as many bits of a receive's number are used as the queue has numbers. */
CASE(number_beyond_queue, OK)
{
	__u32 *numbers = (__u32 *)&run->target.sges[CASE_RING];

	set_shared(run);
	numbers[CASE_RECEIVE & CASE_RQ_MASK] |= ~CASE_RQ_MASK;
}

CASE(no_receives_table, RECV_LENGTH)
{
	case_set_send(run);
	target_drop(&run->target, "xrdma_segments");
}

CASE(entries_beyond_table, CQ_FULL)
{
	case_set_send(run);
	run->cq->first = TARGET_RECEIVE_ROWS;
}

CASE(no_entries_table, CQ_FULL)
{
	case_set_send(run);
	target_drop(&run->target, "xrdma_cqes");
}

CASE(duplicate_send, DUPLICATE)
{
	case_set_send(run);
	run->packet.psn = (CASE_PSN - 1) & XRDMA_PSN_MASK;
}
