// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * READs of ours with responses of several packets (IBA 9.7.5.1.2). The PSN of a packet determines
 * its place, its position in the response, and its length.
 */
#include "support/case.h"

#define CASE_STAGE prog_read_responses
TestSuite(prog_read_responses, .once = target_load, .in_one_process = true);

enum {
	MTU = 1024,
	LENGTH = 2500, /* three packets */
	LAST_LENGTH = LENGTH - 2 * MTU,
	FIRST_PSN = CASE_ACKED_PSN + 1,
};

/* Make packet NUMBER of the response arrive. All before it have arrived. */
static void set_part(struct run *run, __u32 number, __u8 opcode)
{
	case_set_response(run);
	run->rd_atomic->length = run->sges[0].length = LENGTH;
	run->packet.opcode = opcode;
	run->packet.psn = run->next_psn = FIRST_PSN + number;
	run->packet.va += (__u64)number * MTU;
	run->packet.payload_len = number < 2 ? MTU : LAST_LENGTH;
	if (number)
		run->qp->req.acked_psn = FIRST_PSN + number;
}

static void set_first(struct run *run)
{
	set_part(run, 0, XRDMA_RC_READ_RESPONSE_FIRST);
}

CASE(part_first, PLACED)
{
	set_first(run);
}

static void set_middle(struct run *run)
{
	set_part(run, 1, XRDMA_RC_READ_RESPONSE_MIDDLE);
}

CASE(part_middle, PLACED)
{
	set_middle(run);
}

static void set_last(struct run *run)
{
	set_part(run, 2, XRDMA_RC_READ_RESPONSE_LAST);
}

CASE(part_last, PLACED)
{
	set_last(run);
}

/* If a READ is repeated, its response begins with the first packet again. */
CASE(part_first_again, PLACED)
{
	set_part(run, 1, XRDMA_RC_READ_RESPONSE_FIRST);
}

CASE(part_only_again, PLACED)
{
	set_part(run, 2, XRDMA_RC_READ_RESPONSE_ONLY);
}

/* The packet begins in the first of three pieces and ends in the last. */
CASE(part_into_ranges, PLACED)
{
	set_middle(run);
	run->rd_atomic->num_sge = 3;
	run->sges[0].length = 1500;
	run->sges[1] = (struct xrdma_sge){ 0 };
	run->sges[2] = (struct xrdma_sge){ CASE_BASE + 16 + 1500, 1000, CASE_KEY };
}

CASE(part_after_a_loss, PLACED)
{
	set_middle(run);
	run->qp->req.waiting = 1;
}

CASE(part_behind_the_wrap, PLACED)
{
	set_last(run);
	run->rd_atomic->psn = 0xffffff;
	run->packet.psn = run->qp->req.acked_psn = run->next_psn = 1;
}

CASE(part_comes_again, ACK_OLD)
{
	set_middle(run);
	run->qp->req.acked_psn++;
}

CASE(part_ahead, RESPONSE_AHEAD)
{
	set_last(run);
	run->qp->req.acked_psn = --run->next_psn;
}

CASE(part_ahead_of_first, RESPONSE_AHEAD)
{
	set_middle(run);
	run->qp->req.acked_psn = CASE_ACKED_PSN;
	run->next_psn = FIRST_PSN;
}

/* Make the packet an AETH without data, with the PSN of the next response. */
static void set_answer(struct run *run, __u8 syndrome)
{
	set_middle(run);
	run->packet.opcode = XRDMA_RC_ACK;
	run->packet.payload_len = 0;
	run->packet.syndrome_msn = (__u32)syndrome << 24 | 0x123;
}

/* The packet acknowledges a READ, but has no data. */
CASE(part_acknowledged, RESPONSE_AHEAD)
{
	set_answer(run, XRDMA_AETH_ACK);
}

static void set_refused(struct run *run)
{
	set_answer(run, XRDMA_AETH_NAK_REMOTE_ACCESS);
}

CASE(part_refused, NAKED)
{
	set_refused(run);
}

CASE(part_not_ready, NAKED)
{
	set_answer(run, XRDMA_AETH_RNR_NAK | 5);
}

/* The packet is a NAK of the last packet, but one in the middle was lost. */
CASE(part_refused_ahead, RESPONSE_AHEAD)
{
	set_refused(run);
	run->packet.psn++;
}

CASE(part_middle_is_first, RESPONSE_BAD)
{
	set_part(run, 0, XRDMA_RC_READ_RESPONSE_MIDDLE);
}

CASE(part_only_is_first, RESPONSE_BAD)
{
	set_part(run, 0, XRDMA_RC_READ_RESPONSE_ONLY);
}

CASE(part_last_too_early, RESPONSE_BAD)
{
	set_part(run, 1, XRDMA_RC_READ_RESPONSE_LAST);
}

CASE(part_middle_too_late, RESPONSE_BAD)
{
	set_part(run, 2, XRDMA_RC_READ_RESPONSE_MIDDLE);
	run->packet.payload_len = MTU;
}

CASE(part_middle_too_short, RESPONSE_LENGTH)
{
	set_middle(run);
	run->packet.payload_len -= 4;
}

CASE(part_last_too_short, RESPONSE_BAD)
{
	set_last(run);
	run->packet.payload_len -= 4;
}

CASE(part_last_too_long, RESPONSE_BAD)
{
	set_last(run);
	run->packet.payload_len++;
	run->sges[0].length++;
}

/* The row shows a READ as pending, although all of its response has arrived. */
CASE(part_behind_the_last, RESPONSE_BAD)
{
	set_part(run, 3, XRDMA_RC_READ_RESPONSE_ONLY);
	run->rd_atomic->length = 3 * MTU;
	run->packet.payload_len = 0;
}

CASE(part_with_nak, RESPONSE_BAD)
{
	set_first(run);
	run->packet.syndrome_msn = (__u32)XRDMA_AETH_NAK_REMOTE_ACCESS << 24;
}

CASE(part_of_an_atomic, RESPONSE_BAD)
{
	set_first(run);
	run->rd_atomic->response = XRDMA_OP_ATOMIC_ACK;
}

CASE(part_key_gone, RESPONSE_KEY)
{
	set_middle(run);
	run->mkey->state = XRDMA_MKEY_STATE_FREE;
}

CASE(part_over_memory, RESPONSE_KEY)
{
	set_middle(run);
	run->sges[0].length = 2 * MTU - 1;
}

/* According to the row, the packet's place is gigabytes after the first. */
CASE(part_of_nonsense, RESPONSE_KEY)
{
	set_middle(run);
	run->rd_atomic->length = 0xffffffff;
	run->rd_atomic->psn = (FIRST_PSN - 0x3ffff0) & XRDMA_PSN_MASK;
}
