// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Refusals of requests, and results of responses. */
#include "support/case.h"

#define CASE_STAGE prog_check
TestSuite(prog_check, .once = target_load, .in_one_process = true);

static void set_psn(struct run *run, int distance)
{
	run->packet.psn = XRDMA_BTH_ACKREQ | ((CASE_PSN + distance) & XRDMA_PSN_MASK);
}

static void set_psn_ahead(struct run *run)
{
	set_psn(run, 1);
}

CASE(psn_ahead, PSN_AHEAD)
{
	set_psn_ahead(run);
}

CASE(psn_ahead_wrapped, PSN_AHEAD)
{
	set_psn(run, (1 << 23) - 1);
}

CASE(psn_ahead_again, PSN_WAITING)
{
	set_psn(run, 2);
	run->qp->resp.waiting = 1;
}

static void set_psn_before(struct run *run)
{
	set_psn(run, -1);
}

CASE(psn_before, DUPLICATE)
{
	set_psn_before(run);
}

/*
 * A duplicate is acknowledged even if it does not request that, because the first acknowledgement
 * may be lost.
 */
CASE(duplicate_unasked, DUPLICATE)
{
	set_psn(run, -5);
	run->packet.psn &= XRDMA_PSN_MASK;
}

/*
 * Make the packet one of UC, which is not reliable: refused packets are dropped, and nothing is
 * acknowledged.
 */
static void set_uc_write(struct run *run)
{
	run->qp->transport = XRDMA_TRANSPORT_UC;
	run->packet.opcode = XRDMA_UC_WRITE_ONLY;
}

CASE(uc_write, OK)
{
	set_uc_write(run);
}

CASE(uc_key, KEY)
{
	set_uc_write(run);
	run->packet.key ^= 1;
}

CASE(unassigned_opcode, OPCODE)
{
	run->packet.opcode = 0x15;
}

CASE(middle_without_first, OPCODE_ORDER)
{
	run->packet.opcode = XRDMA_RC_WRITE_MIDDLE;
	run->packet.payload_len = 1024;
}

static void set_message(struct run *run, __u32 left)
{
	run->qp->resp.op = XRDMA_OP_WRITE;
	run->qp->resp.key = CASE_KEY;
	run->qp->resp.va = run->packet.va;
	run->qp->resp.left = left;
}

CASE(first_in_a_message, OPCODE_ORDER)
{
	set_message(run, 64);
}

CASE(only_longer_than_mtu, LENGTH)
{
	run->packet.length = run->packet.payload_len = 1025;
}

CASE(only_unlike_reth, LENGTH)
{
	run->packet.length = 65;
}

CASE(first_not_mtu, LENGTH)
{
	run->packet.opcode = XRDMA_RC_WRITE_FIRST;
	run->packet.length = 2048;
	run->packet.payload_len = 512;
}

CASE(first_is_the_last, LENGTH)
{
	run->packet.opcode = XRDMA_RC_WRITE_FIRST;
	run->packet.length = run->packet.payload_len = 1024;
}

CASE(last_too_long, LENGTH)
{
	set_message(run, 63);
	run->packet.opcode = XRDMA_RC_WRITE_LAST;
}

CASE(last_too_short, LENGTH)
{
	set_message(run, 65);
	run->packet.opcode = XRDMA_RC_WRITE_LAST;
}

CASE(message_too_long, LENGTH)
{
	run->packet.opcode = XRDMA_RC_WRITE_FIRST;
	run->packet.payload_len = 1024;
	run->packet.length = XRDMA_MESSAGE_MAX + 1;
	run->mkey->len = -1;
	run->mkey->base = 0;
}

static void edit_pad(struct run *run)
{
	run->packet.opcode = XRDMA_RC_WRITE_FIRST;
	run->packet.length = 2048;
	run->packet.payload_len = 1024;
	run->packet.bth_flags = 1 << XRDMA_BTH_PAD_SHIFT;
	run->len = packet_build(&run->packet, run->frame);
}

CASE(first_with_pad, PAD)
{
	run->edit_frame = edit_pad;
}

CASE(writes_not_allowed, QP_ACCESS)
{
	run->qp->access = XRDMA_ACCESS_REMOTE_READ | XRDMA_ACCESS_REMOTE_ATOMIC;
}

CASE(no_key_table, KEY)
{
	target_drop(&run->target, "xrdma_mkeys");
}

CASE(free_row, KEY)
{
	*run->mkey = (struct xrdma_mkey_row){ 0 };
}

CASE(other_key_byte, KEY)
{
	run->packet.key ^= 1;
}

CASE(other_index_tag, KEY)
{
	run->packet.key ^= TARGET_ROWS << XRDMA_KEY_INDEX_SHIFT;
}

CASE(invalidated, KEY_STATE)
{
	run->mkey->state = XRDMA_MKEY_STATE_INVALID;
}

CASE(kind_not_served, KEY_STATE)
{
	run->mkey->kind = XRDMA_MKEY_KIND_RAW;
}

/*
 * IBA 10.6.7: a window belongs to a domain. A window of type 2 also belongs to the queue pair that
 * bound it.
 */
static void set_window(struct run *run, enum xrdma_mkey_kind kind, __u32 qpn)
{
	run->mkey->kind = kind;
	run->mkey->qpn = qpn;
	run->mkey->rights = XRDMA_ACCESS_REMOTE_WRITE;
}

static void set_window_1(struct run *run)
{
	set_window(run, XRDMA_MKEY_KIND_MW1, 0);
}

CASE(window_1, OK)
{
	set_window_1(run);
}

CASE(window_2a, OK)
{
	set_window(run, XRDMA_MKEY_KIND_MW2A, CASE_QPN);
}

static void set_window_2b(struct run *run)
{
	set_window(run, XRDMA_MKEY_KIND_MW2B, CASE_QPN);
}

CASE(window_2b, OK)
{
	set_window_2b(run);
}

CASE(window_2a_of_another, KEY_QP)
{
	set_window(run, XRDMA_MKEY_KIND_MW2A, CASE_QPN + 1);
}

CASE(window_2b_of_another, KEY_QP)
{
	set_window(run, XRDMA_MKEY_KIND_MW2B, CASE_QPN + 1);
}

CASE(window_2b_of_other_pd, KEY_PD)
{
	set_window_2b(run);
	run->mkey->pd++;
}

CASE(window_free, KEY_STATE)
{
	set_window_2b(run);
	run->mkey->state = XRDMA_MKEY_STATE_FREE;
}

CASE(window_with_old_key, KEY)
{
	set_window_2b(run);
	run->mkey->key++;
}

/* A window's row has its own range. The range of its region does not matter. */
CASE(window_ends_before, KEY_RANGE)
{
	set_window_1(run);
	run->mkey->len = run->packet.va - CASE_BASE + 63;
}

CASE(window_begins_later, KEY_RANGE)
{
	set_window_1(run);
	run->mkey->base = run->packet.va + 1;
}

CASE(read_only, KEY_RIGHTS)
{
	run->mkey->rights = XRDMA_ACCESS_REMOTE_READ | XRDMA_ACCESS_LOCAL_WRITE;
}

CASE(one_byte_beyond, KEY_RANGE)
{
	run->packet.va = CASE_BASE + CASE_REGION - 63;
}

CASE(far_beyond, KEY_RANGE)
{
	run->packet.va = CASE_BASE + CASE_REGION + 1;
}

CASE(address_wraps, KEY_RANGE)
{
	run->packet.va = -32;
	run->mkey->len = -CASE_BASE;
}

/* The first packet lies within the region, but the message that it announces does not. */
CASE(whole_message_counts, KEY_RANGE)
{
	run->packet.opcode = XRDMA_RC_WRITE_FIRST;
	run->packet.payload_len = 1024;
	run->packet.length = CASE_REGION - 15;
}

CASE(ack_of_the_oldest, ACKED)
{
	case_set_ack(run, 0, CASE_ACKED_PSN);
}

CASE(ack_of_the_newest, ACKED)
{
	case_set_ack(run, XRDMA_AETH_ACK_NO_CREDIT, CASE_SENT_PSN - 1);
}

CASE(nak_psn_sequence, NAKED)
{
	case_set_ack(run, XRDMA_AETH_NAK_PSN_SEQ, CASE_ACKED_PSN + 2);
}

CASE(nak_of_the_last_code, NAKED)
{
	case_set_ack(run, XRDMA_AETH_NAK_REMOTE_OPERATION, CASE_ACKED_PSN);
}

CASE(nak_rnr, NAKED)
{
	case_set_ack(run, XRDMA_AETH_RNR_NAK | 0x1f, CASE_ACKED_PSN);
}

CASE(acked_before, ACK_OLD)
{
	case_set_ack(run, 0, CASE_ACKED_PSN - 1);
}

CASE(never_sent, ACK_UNSENT)
{
	case_set_ack(run, 0, CASE_SENT_PSN);
}

CASE(reserved_nak_code, SYNDROME)
{
	case_set_ack(run, XRDMA_AETH_NAK_REMOTE_OPERATION + 1, CASE_ACKED_PSN);
}

CASE(reserved_syndrome, SYNDROME)
{
	case_set_ack(run, 0x80, CASE_ACKED_PSN);
}

CASE(atomic_result_unasked, RESPONSE)
{
	case_set_ack(run, 0, CASE_ACKED_PSN);
	run->packet.opcode = XRDMA_RC_ATOMIC_ACK;
}

CASE(ack_with_payload, RESPONSE_LENGTH)
{
	case_set_ack(run, 0, CASE_ACKED_PSN);
	run->packet.payload_len = 4;
}
