// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Segments of a receive, and the keys and memory that they name. */
#include "support/case.h"

#define CASE_STAGE prog_receive_memory
TestSuite(prog_receive_memory, .once = target_load, .in_one_process = true);

/* Give the receive three segments: one byte, none, and the rest. */
static void set_three_segments(struct run *run)
{
	case_set_send(run);
	run->rq->stride = 3;
	run->sges = case_sges(run, CASE_RECEIVE);
	run->sges[0] = (struct xrdma_sge){ run->packet.va, 1, CASE_KEY };
	run->sges[1] = (struct xrdma_sge){ 0 };
	run->sges[2] = (struct xrdma_sge){ run->packet.va + 1, 63, CASE_KEY };
}

CASE(send_into_two_ranges, OK)
{
	set_three_segments(run);
}

CASE(longer_than_two, RECV_LENGTH)
{
	set_three_segments(run);
	run->sges[2].length = 62;
}

CASE(receive_not_writable, RECV_KEY)
{
	case_set_send(run);
	run->mkey->rights = 0xffff - XRDMA_ACCESS_RECV;
}

CASE(receive_beyond_region, RECV_KEY)
{
	case_set_send(run);
	run->sges[0].addr = CASE_BASE + CASE_REGION - 63;
}

/* The first segment is right, but nothing is written to it. */
CASE(second_key_unknown, RECV_KEY)
{
	set_three_segments(run);
	run->sges[2].lkey ^= 1;
}

/* SEND_FIRST is refused for this, although it reserves no completion. */
CASE(second_range_nowhere, RECV_KEY)
{
	run->mkey[1] = *run->mkey;
	run->mkey[1].key = CASE_KEY + (1 << XRDMA_KEY_INDEX_SHIFT);
	run->mkey[1].rights = XRDMA_ACCESS_RECV;
	run->mkey[1].offset = TARGET_HEAP - 17 - 1022;
	set_three_segments(run);
	run->packet.opcode = XRDMA_RC_SEND_FIRST;
	run->packet.payload_len = 1024;
	run->sges[2].length = 1023;
	run->sges[2].lkey = run->mkey[1].key;
}

CASE(receive_beyond_heap, RECV_KEY)
{
	case_set_send(run);
	run->mkey->offset = TARGET_HEAP;
}

/* Remove the pages of the receive. The process is asked for them. */
static void set_no_page(struct run *run)
{
	case_set_send(run);
	case_set_paged(run, XRDMA_PAGE_ASK, XRDMA_PAGE_ASK);
}

CASE(receive_asked, FAULT)
{
	set_no_page(run);
}

/* The process has reported that it has no memory for the pages. */
CASE(receive_unbacked, RECV_KEY)
{
	set_no_page(run);
	run->qp->resp.unbacked = XRDMA_UNBACKED | CASE_PSN;
}
