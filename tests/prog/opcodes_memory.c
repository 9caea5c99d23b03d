// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Each supported opcode, with one flaw at a time in the memory and the queues that it needs. */
#include "support/opcode_case.h"

#define CASE_STAGE prog_opcodes_memory
TestSuite(prog_opcodes_memory, .once = target_load, .in_one_process = true);

static bool is(const struct run *run, unsigned int kind)
{
	return opcode_is(run->packet.opcode, kind);
}

OPCODE_CASE(not_allowed, QP_ACCESS, OPCODE_REMOTE)
{
	run->qp->access = ~run->qp->access;
}

OPCODE_CASE(no_resources, RD_ATOMIC, OPCODE_RD_ATOMIC)
{
	run->qp->max_dest_rd_atomic = 0;
}

OPCODE_CASE(misaligned, MISALIGNED, OPCODE_ATOMIC)
{
	run->packet.va += 4;
}

OPCODE_CASE(key_unknown, KEY, OPCODE_MEMORY)
{
	run->mkey->key ^= 1;
}

OPCODE_CASE(key_invalid, KEY_STATE, OPCODE_MEMORY)
{
	run->mkey->state = XRDMA_MKEY_STATE_INVALID;
}

OPCODE_CASE(key_of_other_pd, KEY_PD, OPCODE_MEMORY)
{
	run->mkey->pd++;
}

OPCODE_CASE(key_of_other_qp, KEY_QP, OPCODE_MEMORY)
{
	run->mkey->qpn = CASE_QPN + 1;
}

OPCODE_CASE(key_without_right, KEY_RIGHTS, OPCODE_MEMORY)
{
	run->mkey->rights = ~run->mkey->rights;
}

OPCODE_CASE(begins_before, KEY_RANGE, OPCODE_MEMORY)
{
	run->mkey->base = run->packet.va + 1;
}

/*
 * Returns the number of bytes that the packet, or the rest of its message, needs in the key's
 * range.
 */
static __u32 len_of(const struct run *run)
{
	if (is(run, OPCODE_RD_ATOMIC))
		return is(run, OPCODE_READ) ? run->packet.length : sizeof(run->original);
	if (is(run, OPCODE_WRITE))
		return is(run, OPCODE_FIRST) ? run->packet.length : run->qp->resp.left;
	return is(run, OPCODE_PARTS) || is(run, OPCODE_SEND) ? run->packet.payload_len
							     : sizeof(run->original);
}

OPCODE_CASE(ends_beyond, KEY_RANGE, OPCODE_MEMORY)
{
	run->mkey->len = run->packet.va - run->mkey->base + len_of(run) - 1;
}

OPCODE_CASE(nowhere, HEAP, OPCODE_MEMORY)
{
	run->mkey->offset = TARGET_HEAP;
}

OPCODE_CASE(no_receive, RNR, OPCODE_TAKES_RECEIVE)
{
	run->rq->user_index--;
}

static void set_no_rq(struct run *run)
{
	run->qp->rq = TARGET_ROWS;
}

OPCODE_CASE(no_queue_to_receive, RNR, OPCODE_TAKES_RECEIVE)
{
	set_no_rq(run);
}

OPCODE_CASE(no_queue_to_send_to, RNR, OPCODE_SEND)
{
	set_no_rq(run);
}

OPCODE_CASE(receive_too_short, RECV_LENGTH, OPCODE_SEND)
{
	run->sges[0].length =
		run->packet.payload_len + (is(run, OPCODE_FIRST) ? 0 : OPCODE_DONE) - 1;
}

OPCODE_CASE(cq_full, CQ_FULL, OPCODE_COMPLETES)
{
	run->cq->user_index -= CASE_CQ_MASK + 1;
}

OPCODE_CASE(no_cq, CQ_FULL, OPCODE_COMPLETES)
{
	run->qp->recv_cq = TARGET_ROWS;
}

OPCODE_CASE(invalidates_unknown, INVALIDATE, OPCODE_INVALIDATES)
{
	run->packet.imm ^= 1;
}

OPCODE_CASE(invalidates_other_pd, INVALIDATE, OPCODE_INVALIDATES)
{
	run->mkey[1].pd++;
}

OPCODE_CASE(invalidates_other, INVALIDATE, OPCODE_INVALIDATES)
{
	run->mkey[1].rights = ~run->mkey[1].rights;
}
