// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Each opcode that is served, and all that can be wrong with its packet, one thing at a time: what
 * the cases of cases.h show for one opcode holds for the others too.
 */
#include <string.h>

#include "support/served.h"

#define CASE_STAGE prog_opcodes
TestSuite(prog_opcodes, .once = target_load, .in_one_process = true);

OPCODE_CASE(request_is_right, OK, SERVED_REQUEST)
{
}

OPCODE_CASE(result_is_right, PLACED, SERVED_RESULT)
{
}

OPCODE_CASE(ack_is_right, ACKED, SERVED_ACK)
{
}

enum { ICRC_LEN = 4, IP_AT = 14, UDP_AT = 34, BTH_AT = 42 };

static bool is(const struct run *r, unsigned int kind)
{
	return served_is(r->packet.opcode, kind);
}

OPCODE_CASE(version, BTH_VERSION, SERVED_ANY)
{
	r->packet.bth_flags = 1;
}

OPCODE_CASE(partition, PKEY, SERVED_ANY)
{
	r->qp->pkey = 0xfffe;
}

OPCODE_CASE(to_nobody, QPN, SERVED_ANY)
{
	r->packet.dest_qpn++;
}

OPCODE_CASE(to_no_context, CONTEXT, SERVED_ANY)
{
	r->packet.dest_qpn += 1 << XRDMA_QPN_INDEX_BITS;
}

OPCODE_CASE(in_reset, QPN, SERVED_ANY)
{
	r->qp->state = XRDMA_QPS_RESET;
}

OPCODE_CASE(in_init, QP_STATE, SERVED_ANY)
{
	r->qp->state = XRDMA_QPS_INIT;
}

OPCODE_CASE(in_err, QP_STATE, SERVED_ANY)
{
	r->qp->state = XRDMA_QPS_ERR;
}

OPCODE_CASE(in_rtr, QP_STATE, SERVED_RESPONSE)
{
	r->qp->state = XRDMA_QPS_RTR;
}

OPCODE_CASE(of_other_service, TRANSPORT, SERVED_ANY)
{
	r->qp->transport = is(r, SERVED_OF_RC) ? XRDMA_TRANSPORT_UC : XRDMA_TRANSPORT_RC;
}

OPCODE_CASE(of_other_peer, SOURCE, SERVED_ANY)
{
	r->qp->peer_addr[3]++;
}

static void edit_last_byte(struct run *r)
{
	r->frame[r->len - 1] ^= 1;
}

OPCODE_CASE(icrc, ICRC, SERVED_ANY)
{
	r->edit_frame = edit_last_byte;
}

static void edit_cut(struct run *r)
{
	r->len--;
}

OPCODE_CASE(cut, TRUNCATED, SERVED_ANY)
{
	r->edit_frame = edit_cut;
}

/* Only a BTH and the ICRC: the other headers are missing. */
static void edit_to_bth(struct run *r)
{
	r->len = BTH_AT + sizeof(struct xrdma_bth) + ICRC_LEN;
	r->frame[IP_AT + 2] = r->frame[UDP_AT + 4] = 0;
	r->frame[IP_AT + 3] = r->len - IP_AT;
	r->frame[UDP_AT + 5] = r->len - UDP_AT;
	packet_seal(r->frame, r->len);
}

OPCODE_CASE(without_headers, SHORT, SERVED_HEADERS)
{
	r->edit_frame = edit_to_bth;
}

static void set_psn(struct run *r, __u32 psn)
{
	r->packet.psn = (r->packet.psn & ~XRDMA_PSN_MASK) | (psn & XRDMA_PSN_MASK);
}

OPCODE_CASE(ahead, PSN_AHEAD, SERVED_REQUEST)
{
	set_psn(r, CASE_PSN + 1);
}

OPCODE_CASE(ahead_again, PSN_WAITING, SERVED_REQUEST)
{
	set_psn(r, CASE_PSN + 7);
	r->qp->resp.waiting = 1;
}

OPCODE_CASE(half_ahead, PSN_AHEAD, SERVED_REQUEST)
{
	set_psn(r, CASE_PSN + (1 << 23) - 1);
}

static void set_before(struct run *r)
{
	set_psn(r, CASE_PSN - 1);
}

OPCODE_CASE(before, DUPLICATE, SERVED_MESSAGE)
{
	set_before(r);
}

OPCODE_CASE(never_made, NOT_KEPT, SERVED_RD_ATOMIC)
{
	set_before(r);
}

OPCODE_CASE(half_before, DUPLICATE, SERVED_MESSAGE)
{
	set_psn(r, CASE_PSN - (1 << 23));
}

OPCODE_CASE(out_of_order, OPCODE_ORDER, SERVED_REQUEST)
{
	r->qp->resp.op = is(r, SERVED_FIRST) ? XRDMA_OP_WRITE : XRDMA_OP_NONE;
}

OPCODE_CASE(in_other_message, OPCODE_ORDER, SERVED_MESSAGE | SERVED_LATER)
{
	r->qp->resp.op = is(r, SERVED_WRITE) ? XRDMA_OP_SEND : XRDMA_OP_WRITE;
}

OPCODE_CASE(over_mtu, LENGTH, SERVED_MESSAGE)
{
	served_set_lengths(r, r->qp->mtu + (is(r, SERVED_FULL) ? 4 : 1),
			   is(r, SERVED_LAST) ? 0 : SERVED_LEN);
}

OPCODE_CASE(with_payload, LENGTH, SERVED_REQUEST | SERVED_EMPTY)
{
	r->packet.payload_len = 4;
}

OPCODE_CASE(under_mtu, LENGTH, SERVED_REQUEST | SERVED_FULL)
{
	served_set_lengths(r, r->qp->mtu - 4, SERVED_LEN);
}

static void set_pad(struct run *r)
{
	r->packet.payload_len = is(r, SERVED_FULL) ? r->qp->mtu - 1 : 3;
}

OPCODE_CASE(pad_of_full, PAD, SERVED_REQUEST | SERVED_FULL)
{
	set_pad(r);
}

OPCODE_CASE(pad_of_empty, PAD, SERVED_REQUEST | SERVED_EMPTY)
{
	set_pad(r);
}

OPCODE_CASE(last_is_empty, LENGTH, SERVED_MESSAGE | SERVED_SOME)
{
	served_set_lengths(r, 0, 0);
}

/* Of the message: it ends before its last packet, or has more to come behind it. */
OPCODE_CASE(length_of_other, LENGTH, SERVED_WRITE)
{
	served_set_lengths(r, r->packet.payload_len, is(r, SERVED_LAST) ? 1 : 0);
}

static void set_over_message(struct run *r)
{
	r->packet.length = XRDMA_MESSAGE_MAX + 1;
	r->mkey->base = 0;
	r->mkey->len = -1;
}

OPCODE_CASE(write_over_2_GiB, LENGTH, SERVED_ANNOUNCES)
{
	set_over_message(r);
}

OPCODE_CASE(read_over_2_GiB, LENGTH, SERVED_READ)
{
	set_over_message(r);
}

OPCODE_CASE(acknowledged, ACK_OLD, SERVED_RESPONSE)
{
	r->packet.psn = r->qp->req.acked_psn - 1;
}

OPCODE_CASE(not_sent_for, ACK_UNSENT, SERVED_RESPONSE)
{
	r->packet.psn = CASE_SENT_PSN;
}

OPCODE_CASE(not_asked_for, RESPONSE, SERVED_RESULT)
{
	r->qp->rd_atomics = r->qp->req.rd_atomics_done;
}

OPCODE_CASE(other_asked_for, RESPONSE_BAD, SERVED_RESULT)
{
	r->rd_atomic->response = is(r, SERVED_PARTS) ? XRDMA_OP_ATOMIC_ACK : XRDMA_OP_READ_RESPONSE;
}

static void set_syndrome(struct run *r)
{
	r->packet.syndrome_msn |= 0x80U << 24;
}

OPCODE_CASE(ack_is_reserved, SYNDROME, SERVED_ACK)
{
	set_syndrome(r);
}

OPCODE_CASE(result_is_reserved, RESPONSE_BAD, SERVED_RESULT | SERVED_AETH)
{
	set_syndrome(r);
}

OPCODE_CASE(brings_a_nak, RESPONSE_BAD, SERVED_RESULT | SERVED_AETH)
{
	r->packet.syndrome_msn = (__u32)XRDMA_AETH_NAK_REMOTE_ACCESS << 24;
}

static void set_shorter(struct run *r)
{
	r->packet.payload_len -= 4;
}

OPCODE_CASE(response_shorter, RESPONSE_BAD, SERVED_PARTS | SERVED_LAST)
{
	set_shorter(r);
}

OPCODE_CASE(response_under_mtu, RESPONSE_LENGTH, SERVED_PARTS | SERVED_FULL)
{
	set_shorter(r);
}

static void set_longer(struct run *r)
{
	r->packet.payload_len += 4;
}

OPCODE_CASE(response_longer, RESPONSE_BAD, SERVED_PARTS | SERVED_LAST)
{
	set_longer(r);
}

OPCODE_CASE(response_over_mtu, RESPONSE_LENGTH, SERVED_PARTS | SERVED_FULL)
{
	set_longer(r);
}

/* What is no opcode, or none that is served, of any service. */
Tests(prog_opcodes, no_other, 256)
{
	bool of_rc = served_is(i, SERVED_OF_RC), of_uc = i >> 5 == XRDMA_TRANSPORT_UC;

	if (!memchr(served_opcodes, i, SERVED))
		served_check(i, SERVED_ANY, of_rc || of_uc ? XRDMA_V_OPCODE : XRDMA_V_TRANSPORT,
			     NULL);
}
