// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Each opcode that is served, and all that can be wrong with its packet, one thing at a time: what
 * the cases of cases.h show for one opcode holds for the others too.
 */
#include <string.h>

#include "support/served.h"

enum { ICRC_LEN = 4, IP_AT = 14, UDP_AT = 34, BTH_AT = 42 };

static bool is(const struct run *r, unsigned int kind)
{
	return served_is(r->packet.opcode, kind);
}

static void set_version(struct run *r)
{
	r->packet.bth_flags = 1;
}

static void set_pkey(struct run *r)
{
	r->qp->pkey = 0xfffe;
}

static void set_nobody(struct run *r)
{
	r->packet.dest_qpn++;
}

static void set_other_context(struct run *r)
{
	r->packet.dest_qpn += 1 << XRDMA_QPN_INDEX_BITS;
}

static void set_reset(struct run *r)
{
	r->qp->state = XRDMA_QPS_RESET;
}

static void set_init(struct run *r)
{
	r->qp->state = XRDMA_QPS_INIT;
}

static void set_err(struct run *r)
{
	r->qp->state = XRDMA_QPS_ERR;
}

static void set_rtr(struct run *r)
{
	r->qp->state = XRDMA_QPS_RTR;
}

static void set_transport(struct run *r)
{
	r->qp->transport = is(r, SERVED_OF_RC) ? XRDMA_TRANSPORT_UC : XRDMA_TRANSPORT_RC;
}

static void set_peer(struct run *r)
{
	r->qp->peer_addr[3]++;
}

static void bend_last_byte(struct run *r)
{
	r->frame[r->len - 1] ^= 1;
}

static void bend_cut(struct run *r)
{
	r->len--;
}

/* Only a BTH and the ICRC: the other headers are missing. */
static void bend_to_bth(struct run *r)
{
	r->len = BTH_AT + sizeof(struct xrdma_bth) + ICRC_LEN;
	r->frame[IP_AT + 2] = r->frame[UDP_AT + 4] = 0;
	r->frame[IP_AT + 3] = r->len - IP_AT;
	r->frame[UDP_AT + 5] = r->len - UDP_AT;
	packet_seal(r->frame, r->len);
}

static void set_psn(struct run *r, __u32 psn)
{
	r->packet.psn = (r->packet.psn & ~XRDMA_PSN_MASK) | (psn & XRDMA_PSN_MASK);
}

static void set_ahead(struct run *r)
{
	set_psn(r, CASE_PSN + 1);
}

static void set_ahead_again(struct run *r)
{
	set_psn(r, CASE_PSN + 7);
	r->qp->resp.waiting = 1;
}

static void set_half_ahead(struct run *r)
{
	set_psn(r, CASE_PSN + (1 << 23) - 1);
}

static void set_before(struct run *r)
{
	set_psn(r, CASE_PSN - 1);
}

static void set_half_before(struct run *r)
{
	set_psn(r, CASE_PSN - (1 << 23));
}

static void set_order(struct run *r)
{
	r->qp->resp.op = is(r, SERVED_FIRST) ? XRDMA_OP_WRITE : XRDMA_OP_NONE;
}

static void set_other_order(struct run *r)
{
	r->qp->resp.op = is(r, SERVED_WRITE) ? XRDMA_OP_SEND : XRDMA_OP_WRITE;
}

static void set_over_mtu(struct run *r)
{
	served_set_lengths(r, r->qp->mtu + (is(r, SERVED_FULL) ? 4 : 1),
			   is(r, SERVED_LAST) ? 0 : SERVED_LEN);
}

static void set_payload(struct run *r)
{
	r->packet.payload_len = 4;
}

static void set_under_mtu(struct run *r)
{
	served_set_lengths(r, r->qp->mtu - 4, SERVED_LEN);
}

static void set_pad(struct run *r)
{
	r->packet.payload_len = is(r, SERVED_FULL) ? r->qp->mtu - 1 : 3;
}

static void set_nothing(struct run *r)
{
	served_set_lengths(r, 0, 0);
}

/* Of the message: it ends before its last packet, or has more to come behind it. */
static void set_other_length(struct run *r)
{
	served_set_lengths(r, r->packet.payload_len, is(r, SERVED_LAST) ? 1 : 0);
}

static void set_over_message(struct run *r)
{
	r->packet.length = XRDMA_MESSAGE_MAX + 1;
	r->mkey->base = 0;
	r->mkey->len = -1;
}

static void set_old(struct run *r)
{
	r->packet.psn = r->qp->req.acked_psn - 1;
}

static void set_unsent(struct run *r)
{
	r->packet.psn = CASE_SENT_PSN;
}

static void set_unasked(struct run *r)
{
	r->qp->rd_atomics = r->qp->req.rd_atomics_done;
}

static void set_other_asked(struct run *r)
{
	r->rd_atomic->response = is(r, SERVED_PARTS) ? XRDMA_OP_ATOMIC_ACK : XRDMA_OP_READ_RESPONSE;
}

static void set_syndrome(struct run *r)
{
	r->packet.syndrome_msn |= 0x80U << 24;
}

static void set_nak(struct run *r)
{
	r->packet.syndrome_msn = (__u32)XRDMA_AETH_NAK_REMOTE_ACCESS << 24;
}

static void set_shorter(struct run *r)
{
	r->packet.payload_len -= 4;
}

static void set_longer(struct run *r)
{
	r->packet.payload_len += 4;
}

/* clang-format off */
#define MISUSES(X) \
	X(version,            BTH_VERSION,  set_version, NULL, SERVED_ANY) \
	X(partition,          PKEY,         set_pkey, NULL, SERVED_ANY) \
	X(to_nobody,          QPN,          set_nobody, NULL, SERVED_ANY) \
	X(to_no_context,      CONTEXT,      set_other_context, NULL, SERVED_ANY) \
	X(in_reset,           QPN,          set_reset, NULL, SERVED_ANY) \
	X(in_init,            QP_STATE,     set_init, NULL, SERVED_ANY) \
	X(in_err,             QP_STATE,     set_err, NULL, SERVED_ANY) \
	X(in_rtr,             QP_STATE,     set_rtr, NULL, SERVED_RESPONSE) \
	X(of_other_service,   TRANSPORT,    set_transport, NULL, SERVED_ANY) \
	X(of_other_peer,      SOURCE,       set_peer, NULL, SERVED_ANY) \
	X(icrc,               ICRC,         NULL, bend_last_byte, SERVED_ANY) \
	X(cut,                TRUNCATED,    NULL, bend_cut, SERVED_ANY) \
	X(without_headers,    SHORT,        NULL, bend_to_bth, SERVED_HEADERS) \
	X(ahead,              PSN_AHEAD,    set_ahead, NULL, SERVED_REQUEST) \
	X(half_ahead,         PSN_AHEAD,    set_half_ahead, NULL, SERVED_REQUEST) \
	X(ahead_again,        PSN_WAITING,  set_ahead_again, NULL, SERVED_REQUEST) \
	X(before,             DUPLICATE,    set_before, NULL, SERVED_MESSAGE) \
	X(half_before,        DUPLICATE,    set_half_before, NULL, SERVED_MESSAGE) \
	X(never_made,         NOT_KEPT,     set_before, NULL, SERVED_RD_ATOMIC) \
	X(out_of_order,       OPCODE_ORDER, set_order, NULL, SERVED_REQUEST) \
	X(in_other_message,   OPCODE_ORDER, set_other_order, NULL, SERVED_MESSAGE | SERVED_LATER) \
	X(over_mtu,           LENGTH,       set_over_mtu, NULL, SERVED_MESSAGE) \
	X(with_payload,       LENGTH,       set_payload, NULL, SERVED_REQUEST | SERVED_EMPTY) \
	X(under_mtu,          LENGTH,       set_under_mtu, NULL, SERVED_REQUEST | SERVED_FULL) \
	X(pad_of_full,        PAD,          set_pad, NULL, SERVED_REQUEST | SERVED_FULL) \
	X(pad_of_empty,       PAD,          set_pad, NULL, SERVED_REQUEST | SERVED_EMPTY) \
	X(last_is_empty,      LENGTH,       set_nothing, NULL, SERVED_MESSAGE | SERVED_SOME) \
	X(length_of_other,    LENGTH,       set_other_length, NULL, SERVED_WRITE) \
	X(write_over_2_GiB,   LENGTH,       set_over_message, NULL, SERVED_ANNOUNCES) \
	X(read_over_2_GiB,    LENGTH,       set_over_message, NULL, SERVED_READ) \
	X(acknowledged,       ACK_OLD,      set_old, NULL, SERVED_RESPONSE) \
	X(not_sent_for,       ACK_UNSENT,   set_unsent, NULL, SERVED_RESPONSE) \
	X(not_asked_for,      RESPONSE,     set_unasked, NULL, SERVED_RESULT) \
	X(other_asked_for,    RESPONSE_BAD, set_other_asked, NULL, SERVED_RESULT) \
	X(ack_is_reserved,    SYNDROME,     set_syndrome, NULL, SERVED_ACK) \
	X(result_is_reserved, RESPONSE_BAD, set_syndrome, NULL, SERVED_RESULT | SERVED_AETH) \
	X(brings_a_nak,       RESPONSE_BAD, set_nak, NULL, SERVED_RESULT | SERVED_AETH) \
	X(response_shorter,   RESPONSE_BAD, set_shorter, NULL, SERVED_PARTS | SERVED_LAST) \
	X(response_longer,    RESPONSE_BAD, set_longer, NULL, SERVED_PARTS | SERVED_LAST) \
	X(response_under_mtu, RESPONSE_LENGTH, set_shorter, NULL, SERVED_PARTS | SERVED_FULL) \
	X(response_over_mtu,  RESPONSE_LENGTH, set_longer, NULL, SERVED_PARTS | SERVED_FULL)
/* clang-format on */

#define CASE_STAGE prog_opcodes
TestSuite(prog_opcodes, .once = target_load, .in_one_process = true);

/* clang-format off */
SERVED_TEST(request_is_right, OK, NULL, NULL, SERVED_REQUEST)
SERVED_TEST(result_is_right, PLACED, NULL, NULL, SERVED_RESULT)
SERVED_TEST(ack_is_right, ACKED, NULL, NULL, SERVED_ACK)
/* clang-format on */
MISUSES(SERVED_TEST)

/* What is no opcode, or none that is served, of any service. */
Tests(prog_opcodes, no_other, 256)
{
	bool of_rc = served_is(i, SERVED_OF_RC), of_uc = i >> 5 == XRDMA_TRANSPORT_UC;

	if (!memchr(served_opcodes, i, SERVED))
		served_check(i, SERVED_ANY, of_rc || of_uc ? XRDMA_V_OPCODE : XRDMA_V_TRANSPORT,
			     NULL, NULL);
}
