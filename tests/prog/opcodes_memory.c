// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Each opcode that is served, and all that can be wrong with the memory and the queues that it
 * needs, one thing at a time.
 */
#include "support/served.h"

#define CASE_STAGE prog_opcodes_memory
TestSuite(prog_opcodes_memory, .once = target_load, .in_one_process = true);

static bool is(const struct run *r, unsigned int kind)
{
	return served_is(r->packet.opcode, kind);
}

OPCODE_CASE(not_allowed, QP_ACCESS, SERVED_REMOTE)
{
	r->qp->access = ~r->qp->access;
}

OPCODE_CASE(no_resources, RD_ATOMIC, SERVED_RD_ATOMIC)
{
	r->qp->max_dest_rd_atomic = 0;
}

OPCODE_CASE(misaligned, MISALIGNED, SERVED_ATOMIC)
{
	r->packet.va += 4;
}

OPCODE_CASE(key_unknown, KEY, SERVED_MEMORY)
{
	r->mkey->key ^= 1;
}

OPCODE_CASE(key_invalid, KEY_STATE, SERVED_MEMORY)
{
	r->mkey->state = XRDMA_MKEY_STATE_INVALID;
}

OPCODE_CASE(key_of_other_pd, KEY_PD, SERVED_MEMORY)
{
	r->mkey->pd++;
}

OPCODE_CASE(key_of_other_qp, KEY_QP, SERVED_MEMORY)
{
	r->mkey->qpn = CASE_QPN + 1;
}

OPCODE_CASE(key_without_right, KEY_RIGHTS, SERVED_MEMORY)
{
	r->mkey->rights = ~r->mkey->rights;
}

OPCODE_CASE(begins_before, KEY_RANGE, SERVED_MEMORY)
{
	r->mkey->base = r->packet.va + 1;
}

/* What the packet, or what its message has yet to bring, takes of the key. */
static __u32 len_of(const struct run *r)
{
	if (is(r, SERVED_RD_ATOMIC))
		return is(r, SERVED_READ) ? r->packet.length : sizeof(r->original);
	if (is(r, SERVED_WRITE))
		return is(r, SERVED_FIRST) ? r->packet.length : r->qp->resp.left;
	return is(r, SERVED_PARTS) || is(r, SERVED_SEND) ? r->packet.payload_len
							 : sizeof(r->original);
}

OPCODE_CASE(ends_beyond, KEY_RANGE, SERVED_MEMORY)
{
	r->mkey->len = r->packet.va - r->mkey->base + len_of(r) - 1;
}

OPCODE_CASE(nowhere, HEAP, SERVED_MEMORY)
{
	r->mkey->offset = TARGET_HEAP;
}

OPCODE_CASE(no_receive, RNR, SERVED_TAKES_RECEIVE)
{
	r->rq->user_index--;
}

static void set_no_rq(struct run *r)
{
	r->qp->rq = TARGET_ROWS;
}

OPCODE_CASE(no_queue_to_receive, RNR, SERVED_TAKES_RECEIVE)
{
	set_no_rq(r);
}

OPCODE_CASE(no_queue_to_send_to, RNR, SERVED_SEND)
{
	set_no_rq(r);
}

OPCODE_CASE(receive_too_short, RECV_LENGTH, SERVED_SEND)
{
	r->sges[0].length = r->packet.payload_len + (is(r, SERVED_FIRST) ? 0 : SERVED_DONE) - 1;
}

OPCODE_CASE(cq_full, CQ_FULL, SERVED_COMPLETES)
{
	r->cq->user_index -= CASE_CQ_MASK + 1;
}

OPCODE_CASE(no_cq, CQ_FULL, SERVED_COMPLETES)
{
	r->qp->recv_cq = TARGET_ROWS;
}

OPCODE_CASE(invalidates_unknown, INVALIDATE, SERVED_INVALIDATES)
{
	r->packet.imm ^= 1;
}

OPCODE_CASE(invalidates_other_pd, INVALIDATE, SERVED_INVALIDATES)
{
	r->mkey[1].pd++;
}

OPCODE_CASE(invalidates_other, INVALIDATE, SERVED_INVALIDATES)
{
	r->mkey[1].rights = ~r->mkey[1].rights;
}
