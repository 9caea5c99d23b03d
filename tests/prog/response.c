// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Responses to our READs and atomics, and what answers other requests while READs wait for theirs.
 */
#include <string.h>

#include "cases.h"

static void set_response_nothing(struct run *r)
{
	case_set_response(r);
	r->packet.payload_len = r->rd_atomic->length = r->rd_atomic->num_sge = 0;
}

static void set_response_mtu(struct run *r)
{
	case_set_response(r);
	r->packet.payload_len = r->rd_atomic->length = r->sges[0].length = 1024;
}

static void set_response_ipv6(struct run *r)
{
	case_set_response(r);
	case_set_ipv6(r);
}

/* 16 bytes, none, and 48 or more. */
static void set_response_three_ranges(struct run *r)
{
	case_set_response(r);
	r->rd_atomic->num_sge = 3;
	r->sges[0].length = 16;
	r->sges[1] = (struct xrdma_sge){ 0 };
	r->sges[2] = (struct xrdma_sge){ CASE_BASE + 32, 100, CASE_KEY };
}

/* That one was reported as lost matters no more. */
static void set_response_after_loss(struct run *r)
{
	case_set_response(r);
	r->qp->req.waiting = 1;
}

static void set_no_read(struct run *r)
{
	case_set_response(r);
	r->qp->rd_atomics = CASE_RD_ATOMIC;
}

/* To the request before, which was none. */
static void set_response_to_write(struct run *r)
{
	case_set_response(r);
	r->packet.psn = CASE_ACKED_PSN;
}

static void set_response_again(struct run *r)
{
	case_set_response(r);
	r->packet.psn = CASE_ACKED_PSN - 1;
}

static void set_response_unsent(struct run *r)
{
	case_set_response(r);
	r->packet.psn = r->rd_atomic->psn = CASE_SENT_PSN;
}

static void set_response_ahead(struct run *r)
{
	case_set_response(r);
	r->packet.psn = CASE_ACKED_PSN + 2;
}

static void set_response_ahead_again(struct run *r)
{
	set_response_ahead(r);
	r->qp->req.waiting = 1;
}

static void set_answer(struct run *r, __u8 syndrome, __u32 psn)
{
	case_set_response(r);
	r->packet.opcode = XRDMA_RC_ACK;
	r->packet.payload_len = 0;
	r->packet.psn = psn;
	r->packet.syndrome_msn = (__u32)syndrome << 24 | 0x123;
}

static void set_ack_before_read(struct run *r)
{
	set_answer(r, XRDMA_AETH_ACK, CASE_ACKED_PSN);
}

static void set_ack_of_read(struct run *r)
{
	set_answer(r, XRDMA_AETH_ACK, CASE_ACKED_PSN + 1);
}

static void set_ack_beyond_read(struct run *r)
{
	set_answer(r, XRDMA_AETH_ACK, CASE_ACKED_PSN + 3);
}

static void set_nak_of_read(struct run *r)
{
	set_answer(r, XRDMA_AETH_NAK_REMOTE_ACCESS, CASE_ACKED_PSN + 1);
}

static void set_nak_beyond_read(struct run *r)
{
	set_answer(r, XRDMA_AETH_NAK_REMOTE_ACCESS, CASE_ACKED_PSN + 2);
}

static void set_response_short(struct run *r)
{
	case_set_response(r);
	r->packet.payload_len = 63;
}

static void set_response_long(struct run *r)
{
	case_set_response(r);
	r->packet.payload_len = 65;
	r->sges[0].length = 65;
}

/* Of a message of several, for which no READ of ours asks. */
static void set_response_last(struct run *r)
{
	case_set_response(r);
	r->packet.opcode = XRDMA_RC_READ_RESPONSE_LAST;
}

static void set_response_with_nak(struct run *r)
{
	case_set_response(r);
	r->packet.syndrome_msn = (__u32)XRDMA_AETH_NAK_REMOTE_ACCESS << 24;
}

static void set_response_over_mtu(struct run *r)
{
	case_set_response(r);
	r->packet.payload_len = r->rd_atomic->length = 4100;
}

static void set_response_key_gone(struct run *r)
{
	case_set_response(r);
	r->mkey->state = XRDMA_MKEY_STATE_FREE;
}

static void set_response_read_only(struct run *r)
{
	case_set_response(r);
	r->mkey->rights = 0xffff - XRDMA_ACCESS_READ;
}

static void set_response_other_pd(struct run *r)
{
	case_set_response(r);
	r->mkey->pd++;
}

static void set_response_beyond(struct run *r)
{
	case_set_response(r);
	r->sges[0].addr = CASE_BASE + CASE_REGION - 63;
}

static void set_response_little_memory(struct run *r)
{
	case_set_response(r);
	r->sges[0].length = 63;
}

static void set_response_no_memory(struct run *r)
{
	case_set_response(r);
	r->rd_atomic->num_sge = 0;
}

static void set_response_far_sges(struct run *r)
{
	case_set_response(r);
	r->rd_atomic->first = TARGET_RECEIVE_ROWS;
}

static void set_response_nowhere(struct run *r)
{
	case_set_response(r);
	r->mkey->offset = TARGET_HEAP;
}

/* It comes again, and the process may have memory for it then. */
static void set_response_asked(struct run *r)
{
	case_set_response(r);
	case_set_paged(r, XRDMA_PAGE_ASK, XRDMA_PAGE_ASK);
}

/* 3 bytes, none, and 5 of more. */
static void set_result_three_ranges(struct run *r)
{
	case_set_result(r);
	r->rd_atomic->num_sge = 3;
	r->sges[0].length = 3;
	r->sges[1] = (struct xrdma_sge){ 0 };
	r->sges[2] = (struct xrdma_sge){ CASE_BASE + 19, 100, CASE_KEY };
}

static void set_result_across_elements(struct run *r)
{
	case_set_result(r);
	r->packet.va = r->sges[0].addr = CASE_BASE + XRDMA_HEAP_ELEMENT - CASE_REGION_AT - 3;
}

static void set_result_ipv6(struct run *r)
{
	case_set_result(r);
	case_set_ipv6(r);
}

static void set_ack_of_atomic(struct run *r)
{
	case_set_result(r);
	r->packet.opcode = XRDMA_RC_ACK;
}

static void set_result_of_read(struct run *r)
{
	case_set_result(r);
	r->rd_atomic->response = XRDMA_OP_READ_RESPONSE;
}

static void set_response_of_atomic(struct run *r)
{
	case_set_result(r);
	r->packet.opcode = XRDMA_RC_READ_RESPONSE_ONLY;
	r->packet.payload_len = 8;
}

static void set_result_with_nak(struct run *r)
{
	case_set_result(r);
	r->packet.syndrome_msn = (__u32)XRDMA_AETH_NAK_REMOTE_ACCESS << 24;
}

/* Which no request of ours asks for. */
static void set_result_of_16(struct run *r)
{
	case_set_result(r);
	r->rd_atomic->length = 16;
}

static void set_result_with_payload(struct run *r)
{
	case_set_result(r);
	r->packet.payload_len = 8;
}

static void set_result_key_gone(struct run *r)
{
	case_set_result(r);
	r->mkey->state = XRDMA_MKEY_STATE_FREE;
}

static void set_result_again(struct run *r)
{
	case_set_result(r);
	r->packet.psn = CASE_ACKED_PSN - 1;
}

static void set_result_ahead(struct run *r)
{
	case_set_result(r);
	r->packet.psn = CASE_ACKED_PSN + 2;
}

static void set_requester_stopped(struct run *r)
{
	case_set_response(r);
	r->qp->req.error = XRDMA_V_RESPONSE_BAD;
}

#define CASE_STAGE prog_response
TestSuite(prog_response, .once = target_load, .in_one_process = true);
RESPONSE_CASES(CASE_TEST)
