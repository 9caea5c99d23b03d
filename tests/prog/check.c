// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* What a request is refused for, and what becomes of responses. */
#include "cases.h"

static void set_psn(struct run *r, int distance)
{
	r->packet.psn = XRDMA_BTH_ACKREQ | ((CASE_PSN + distance) & XRDMA_PSN_MASK);
}

static void set_psn_ahead(struct run *r)
{
	set_psn(r, 1);
}

static void set_psn_wrapped(struct run *r)
{
	set_psn(r, (1 << 23) - 1);
}

static void set_psn_waiting(struct run *r)
{
	set_psn(r, 2);
	r->qp->resp.waiting = 1;
}

static void set_psn_before(struct run *r)
{
	set_psn(r, -1);
}

/* Acknowledged all the same: the first acknowledgement may be what was lost. */
static void set_duplicate_unasked(struct run *r)
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

static void set_uc_ahead(struct run *r)
{
	set_psn_ahead(r);
	set_uc_write(r);
}

static void set_uc_before(struct run *r)
{
	set_psn_before(r);
	set_uc_write(r);
}

static void set_uc_key(struct run *r)
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

static void set_ud_other_peer(struct run *r)
{
	set_ud_send(r);
	r->qp->peer_addr[3]++;
}

static void set_ud_ahead(struct run *r)
{
	set_psn_ahead(r);
	set_ud_send(r);
}

static void set_unassigned(struct run *r)
{
	r->packet.opcode = 0x15;
}

static void set_middle(struct run *r)
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

static void set_under_way(struct run *r)
{
	set_message(r, 64);
}

static void set_over_mtu(struct run *r)
{
	r->packet.length = r->packet.payload_len = 1025;
}

static void set_reth_length(struct run *r)
{
	r->packet.length = 65;
}

static void set_short_first(struct run *r)
{
	r->packet.opcode = XRDMA_RC_WRITE_FIRST;
	r->packet.length = 2048;
	r->packet.payload_len = 512;
}

static void set_first_alone(struct run *r)
{
	r->packet.opcode = XRDMA_RC_WRITE_FIRST;
	r->packet.length = r->packet.payload_len = 1024;
}

static void set_long_last(struct run *r)
{
	set_message(r, 63);
	r->packet.opcode = XRDMA_RC_WRITE_LAST;
}

static void set_short_last(struct run *r)
{
	set_message(r, 65);
	r->packet.opcode = XRDMA_RC_WRITE_LAST;
}

static void set_over_message(struct run *r)
{
	r->packet.opcode = XRDMA_RC_WRITE_FIRST;
	r->packet.payload_len = 1024;
	r->packet.length = XRDMA_MESSAGE_MAX + 1;
	r->mkey->len = -1;
	r->mkey->base = 0;
}

static void bend_pad(struct run *r)
{
	r->packet.opcode = XRDMA_RC_WRITE_FIRST;
	r->packet.length = 2048;
	r->packet.payload_len = 1024;
	r->packet.bth_flags = 1 << XRDMA_BTH_PAD_SHIFT;
	r->len = packet_build(&r->packet, r->frame);
}

static void set_no_access(struct run *r)
{
	r->qp->access = XRDMA_ACCESS_REMOTE_READ | XRDMA_ACCESS_REMOTE_ATOMIC;
}

static void set_no_mkeys(struct run *r)
{
	target_drop(&r->target, "xrdma_mkeys");
}

static void set_free_key(struct run *r)
{
	*r->mkey = (struct xrdma_mkey_row){ 0 };
}

static void set_key_byte(struct run *r)
{
	r->packet.key ^= 1;
}

static void set_key_tag(struct run *r)
{
	r->packet.key ^= TARGET_ROWS << XRDMA_KEY_INDEX_SHIFT;
}

static void set_invalid(struct run *r)
{
	r->mkey->state = XRDMA_MKEY_STATE_INVALID;
}

static void set_kind(struct run *r)
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

static void set_window_2a(struct run *r)
{
	set_window(r, XRDMA_MKEY_KIND_MW2A, CASE_QPN);
}

static void set_window_2b(struct run *r)
{
	set_window(r, XRDMA_MKEY_KIND_MW2B, CASE_QPN);
}

static void set_window_2a_bound(struct run *r)
{
	set_window(r, XRDMA_MKEY_KIND_MW2A, CASE_QPN + 1);
}

static void set_window_2b_bound(struct run *r)
{
	set_window(r, XRDMA_MKEY_KIND_MW2B, CASE_QPN + 1);
}

static void set_window_2b_pd(struct run *r)
{
	set_window_2b(r);
	r->mkey->pd++;
}

static void set_window_free(struct run *r)
{
	set_window_2b(r);
	r->mkey->state = XRDMA_MKEY_STATE_FREE;
}

static void set_window_old_key(struct run *r)
{
	set_window_2b(r);
	r->mkey->key++;
}

/* A window's row holds its own range: that of its region does not matter. */
static void set_window_short(struct run *r)
{
	set_window_1(r);
	r->mkey->len = r->packet.va - CASE_BASE + 63;
}

static void set_window_late(struct run *r)
{
	set_window_1(r);
	r->mkey->base = r->packet.va + 1;
}

static void set_pd(struct run *r)
{
	r->mkey->pd++;
}

static void set_bound(struct run *r)
{
	r->mkey->qpn = CASE_QPN + 1;
}

static void set_read_only(struct run *r)
{
	r->mkey->rights = XRDMA_ACCESS_REMOTE_READ | XRDMA_ACCESS_LOCAL_WRITE;
}

static void set_before(struct run *r)
{
	r->packet.va = CASE_BASE - 1;
}

static void set_beyond(struct run *r)
{
	r->packet.va = CASE_BASE + CASE_REGION - 63;
}

static void set_far_beyond(struct run *r)
{
	r->packet.va = CASE_BASE + CASE_REGION + 1;
}

static void set_wrap(struct run *r)
{
	r->packet.va = -32;
	r->mkey->len = -CASE_BASE;
}

/* The first packet lies within, the message that it announces does not. */
static void set_first_beyond(struct run *r)
{
	r->packet.opcode = XRDMA_RC_WRITE_FIRST;
	r->packet.payload_len = 1024;
	r->packet.length = CASE_REGION - 15;
}

static void set_ack_oldest(struct run *r)
{
	case_set_ack(r, 0, CASE_ACKED_PSN);
}

static void set_ack_newest(struct run *r)
{
	case_set_ack(r, XRDMA_AETH_ACK_NO_CREDIT, CASE_SENT_PSN - 1);
}

static void set_nak(struct run *r)
{
	case_set_ack(r, XRDMA_AETH_NAK_PSN_SEQ, CASE_ACKED_PSN + 2);
}

static void set_nak_operation(struct run *r)
{
	case_set_ack(r, XRDMA_AETH_NAK_REMOTE_OPERATION, CASE_ACKED_PSN);
}

static void set_rnr_nak(struct run *r)
{
	case_set_ack(r, XRDMA_AETH_RNR_NAK | 0x1f, CASE_ACKED_PSN);
}

static void set_ack_old(struct run *r)
{
	case_set_ack(r, 0, CASE_ACKED_PSN - 1);
}

static void set_ack_unsent(struct run *r)
{
	case_set_ack(r, 0, CASE_SENT_PSN);
}

static void set_nak_reserved(struct run *r)
{
	case_set_ack(r, XRDMA_AETH_NAK_REMOTE_OPERATION + 1, CASE_ACKED_PSN);
}

static void set_syndrome_reserved(struct run *r)
{
	case_set_ack(r, 0x80, CASE_ACKED_PSN);
}

static void set_atomic_ack(struct run *r)
{
	case_set_ack(r, 0, CASE_ACKED_PSN);
	r->packet.opcode = XRDMA_RC_ATOMIC_ACK;
}

static void set_ack_payload(struct run *r)
{
	case_set_ack(r, 0, CASE_ACKED_PSN);
	r->packet.payload_len = 4;
}

#define CASE_STAGE prog_check
TestSuite(prog_check, .once = target_load, .in_one_process = true);
CHECK_CASES(CASE_TEST)
