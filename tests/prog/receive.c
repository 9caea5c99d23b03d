// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * SENDs and WRITEs with immediate: the receive that they take, where they land, and how they
 * complete.
 */
#include "cases.h"

static void set_send_imm(struct run *r)
{
	case_set_send(r);
	r->packet.opcode = XRDMA_RC_SEND_ONLY_IMM;
	r->packet.imm = 0xdeadbeef;
}

/* Takes a receive whose key does not matter. */
static void set_send_nothing(struct run *r)
{
	case_set_send(r);
	r->packet.payload_len = 0;
	r->sges[0].lkey = 0xdeadbeef;
}

static void set_send_shorter(struct run *r)
{
	case_set_send(r);
	r->packet.payload_len = 61;
}

static void set_send_first(struct run *r)
{
	case_set_send(r);
	r->packet.opcode = XRDMA_RC_SEND_FIRST;
	r->packet.payload_len = 1024;
	r->sges[0].length = 4096;
}

/* DONE bytes of a message are in place; what follows is where the packet of a case goes. */
static void set_under_way(struct run *r, __u8 opcode, __u32 done)
{
	case_set_send(r);
	r->packet.opcode = opcode;
	case_take_receive(r);
	r->qp->resp.op = XRDMA_OP_SEND;
	r->qp->resp.done = done;
	r->sges[0].length = done + r->packet.payload_len;
	r->sges[0].addr = r->packet.va - done;
	r->mkey->base -= done;
	r->mkey->offset -= done;
}

static void set_send_middle(struct run *r)
{
	case_set_send(r);
	r->packet.payload_len = 1024;
	set_under_way(r, XRDMA_RC_SEND_MIDDLE, 2048);
}

static void set_send_last(struct run *r)
{
	set_under_way(r, XRDMA_RC_SEND_LAST, 2048);
}

static void set_send_last_imm(struct run *r)
{
	set_under_way(r, XRDMA_RC_SEND_LAST_IMM, 3072);
	r->packet.imm = 0x01020304;
}

/* The peer's rights are for what names memory of ours (9.7.4.1.5). */
static void set_send_no_access(struct run *r)
{
	case_set_send(r);
	r->qp->access = 0;
}

/* One byte, nothing, and the rest. */
static void set_two_ranges(struct run *r)
{
	case_set_send(r);
	r->rq->stride = 3;
	r->sges = case_sges(r, CASE_RECEIVE);
	r->sges[0] = (struct xrdma_sge){ r->packet.va, 1, CASE_KEY };
	r->sges[1] = (struct xrdma_sge){ 0 };
	r->sges[2] = (struct xrdma_sge){ r->packet.va + 1, 63, CASE_KEY };
}

static void set_write_imm(struct run *r)
{
	r->rq->user_index++;
	r->packet.opcode = XRDMA_RC_WRITE_ONLY_IMM;
	r->packet.imm = 0xcafebabe;
}

static void set_write_imm_nothing(struct run *r)
{
	set_write_imm(r);
	r->packet.length = r->packet.payload_len = 0;
	r->packet.key = 0;
}

static void set_write_last_imm(struct run *r)
{
	set_write_imm(r);
	r->packet.opcode = XRDMA_RC_WRITE_LAST_IMM;
	r->qp->resp.op = XRDMA_OP_WRITE;
	r->qp->resp.key = CASE_KEY;
	r->qp->resp.va = r->packet.va;
	r->qp->resp.left = 64;
	r->qp->resp.done = 2048;
}

static void set_one_entry_left(struct run *r)
{
	case_set_send(r);
	r->cq->user_index -= CASE_CQ_MASK;
}

static void set_nothing_posted(struct run *r)
{
	case_set_send(r);
	r->rq->user_index--;
}

static void set_no_rq(struct run *r)
{
	case_set_send(r);
	r->qp->rq = TARGET_ROWS;
}

/* Queues of the other kind are none of those that the queue pair needs. */
static void set_rq_is_cq(struct run *r)
{
	case_set_send(r);
	r->rq->kind = XRDMA_QUEUE_CQ;
}

static void set_cq_is_rq(struct run *r)
{
	case_set_send(r);
	r->cq->kind = XRDMA_QUEUE_RQ;
}

static void set_no_queues(struct run *r)
{
	case_set_send(r);
	target_drop(&r->target, "xrdma_queues");
}

static void set_nothing_for_imm(struct run *r)
{
	set_write_imm(r);
	r->rq->user_index--;
}

/*
 * 9.7.4.1: the receive is looked for before the key, so that the peer comes again and learns of the
 * key then.
 */
static void set_nothing_before_key(struct run *r)
{
	set_nothing_for_imm(r);
	r->packet.key ^= 1;
}

static void set_imm_unknown_key(struct run *r)
{
	set_write_imm(r);
	r->packet.key ^= 1;
}

static void set_send_last_inv(struct run *r)
{
	set_under_way(r, XRDMA_RC_SEND_LAST_INV, 2048);
	r->mkey->rights |= XRDMA_ACCESS_REMOTE_INVALIDATE;
	r->packet.imm = CASE_KEY;
}

static void set_send_alone(struct run *r)
{
	case_set_send(r);
	r->packet.opcode = XRDMA_RC_SEND_LAST;
}

static void set_send_after_write(struct run *r)
{
	set_send_last(r);
	r->qp->resp.op = XRDMA_OP_WRITE;
}

static void set_send_over_mtu(struct run *r)
{
	case_set_send(r);
	r->packet.payload_len = r->sges[0].length = 1025;
}

static void set_send_over_message(struct run *r)
{
	set_under_way(r, XRDMA_RC_SEND_LAST, XRDMA_MESSAGE_MAX - 63);
}

static void set_too_long(struct run *r)
{
	case_set_send(r);
	r->sges[0].length = 63;
}

static void set_too_long_for_two(struct run *r)
{
	set_two_ranges(r);
	r->sges[2].length = 62;
}

static void set_last_too_long(struct run *r)
{
	set_send_last(r);
	r->sges[0].length--;
}

static void set_no_sges(struct run *r)
{
	case_set_send(r);
	r->rq->stride = 0;
}

static void set_far_sges(struct run *r)
{
	case_set_send(r);
	r->rq->first = TARGET_RECEIVE_ROWS;
}

static void set_shared(struct run *r)
{
	case_share(r);
	case_set_send(r);
}

static void set_shared_first(struct run *r)
{
	case_share(r);
	set_send_first(r);
}

static void set_shared_last(struct run *r)
{
	case_share(r);
	set_send_last(r);
}

static void set_shared_too_long(struct run *r)
{
	set_shared(r);
	r->sges[0].length = 63;
}

static void set_far_ring(struct run *r)
{
	set_shared(r);
	r->rq->ring = TARGET_RECEIVE_ROWS + 1;
}

/* Only as many bits of it count as the queue has numbers. */
static void set_far_number(struct run *r)
{
	__u32 *numbers = (__u32 *)&r->target.sges[CASE_RING];

	set_shared(r);
	numbers[CASE_RECEIVE & CASE_RQ_MASK] |= ~CASE_RQ_MASK;
}

static void set_no_sge_table(struct run *r)
{
	case_set_send(r);
	target_drop(&r->target, "xrdma_segments");
}

static void set_recv_key(struct run *r)
{
	case_set_send(r);
	r->sges[0].lkey ^= 1;
}

static void set_recv_key_gone(struct run *r)
{
	case_set_send(r);
	r->mkey->state = XRDMA_MKEY_STATE_INVALID;
}

static void set_recv_rights(struct run *r)
{
	case_set_send(r);
	r->mkey->rights = 0xffff - XRDMA_ACCESS_RECV;
}

static void set_recv_pd(struct run *r)
{
	case_set_send(r);
	r->mkey->pd++;
}

static void set_recv_bound(struct run *r)
{
	case_set_send(r);
	r->mkey->qpn = CASE_QPN + 1;
}

static void set_recv_before(struct run *r)
{
	case_set_send(r);
	r->sges[0].addr = CASE_BASE - 1;
}

static void set_recv_beyond(struct run *r)
{
	case_set_send(r);
	r->sges[0].addr = CASE_BASE + CASE_REGION - 63;
}

/* The first is right, and nothing is written there either. */
static void set_second_key(struct run *r)
{
	set_two_ranges(r);
	r->sges[2].lkey ^= 1;
}

/* Found before an entry is reserved: FIRST reserves none. */
static void set_second_nowhere(struct run *r)
{
	r->mkey[1] = *r->mkey;
	r->mkey[1].key = CASE_KEY + (1 << XRDMA_KEY_INDEX_SHIFT);
	r->mkey[1].rights = XRDMA_ACCESS_RECV;
	r->mkey[1].offset = TARGET_HEAP - 17 - 1022;
	set_two_ranges(r);
	r->packet.opcode = XRDMA_RC_SEND_FIRST;
	r->packet.payload_len = 1024;
	r->sges[2].length = 1023;
	r->sges[2].lkey = r->mkey[1].key;
}

static void set_recv_nowhere(struct run *r)
{
	case_set_send(r);
	r->mkey->offset = TARGET_HEAP;
}

/* The process may have memory for the receive, or has looked for it in vain. */
static void set_recv_asked(struct run *r)
{
	case_set_send(r);
	case_set_paged(r, XRDMA_PAGE_ASK, XRDMA_PAGE_ASK);
}

static void set_recv_unbacked(struct run *r)
{
	set_recv_asked(r);
	r->qp->resp.unbacked = XRDMA_UNBACKED | CASE_PSN;
}

static void set_cq_full(struct run *r)
{
	case_set_send(r);
	r->cq->user_index -= CASE_CQ_MASK + 1;
}

static void set_cq_full_imm(struct run *r)
{
	set_write_imm(r);
	r->cq->user_index -= CASE_CQ_MASK + 1;
}

static void set_no_cq(struct run *r)
{
	case_set_send(r);
	r->qp->recv_cq = TARGET_ROWS;
}

static void set_far_cqes(struct run *r)
{
	case_set_send(r);
	r->cq->first = TARGET_RECEIVE_ROWS;
}

static void set_no_cqes(struct run *r)
{
	case_set_send(r);
	target_drop(&r->target, "xrdma_cqes");
}

static void set_duplicate_send(struct run *r)
{
	case_set_send(r);
	r->packet.psn = (CASE_PSN - 1) & XRDMA_PSN_MASK;
}

#define CASE_STAGE prog_receive
TestSuite(prog_receive, .once = target_load, .in_one_process = true);
RECEIVE_CASES(CASE_TEST)
