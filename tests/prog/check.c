// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* What a request is refused for, and what becomes of responses. */
#include "support/case.h"

#define CASE_STAGE prog_check
TestSuite(prog_check, .once = target_load, .in_one_process = true);

static void set_psn(struct run *r, int distance)
{
	r->packet.psn = XRDMA_BTH_ACKREQ | ((CASE_PSN + distance) & XRDMA_PSN_MASK);
}

static void set_psn_ahead(struct run *r)
{
	set_psn(r, 1);
}

CASE(psn_ahead, PSN_AHEAD)
{
	set_psn_ahead(r);
}

CASE(psn_ahead_wrapped, PSN_AHEAD)
{
	set_psn(r, (1 << 23) - 1);
}

CASE(psn_ahead_again, PSN_WAITING)
{
	set_psn(r, 2);
	r->qp->resp.waiting = 1;
}

static void set_psn_before(struct run *r)
{
	set_psn(r, -1);
}

CASE(psn_before, DUPLICATE)
{
	set_psn_before(r);
}

/* Acknowledged all the same: the first acknowledgement may be what was lost. */
CASE(duplicate_unasked, DUPLICATE)
{
	set_psn(r, -5);
	r->packet.psn &= XRDMA_PSN_MASK;
}

/* A service that is not reliable: what is refused is dropped, and nothing is acknowledged. */
static void set_uc_write(struct run *r)
{
	r->qp->transport = XRDMA_TRANSPORT_UC;
	r->packet.opcode = XRDMA_UC_WRITE_ONLY;
}

CASE(uc_write, OK)
{
	set_uc_write(r);
}

CASE(uc_psn_ahead, PSN_AHEAD)
{
	set_psn_ahead(r);
	set_uc_write(r);
}

CASE(uc_psn_before, DUPLICATE)
{
	set_psn_before(r);
	set_uc_write(r);
}

CASE(uc_key, KEY)
{
	set_uc_write(r);
	r->packet.key ^= 1;
}

/* UD has no connection and no order, so neither peer nor PSN is checked. It is not served yet. */
static void set_ud_send(struct run *r)
{
	r->qp->transport = XRDMA_TRANSPORT_UD;
	r->packet.opcode = XRDMA_UD_SEND_ONLY;
}

CASE(ud_send, OPCODE)
{
	set_ud_send(r);
}

CASE(ud_other_peer, OPCODE)
{
	set_ud_send(r);
	r->qp->peer_addr[3]++;
}

CASE(ud_psn_ahead, OPCODE)
{
	set_psn_ahead(r);
	set_ud_send(r);
}

CASE(unassigned_opcode, OPCODE)
{
	r->packet.opcode = 0x15;
}

CASE(middle_without_first, OPCODE_ORDER)
{
	r->packet.opcode = XRDMA_RC_WRITE_MIDDLE;
	r->packet.payload_len = 1024;
}

static void set_message(struct run *r, __u32 left)
{
	r->qp->resp.op = XRDMA_OP_WRITE;
	r->qp->resp.key = CASE_KEY;
	r->qp->resp.va = r->packet.va;
	r->qp->resp.left = left;
}

CASE(first_in_a_message, OPCODE_ORDER)
{
	set_message(r, 64);
}

CASE(only_longer_than_mtu, LENGTH)
{
	r->packet.length = r->packet.payload_len = 1025;
}

CASE(only_unlike_reth, LENGTH)
{
	r->packet.length = 65;
}

CASE(first_not_mtu, LENGTH)
{
	r->packet.opcode = XRDMA_RC_WRITE_FIRST;
	r->packet.length = 2048;
	r->packet.payload_len = 512;
}

CASE(first_is_the_last, LENGTH)
{
	r->packet.opcode = XRDMA_RC_WRITE_FIRST;
	r->packet.length = r->packet.payload_len = 1024;
}

CASE(last_too_long, LENGTH)
{
	set_message(r, 63);
	r->packet.opcode = XRDMA_RC_WRITE_LAST;
}

CASE(last_too_short, LENGTH)
{
	set_message(r, 65);
	r->packet.opcode = XRDMA_RC_WRITE_LAST;
}

CASE(message_too_long, LENGTH)
{
	r->packet.opcode = XRDMA_RC_WRITE_FIRST;
	r->packet.payload_len = 1024;
	r->packet.length = XRDMA_MESSAGE_MAX + 1;
	r->mkey->len = -1;
	r->mkey->base = 0;
}

static void edit_pad(struct run *r)
{
	r->packet.opcode = XRDMA_RC_WRITE_FIRST;
	r->packet.length = 2048;
	r->packet.payload_len = 1024;
	r->packet.bth_flags = 1 << XRDMA_BTH_PAD_SHIFT;
	r->len = packet_build(&r->packet, r->frame);
}

CASE(first_with_pad, PAD)
{
	r->edit_frame = edit_pad;
}

CASE(writes_not_allowed, QP_ACCESS)
{
	r->qp->access = XRDMA_ACCESS_REMOTE_READ | XRDMA_ACCESS_REMOTE_ATOMIC;
}

CASE(no_key_table, KEY)
{
	target_drop(&r->target, "xrdma_mkeys");
}

CASE(free_row, KEY)
{
	*r->mkey = (struct xrdma_mkey_row){ 0 };
}

CASE(other_key_byte, KEY)
{
	r->packet.key ^= 1;
}

CASE(other_index_tag, KEY)
{
	r->packet.key ^= TARGET_ROWS << XRDMA_KEY_INDEX_SHIFT;
}

CASE(invalidated, KEY_STATE)
{
	r->mkey->state = XRDMA_MKEY_STATE_INVALID;
}

CASE(kind_not_served, KEY_STATE)
{
	r->mkey->kind = XRDMA_MKEY_KIND_RAW;
}

/* 10.6.7: of the domain; one of type 2 of the queue pair that bound it, too. */
static void set_window(struct run *r, enum xrdma_mkey_kind kind, __u32 qpn)
{
	r->mkey->kind = kind;
	r->mkey->qpn = qpn;
	r->mkey->rights = XRDMA_ACCESS_REMOTE_WRITE;
}

static void set_window_1(struct run *r)
{
	set_window(r, XRDMA_MKEY_KIND_MW1, 0);
}

CASE(window_1, OK)
{
	set_window_1(r);
}

CASE(window_2a, OK)
{
	set_window(r, XRDMA_MKEY_KIND_MW2A, CASE_QPN);
}

static void set_window_2b(struct run *r)
{
	set_window(r, XRDMA_MKEY_KIND_MW2B, CASE_QPN);
}

CASE(window_2b, OK)
{
	set_window_2b(r);
}

CASE(window_2a_of_another, KEY_QP)
{
	set_window(r, XRDMA_MKEY_KIND_MW2A, CASE_QPN + 1);
}

CASE(window_2b_of_another, KEY_QP)
{
	set_window(r, XRDMA_MKEY_KIND_MW2B, CASE_QPN + 1);
}

CASE(window_2b_of_other_pd, KEY_PD)
{
	set_window_2b(r);
	r->mkey->pd++;
}

CASE(window_free, KEY_STATE)
{
	set_window_2b(r);
	r->mkey->state = XRDMA_MKEY_STATE_FREE;
}

CASE(window_with_old_key, KEY)
{
	set_window_2b(r);
	r->mkey->key++;
}

/* A window's row holds its own range: that of its region does not matter. */
CASE(window_ends_before, KEY_RANGE)
{
	set_window_1(r);
	r->mkey->len = r->packet.va - CASE_BASE + 63;
}

CASE(window_begins_later, KEY_RANGE)
{
	set_window_1(r);
	r->mkey->base = r->packet.va + 1;
}

CASE(other_pd, KEY_PD)
{
	r->mkey->pd++;
}

CASE(bound_to_another, KEY_QP)
{
	r->mkey->qpn = CASE_QPN + 1;
}

CASE(read_only, KEY_RIGHTS)
{
	r->mkey->rights = XRDMA_ACCESS_REMOTE_READ | XRDMA_ACCESS_LOCAL_WRITE;
}

CASE(before_the_region, KEY_RANGE)
{
	r->packet.va = CASE_BASE - 1;
}

CASE(one_byte_beyond, KEY_RANGE)
{
	r->packet.va = CASE_BASE + CASE_REGION - 63;
}

CASE(far_beyond, KEY_RANGE)
{
	r->packet.va = CASE_BASE + CASE_REGION + 1;
}

CASE(address_wraps, KEY_RANGE)
{
	r->packet.va = -32;
	r->mkey->len = -CASE_BASE;
}

/* The first packet lies within, the message that it announces does not. */
CASE(whole_message_counts, KEY_RANGE)
{
	r->packet.opcode = XRDMA_RC_WRITE_FIRST;
	r->packet.payload_len = 1024;
	r->packet.length = CASE_REGION - 15;
}

CASE(ack_of_the_oldest, ACKED)
{
	case_set_ack(r, 0, CASE_ACKED_PSN);
}

CASE(ack_of_the_newest, ACKED)
{
	case_set_ack(r, XRDMA_AETH_ACK_NO_CREDIT, CASE_SENT_PSN - 1);
}

CASE(nak_psn_sequence, NAKED)
{
	case_set_ack(r, XRDMA_AETH_NAK_PSN_SEQ, CASE_ACKED_PSN + 2);
}

CASE(nak_of_the_last_code, NAKED)
{
	case_set_ack(r, XRDMA_AETH_NAK_REMOTE_OPERATION, CASE_ACKED_PSN);
}

CASE(nak_rnr, NAKED)
{
	case_set_ack(r, XRDMA_AETH_RNR_NAK | 0x1f, CASE_ACKED_PSN);
}

CASE(acked_before, ACK_OLD)
{
	case_set_ack(r, 0, CASE_ACKED_PSN - 1);
}

CASE(never_sent, ACK_UNSENT)
{
	case_set_ack(r, 0, CASE_SENT_PSN);
}

CASE(reserved_nak_code, SYNDROME)
{
	case_set_ack(r, XRDMA_AETH_NAK_REMOTE_OPERATION + 1, CASE_ACKED_PSN);
}

CASE(reserved_syndrome, SYNDROME)
{
	case_set_ack(r, 0x80, CASE_ACKED_PSN);
}

CASE(atomic_result_unasked, RESPONSE)
{
	case_set_ack(r, 0, CASE_ACKED_PSN);
	r->packet.opcode = XRDMA_RC_ATOMIC_ACK;
}

CASE(ack_with_payload, RESPONSE_LENGTH)
{
	case_set_ack(r, 0, CASE_ACKED_PSN);
	r->packet.payload_len = 4;
}
