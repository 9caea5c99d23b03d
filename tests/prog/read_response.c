// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Responses to our READs and atomics, and to other requests while READs wait for their responses.
 */
#include <string.h>

#include "support/case.h"

#define CASE_STAGE prog_read_response
TestSuite(prog_read_response, .once = target_load, .in_one_process = true);

CASE(response_64, PLACED)
{
	case_set_response(run);
}

CASE(result, PLACED)
{
	case_set_result(run);
}

CASE(response_nothing, PLACED)
{
	case_set_response(run);
	run->packet.payload_len = run->rd_atomic->length = run->rd_atomic->num_sge = 0;
}

CASE(response_mtu, PLACED)
{
	case_set_response(run);
	run->packet.payload_len = run->rd_atomic->length = run->sges[0].length = 1024;
}

CASE(response_over_ipv6, PLACED)
{
	case_set_response(run);
	case_set_ipv6(run);
}

/* The ranges have 16 bytes, none, and 48 or more. */
CASE(response_into_ranges, PLACED)
{
	case_set_response(run);
	run->rd_atomic->num_sge = 3;
	run->sges[0].length = 16;
	run->sges[1] = (struct xrdma_sge){ 0 };
	run->sges[2] = (struct xrdma_sge){ CASE_BASE + 32, 100, CASE_KEY };
}

/* A loss that was reported before does not matter. */
CASE(response_after_a_loss, PLACED)
{
	case_set_response(run);
	run->qp->req.waiting = 1;
}

CASE(response_to_no_read, RESPONSE)
{
	case_set_response(run);
	run->qp->rd_atomics = CASE_RD_ATOMIC;
}

/* The packet responds to the request before, which was neither a READ nor an atomic. */
CASE(response_to_a_write, RESPONSE)
{
	case_set_response(run);
	run->packet.psn = CASE_ACKED_PSN;
}

CASE(response_again, ACK_OLD)
{
	case_set_response(run);
	run->packet.psn = CASE_ACKED_PSN - 1;
}

CASE(response_not_sent_for, ACK_UNSENT)
{
	case_set_response(run);
	run->packet.psn = run->rd_atomic->psn = CASE_SENT_PSN;
}

static void set_response_ahead(struct run *run)
{
	case_set_response(run);
	run->packet.psn = CASE_ACKED_PSN + 2;
}

CASE(response_of_the_next, RESPONSE_AHEAD)
{
	set_response_ahead(run);
}

CASE(response_ahead_again, RESPONSE_AHEAD)
{
	set_response_ahead(run);
	run->qp->req.waiting = 1;
}

static void set_answer(struct run *run, __u8 syndrome, __u32 psn)
{
	case_set_response(run);
	run->packet.opcode = XRDMA_RC_ACK;
	run->packet.payload_len = 0;
	run->packet.psn = psn;
	run->packet.syndrome_msn = (__u32)syndrome << 24 | 0x123;
}

CASE(ack_before_a_read, ACKED)
{
	set_answer(run, XRDMA_AETH_ACK, CASE_ACKED_PSN);
}

CASE(ack_of_a_read, RESPONSE_AHEAD)
{
	set_answer(run, XRDMA_AETH_ACK, CASE_ACKED_PSN + 1);
}

CASE(ack_beyond_a_read, RESPONSE_AHEAD)
{
	set_answer(run, XRDMA_AETH_ACK, CASE_ACKED_PSN + 3);
}

CASE(nak_of_a_read, NAKED)
{
	set_answer(run, XRDMA_AETH_NAK_REMOTE_ACCESS, CASE_ACKED_PSN + 1);
}

CASE(nak_beyond_a_read, RESPONSE_AHEAD)
{
	set_answer(run, XRDMA_AETH_NAK_REMOTE_ACCESS, CASE_ACKED_PSN + 2);
}

CASE(response_too_short, RESPONSE_BAD)
{
	case_set_response(run);
	run->packet.payload_len = 63;
}

CASE(response_too_long, RESPONSE_BAD)
{
	case_set_response(run);
	run->packet.payload_len = 65;
	run->sges[0].length = 65;
}

/* The packet belongs to a longer response, but no READ of ours needs one. */
CASE(response_of_several, RESPONSE_BAD)
{
	case_set_response(run);
	run->packet.opcode = XRDMA_RC_READ_RESPONSE_LAST;
}

CASE(response_with_nak, RESPONSE_BAD)
{
	case_set_response(run);
	run->packet.syndrome_msn = (__u32)XRDMA_AETH_NAK_REMOTE_ACCESS << 24;
}

CASE(response_over_mtu, RESPONSE_LENGTH)
{
	case_set_response(run);
	run->packet.payload_len = run->rd_atomic->length = 4100;
}

CASE(response_not_writable, RESPONSE_KEY)
{
	case_set_response(run);
	run->mkey->rights = 0xffff - XRDMA_ACCESS_READ;
}

CASE(response_beyond_region, RESPONSE_KEY)
{
	case_set_response(run);
	run->sges[0].addr = CASE_BASE + CASE_REGION - 63;
}

CASE(response_over_memory, RESPONSE_KEY)
{
	case_set_response(run);
	run->sges[0].length = 63;
}

CASE(response_no_memory, RESPONSE_KEY)
{
	case_set_response(run);
	run->rd_atomic->num_sge = 0;
}

CASE(response_beyond_table, RESPONSE_KEY)
{
	case_set_response(run);
	run->rd_atomic->first = TARGET_RECEIVE_ROWS;
}

CASE(response_beyond_heap, RESPONSE_KEY)
{
	case_set_response(run);
	run->mkey->offset = TARGET_HEAP;
}

/* The page is missing. The process is asked for memory, and the response is sent again. */
CASE(response_asked, RESPONSE_FAULT)
{
	case_set_response(run);
	case_set_paged(run, XRDMA_PAGE_ASK, XRDMA_PAGE_ASK);
}

/* The ranges have 3 bytes, none, and 5 or more. */
CASE(result_into_ranges, PLACED)
{
	case_set_result(run);
	run->rd_atomic->num_sge = 3;
	run->sges[0].length = 3;
	run->sges[1] = (struct xrdma_sge){ 0 };
	run->sges[2] = (struct xrdma_sge){ CASE_BASE + 19, 100, CASE_KEY };
}

CASE(result_in_two_elements, PLACED)
{
	case_set_result(run);
	run->packet.va = run->sges[0].addr = CASE_BASE + XRDMA_HEAP_ELEMENT - CASE_REGION_AT - 3;
}

CASE(result_over_ipv6, PLACED)
{
	case_set_result(run);
	case_set_ipv6(run);
}

CASE(ack_of_an_atomic, RESPONSE_AHEAD)
{
	case_set_result(run);
	run->packet.opcode = XRDMA_RC_ACK;
}

CASE(result_of_a_read, RESPONSE_BAD)
{
	case_set_result(run);
	run->rd_atomic->response = XRDMA_OP_READ_RESPONSE;
}

CASE(response_of_an_atomic, RESPONSE_BAD)
{
	case_set_result(run);
	run->packet.opcode = XRDMA_RC_READ_RESPONSE_ONLY;
	run->packet.payload_len = 8;
}

CASE(result_with_nak, RESPONSE_BAD)
{
	case_set_result(run);
	run->packet.syndrome_msn = (__u32)XRDMA_AETH_NAK_REMOTE_ACCESS << 24;
}

/* The result is for 16 bytes, but no request of ours needs so many. */
CASE(result_of_16_bytes, RESPONSE_BAD)
{
	case_set_result(run);
	run->rd_atomic->length = 16;
}

CASE(result_with_payload, RESPONSE_LENGTH)
{
	case_set_result(run);
	run->packet.payload_len = 8;
}

CASE(result_again, ACK_OLD)
{
	case_set_result(run);
	run->packet.psn = CASE_ACKED_PSN - 1;
}

CASE(result_of_the_next, RESPONSE_AHEAD)
{
	case_set_result(run);
	run->packet.psn = CASE_ACKED_PSN + 2;
}

CASE(requester_stopped, QP_STATE)
{
	case_set_response(run);
	run->qp->req.error = XRDMA_V_RESPONSE_BAD;
}
