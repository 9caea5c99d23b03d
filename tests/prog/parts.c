// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * READs of ours that several packets respond to (9.7.5.1.2): each goes where its PSN says, and has
 * the position and the length that the PSN says.
 */
#include "cases.h"

enum {
	MTU = 1024,
	LENGTH = 2500, /* three packets */
	LAST_LENGTH = LENGTH - 2 * MTU,
	FIRST_PSN = CASE_ACKED_PSN + 1,
};

/* Packet NUMBER of the response comes, and those before it have. */
static void set_part(struct run *r, __u32 number, __u8 opcode)
{
	case_set_response(r);
	r->rd_atomic->length = r->sges[0].length = LENGTH;
	r->packet.opcode = opcode;
	r->packet.psn = r->next_psn = FIRST_PSN + number;
	r->packet.va += (__u64)number * MTU;
	r->packet.payload_len = number < 2 ? MTU : LAST_LENGTH;
	if (number)
		r->qp->req.acked_psn = FIRST_PSN + number;
}

static void set_first(struct run *r)
{
	set_part(r, 0, XRDMA_RC_READ_RESPONSE_FIRST);
}

static void set_middle(struct run *r)
{
	set_part(r, 1, XRDMA_RC_READ_RESPONSE_MIDDLE);
}

static void set_last(struct run *r)
{
	set_part(r, 2, XRDMA_RC_READ_RESPONSE_LAST);
}

/* What was asked for again begins anew. */
static void set_first_again(struct run *r)
{
	set_part(r, 1, XRDMA_RC_READ_RESPONSE_FIRST);
}

static void set_only_again(struct run *r)
{
	set_part(r, 2, XRDMA_RC_READ_RESPONSE_ONLY);
}

/* The packet begins in the first of three pieces, and ends in the last. */
static void set_ranges(struct run *r)
{
	set_middle(r);
	r->rd_atomic->num_sge = 3;
	r->sges[0].length = 1500;
	r->sges[1] = (struct xrdma_sge){ 0 };
	r->sges[2] = (struct xrdma_sge){ CASE_BASE + 16 + 1500, 1000, CASE_KEY };
}

static void set_after_loss(struct run *r)
{
	set_middle(r);
	r->qp->req.waiting = 1;
}

static void set_wrap(struct run *r)
{
	set_last(r);
	r->rd_atomic->psn = 0xffffff;
	r->packet.psn = r->qp->req.acked_psn = r->next_psn = 1;
}

static void set_again(struct run *r)
{
	set_middle(r);
	r->qp->req.acked_psn++;
}

static void set_ahead(struct run *r)
{
	set_last(r);
	r->qp->req.acked_psn = --r->next_psn;
}

static void set_ahead_of_first(struct run *r)
{
	set_middle(r);
	r->qp->req.acked_psn = CASE_ACKED_PSN;
	r->next_psn = FIRST_PSN;
}

/* By an AETH without data, to the response that comes next. */
static void set_answer(struct run *r, __u8 syndrome)
{
	set_middle(r);
	r->packet.opcode = XRDMA_RC_ACK;
	r->packet.payload_len = 0;
	r->packet.syndrome_msn = (__u32)syndrome << 24 | 0x123;
}

/* Which no data have come for. */
static void set_acked(struct run *r)
{
	set_answer(r, XRDMA_AETH_ACK);
}

static void set_refused(struct run *r)
{
	set_answer(r, XRDMA_AETH_NAK_REMOTE_ACCESS);
}

static void set_not_ready(struct run *r)
{
	set_answer(r, XRDMA_AETH_RNR_NAK | 5);
}

/* That of the last, when one in the middle was lost. */
static void set_refused_ahead(struct run *r)
{
	set_refused(r);
	r->packet.psn++;
}

static void set_middle_first(struct run *r)
{
	set_part(r, 0, XRDMA_RC_READ_RESPONSE_MIDDLE);
}

static void set_only_first(struct run *r)
{
	set_part(r, 0, XRDMA_RC_READ_RESPONSE_ONLY);
}

static void set_last_early(struct run *r)
{
	set_part(r, 1, XRDMA_RC_READ_RESPONSE_LAST);
}

static void set_middle_late(struct run *r)
{
	set_part(r, 2, XRDMA_RC_READ_RESPONSE_MIDDLE);
	r->packet.payload_len = MTU;
}

static void set_middle_short(struct run *r)
{
	set_middle(r);
	r->packet.payload_len -= 4;
}

static void set_last_short(struct run *r)
{
	set_last(r);
	r->packet.payload_len -= 4;
}

static void set_last_long(struct run *r)
{
	set_last(r);
	r->packet.payload_len++;
	r->sges[0].length++;
}

/* The row counts a READ as one that waits, all of which has come. */
static void set_behind_last(struct run *r)
{
	set_part(r, 3, XRDMA_RC_READ_RESPONSE_ONLY);
	r->rd_atomic->length = 3 * MTU;
	r->packet.payload_len = 0;
}

static void set_with_nak(struct run *r)
{
	set_first(r);
	r->packet.syndrome_msn = (__u32)XRDMA_AETH_NAK_REMOTE_ACCESS << 24;
}

static void set_of_atomic(struct run *r)
{
	set_first(r);
	r->rd_atomic->response = XRDMA_OP_ATOMIC_ACK;
}

static void set_key_gone(struct run *r)
{
	set_middle(r);
	r->mkey->state = XRDMA_MKEY_STATE_FREE;
}

static void set_little_memory(struct run *r)
{
	set_middle(r);
	r->sges[0].length = 2 * MTU - 1;
}

/* The row says that the packet goes gigabytes behind the first. */
static void set_nonsense(struct run *r)
{
	set_middle(r);
	r->rd_atomic->length = 0xffffffff;
	r->rd_atomic->psn = (FIRST_PSN - 0x3ffff0) & XRDMA_PSN_MASK;
}

#define CASE_STAGE prog_parts
TestSuite(prog_parts, .once = target_load, .in_one_process = true);
PART_CASES(CASE_TEST)
