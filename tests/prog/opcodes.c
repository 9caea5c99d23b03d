// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Each supported opcode, with one flaw in its packet at a time. So the cases of other files for one
 * opcode are checked for the others, too.
 */
#include <string.h>

#include "support/opcode_case.h"

#define CASE_STAGE prog_opcodes
TestSuite(prog_opcodes, .once = target_load, .in_one_process = true);

OPCODE_CASE(request_is_right, OK, OPCODE_REQUEST)
{
}

OPCODE_CASE(result_is_right, PLACED, OPCODE_RESULT)
{
}

OPCODE_CASE(ack_is_right, ACKED, OPCODE_ACK)
{
}

enum { ICRC_LEN = 4, IP_AT = 14, UDP_AT = 34, BTH_AT = 42 };

static bool is(const struct run *run, unsigned int kind)
{
	return opcode_is(run->packet.opcode, kind);
}

OPCODE_CASE(version, BTH_VERSION, OPCODE_ANY)
{
	run->packet.bth_flags = 1;
}

OPCODE_CASE(partition, PKEY, OPCODE_ANY)
{
	run->qp->pkey = 0xfffe;
}

OPCODE_CASE(to_nobody, QPN, OPCODE_ANY)
{
	run->packet.dest_qpn++;
}

OPCODE_CASE(to_no_context, CONTEXT, OPCODE_ANY)
{
	run->packet.dest_qpn += 1 << XRDMA_QPN_INDEX_BITS;
}

OPCODE_CASE(in_reset, QPN, OPCODE_ANY)
{
	run->qp->state = XRDMA_QPS_RESET;
}

OPCODE_CASE(in_init, QP_STATE, OPCODE_ANY)
{
	run->qp->state = XRDMA_QPS_INIT;
}

OPCODE_CASE(in_err, QP_STATE, OPCODE_ANY)
{
	run->qp->state = XRDMA_QPS_ERR;
}

OPCODE_CASE(in_rtr, QP_STATE, OPCODE_RESPONSE)
{
	run->qp->state = XRDMA_QPS_RTR;
}

OPCODE_CASE(of_other_service, TRANSPORT, OPCODE_ANY)
{
	run->qp->transport = is(run, OPCODE_OF_RC) ? XRDMA_TRANSPORT_UC : XRDMA_TRANSPORT_RC;
}

OPCODE_CASE(of_other_peer, SOURCE, OPCODE_CONNECTED)
{
	run->qp->peer_addr[3]++;
}

static void edit_last_byte(struct run *run)
{
	run->frame[run->len - 1] ^= 1;
}

OPCODE_CASE(of_any_peer, OK, OPCODE_DATAGRAM)
{
	run->qp->peer_addr[3]++;
	run->qp->resp.peer_sport = 1;
}

OPCODE_CASE(qkey, QKEY, OPCODE_DATAGRAM)
{
	run->packet.qkey++;
}

OPCODE_CASE(icrc, ICRC, OPCODE_ANY)
{
	run->edit_frame = edit_last_byte;
}

static void edit_cut(struct run *run)
{
	run->len--;
}

OPCODE_CASE(cut, TRUNCATED, OPCODE_ANY)
{
	run->edit_frame = edit_cut;
}

/* Shorten the packet to a BTH and the ICRC. The other headers are missing. */
static void edit_to_bth(struct run *run)
{
	run->len = BTH_AT + sizeof(struct xrdma_bth) + ICRC_LEN;
	run->frame[IP_AT + 2] = run->frame[UDP_AT + 4] = 0;
	run->frame[IP_AT + 3] = run->len - IP_AT;
	run->frame[UDP_AT + 5] = run->len - UDP_AT;
	packet_seal(run->frame, run->len);
}

OPCODE_CASE(without_headers, SHORT, OPCODE_HEADERS)
{
	run->edit_frame = edit_to_bth;
}

static void set_psn(struct run *run, __u32 psn)
{
	run->packet.psn = (run->packet.psn & ~XRDMA_PSN_MASK) | (psn & XRDMA_PSN_MASK);
}

OPCODE_CASE(ahead, PSN_AHEAD, OPCODE_REQUEST | OPCODE_IN_ORDER)
{
	set_psn(run, CASE_PSN + 1);
}

OPCODE_CASE(ahead_again, PSN_WAITING, OPCODE_REQUEST | OPCODE_IN_ORDER)
{
	set_psn(run, CASE_PSN + 7);
	run->qp->resp.waiting = 1;
}

OPCODE_CASE(half_ahead, PSN_AHEAD, OPCODE_REQUEST | OPCODE_IN_ORDER)
{
	set_psn(run, CASE_PSN + (1 << 23) - 1);
}

static void set_before(struct run *run)
{
	set_psn(run, CASE_PSN - 1);
}

OPCODE_CASE(before, DUPLICATE, OPCODE_MESSAGE | OPCODE_IN_ORDER)
{
	set_before(run);
}

OPCODE_CASE(never_made, NOT_KEPT, OPCODE_RD_ATOMIC)
{
	set_before(run);
}

OPCODE_CASE(half_before, DUPLICATE, OPCODE_MESSAGE | OPCODE_IN_ORDER)
{
	set_psn(run, CASE_PSN - (1 << 23));
}

OPCODE_CASE(out_of_order, OPCODE_ORDER, OPCODE_REQUEST | OPCODE_IN_ORDER)
{
	run->qp->resp.op = is(run, OPCODE_FIRST) ? XRDMA_OP_WRITE : XRDMA_OP_NONE;
}

OPCODE_CASE(in_other_message, OPCODE_ORDER, OPCODE_MESSAGE | OPCODE_LATER)
{
	run->qp->resp.op = is(run, OPCODE_WRITE) ? XRDMA_OP_SEND : XRDMA_OP_WRITE;
}

OPCODE_CASE(over_mtu, LENGTH, OPCODE_MESSAGE)
{
	opcode_set_lengths(run, run->qp->mtu + (is(run, OPCODE_FULL) ? 4 : 1),
			   is(run, OPCODE_LAST) ? 0 : OPCODE_LEN);
}

OPCODE_CASE(with_payload, LENGTH, OPCODE_REQUEST | OPCODE_EMPTY)
{
	run->packet.payload_len = 4;
}

OPCODE_CASE(under_mtu, LENGTH, OPCODE_REQUEST | OPCODE_FULL)
{
	opcode_set_lengths(run, run->qp->mtu - 4, OPCODE_LEN);
}

static void set_pad(struct run *run)
{
	run->packet.payload_len = is(run, OPCODE_FULL) ? run->qp->mtu - 1 : 3;
}

OPCODE_CASE(pad_of_full, PAD, OPCODE_REQUEST | OPCODE_FULL)
{
	set_pad(run);
}

OPCODE_CASE(pad_of_empty, PAD, OPCODE_REQUEST | OPCODE_EMPTY)
{
	set_pad(run);
}

OPCODE_CASE(last_is_empty, LENGTH, OPCODE_MESSAGE | OPCODE_SOME)
{
	opcode_set_lengths(run, 0, 0);
}

/* The message ends before its last packet, or continues after it. */
OPCODE_CASE(length_of_other, LENGTH, OPCODE_WRITE)
{
	opcode_set_lengths(run, run->packet.payload_len, is(run, OPCODE_LAST) ? 1 : 0);
}

static void set_over_message(struct run *run)
{
	run->packet.length = XRDMA_MESSAGE_MAX + 1;
	run->mkey->base = 0;
	run->mkey->len = -1;
}

OPCODE_CASE(write_over_2_GiB, LENGTH, OPCODE_ANNOUNCES)
{
	set_over_message(run);
}

OPCODE_CASE(read_over_2_GiB, LENGTH, OPCODE_READ)
{
	set_over_message(run);
}

OPCODE_CASE(acknowledged, ACK_OLD, OPCODE_RESPONSE)
{
	run->packet.psn = run->qp->req.acked_psn - 1;
}

OPCODE_CASE(not_sent_for, ACK_UNSENT, OPCODE_RESPONSE)
{
	run->packet.psn = CASE_SENT_PSN;
}

OPCODE_CASE(not_asked_for, RESPONSE, OPCODE_RESULT)
{
	run->qp->rd_atomics = run->qp->req.rd_atomics_done;
}

OPCODE_CASE(other_asked_for, RESPONSE_BAD, OPCODE_RESULT)
{
	run->rd_atomic->response =
		is(run, OPCODE_PARTS) ? XRDMA_OP_ATOMIC_ACK : XRDMA_OP_READ_RESPONSE;
}

static void set_syndrome(struct run *run)
{
	run->packet.syndrome_msn |= 0x80U << 24;
}

OPCODE_CASE(ack_is_reserved, SYNDROME, OPCODE_ACK)
{
	set_syndrome(run);
}

OPCODE_CASE(result_is_reserved, RESPONSE_BAD, OPCODE_RESULT | OPCODE_AETH)
{
	set_syndrome(run);
}

OPCODE_CASE(brings_a_nak, RESPONSE_BAD, OPCODE_RESULT | OPCODE_AETH)
{
	run->packet.syndrome_msn = (__u32)XRDMA_AETH_NAK_REMOTE_ACCESS << 24;
}

static void set_shorter(struct run *run)
{
	run->packet.payload_len -= 4;
}

OPCODE_CASE(response_shorter, RESPONSE_BAD, OPCODE_PARTS | OPCODE_LAST)
{
	set_shorter(run);
}

OPCODE_CASE(response_under_mtu, RESPONSE_LENGTH, OPCODE_PARTS | OPCODE_FULL)
{
	set_shorter(run);
}

static void set_longer(struct run *run)
{
	run->packet.payload_len += 4;
}

OPCODE_CASE(response_longer, RESPONSE_BAD, OPCODE_PARTS | OPCODE_LAST)
{
	set_longer(run);
}

OPCODE_CASE(response_over_mtu, RESPONSE_LENGTH, OPCODE_PARTS | OPCODE_FULL)
{
	set_longer(run);
}

/* All other opcodes of any service are refused. */
Tests(prog_opcodes, no_other, 256)
{
	const __u8 transport = XRDMA_OPCODE_TRANSPORT(i);
	const bool is_served = transport == XRDMA_TRANSPORT_RC || transport == XRDMA_TRANSPORT_UC ||
			       transport == XRDMA_TRANSPORT_UD;

	if (!memchr(opcodes_supported, i, OPCODE_COUNT))
		opcode_check(i, OPCODE_ANY, is_served ? XRDMA_V_OPCODE : XRDMA_V_TRANSPORT, NULL);
}
