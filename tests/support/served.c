// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "served.h"

#include "lib/opcode.h"

const __u8 served_opcodes[SERVED] = {
	XRDMA_RC_SEND_FIRST,
	XRDMA_RC_SEND_MIDDLE,
	XRDMA_RC_SEND_LAST,
	XRDMA_RC_SEND_LAST_IMM,
	XRDMA_RC_SEND_LAST_INV,
	XRDMA_RC_SEND_ONLY,
	XRDMA_RC_SEND_ONLY_IMM,
	XRDMA_RC_SEND_ONLY_INV,
	XRDMA_RC_WRITE_FIRST,
	XRDMA_RC_WRITE_MIDDLE,
	XRDMA_RC_WRITE_LAST,
	XRDMA_RC_WRITE_LAST_IMM,
	XRDMA_RC_WRITE_ONLY,
	XRDMA_RC_WRITE_ONLY_IMM,
	XRDMA_RC_READ_REQUEST,
	XRDMA_RC_CMP_SWAP,
	XRDMA_RC_FETCH_ADD,
	XRDMA_RC_READ_RESPONSE_FIRST,
	XRDMA_RC_READ_RESPONSE_MIDDLE,
	XRDMA_RC_READ_RESPONSE_LAST,
	XRDMA_RC_READ_RESPONSE_ONLY,
	XRDMA_RC_ATOMIC_ACK,
	XRDMA_RC_ACK,
	XRDMA_UC_SEND_FIRST,
	XRDMA_UC_SEND_MIDDLE,
	XRDMA_UC_SEND_LAST,
	XRDMA_UC_SEND_LAST_IMM,
	XRDMA_UC_SEND_ONLY,
	XRDMA_UC_SEND_ONLY_IMM,
	XRDMA_UC_WRITE_FIRST,
	XRDMA_UC_WRITE_MIDDLE,
	XRDMA_UC_WRITE_LAST,
	XRDMA_UC_WRITE_LAST_IMM,
	XRDMA_UC_WRITE_ONLY,
	XRDMA_UC_WRITE_ONLY_IMM,
};

static unsigned int op_kinds(__u8 op)
{
	switch (op) {
	case XRDMA_OP_SEND:
		return SERVED_REQUEST | SERVED_MESSAGE | SERVED_SEND;
	case XRDMA_OP_WRITE:
		return SERVED_REQUEST | SERVED_MESSAGE | SERVED_REMOTE | SERVED_WRITE;
	case XRDMA_OP_READ:
		return SERVED_REQUEST | SERVED_RD_ATOMIC | SERVED_REMOTE | SERVED_READ;
	case XRDMA_OP_CMP_SWAP:
	case XRDMA_OP_FETCH_ADD:
		return SERVED_REQUEST | SERVED_RD_ATOMIC | SERVED_REMOTE | SERVED_ATOMIC;
	case XRDMA_OP_READ_RESPONSE:
		return SERVED_RESPONSE | SERVED_RESULT | SERVED_PARTS;
	case XRDMA_OP_ATOMIC_ACK:
		return SERVED_RESPONSE | SERVED_RESULT;
	default:
		return SERVED_RESPONSE | SERVED_ACK;
	}
}

static unsigned int header_kinds(unsigned int headers)
{
	return (headers ? SERVED_HEADERS : 0) | (headers & XRDMA_HDR_RETH ? SERVED_RETH : 0) |
	       (headers & XRDMA_HDR_AETH ? SERVED_AETH : 0) |
	       (headers & XRDMA_HDR_IETH ? SERVED_INVALIDATES : 0);
}

static unsigned int payload_kinds(__u8 payload)
{
	switch (payload) {
	case XRDMA_PAYLOAD_MTU:
		return SERVED_FULL;
	case XRDMA_PAYLOAD_SOME:
		return SERVED_SOME;
	default:
		return payload == XRDMA_PAYLOAD_NONE ? SERVED_EMPTY : 0;
	}
}

static unsigned int kinds_of(__u8 opcode)
{
	const struct xrdma_opcode_info *info = xrdma_opcode_info(opcode);
	unsigned int kinds =
		op_kinds(info->op) | header_kinds(info->headers) | payload_kinds(info->payload);
	const bool has_imm = info->headers & XRDMA_HDR_IMMDT;

	kinds |= info->position & XRDMA_POSITION_FIRST ? SERVED_FIRST : SERVED_LATER;
	kinds |= info->position & XRDMA_POSITION_LAST ? SERVED_LAST : SERVED_MORE;
	if (XRDMA_OPCODE_TRANSPORT(opcode) == XRDMA_TRANSPORT_RC)
		kinds |= SERVED_OF_RC;
	if (kinds & SERVED_WRITE && kinds & SERVED_FIRST && kinds & SERVED_MORE)
		kinds |= SERVED_ANNOUNCES;
	if (kinds & SERVED_SEND ? kinds & SERVED_FIRST : has_imm)
		kinds |= SERVED_TAKES_RECEIVE;
	if (kinds & SERVED_LAST && (kinds & SERVED_SEND || has_imm))
		kinds |= SERVED_COMPLETES;
	return kinds | (kinds & SERVED_ACK ? 0 : SERVED_MEMORY);
}

bool served_is(__u8 opcode, unsigned int kinds)
{
	return (kinds_of(opcode) & kinds) == kinds;
}

void served_set_lengths(struct run *r, __u32 len, __u32 lack)
{
	const unsigned int kinds = kinds_of(r->packet.opcode);
	const __u32 done = kinds & SERVED_LATER ? SERVED_DONE : 0;

	r->packet.payload_len = len;
	r->packet.length = len + lack;
	r->qp->resp.left = done && kinds & SERVED_WRITE ? len + lack : 0;
	r->sges[0].length = done + len + lack;
	r->sges[0].addr = r->packet.va - done;
}

/* The key that it names is of another region than that of the receive. */
static void set_invalidated(struct run *r)
{
	r->mkey[1] = *r->mkey;
	r->mkey[1].key = CASE_KEY + (1 << XRDMA_KEY_INDEX_SHIFT);
	r->mkey[1].rights = XRDMA_ACCESS_REMOTE_INVALIDATE;
	r->packet.imm = r->mkey[1].key;
}

static void set_message(struct run *r, __u8 opcode)
{
	const unsigned int kinds = kinds_of(opcode);

	r->qp->transport = kinds & SERVED_OF_RC ? XRDMA_TRANSPORT_RC : XRDMA_TRANSPORT_UC;
	if (kinds & SERVED_SEND)
		case_set_send(r);
	else if (kinds & SERVED_TAKES_RECEIVE)
		r->rq->user_index++;
	if (kinds & SERVED_LATER) {
		r->qp->resp.op = xrdma_opcode_info(opcode)->op;
		r->qp->resp.key = CASE_KEY;
		r->qp->resp.va = r->packet.va;
		r->qp->resp.done = SERVED_DONE;
	}
	if (kinds & SERVED_LATER && kinds & SERVED_SEND)
		case_take_receive(r);
	r->packet.opcode = opcode;
	served_set_lengths(r, kinds & SERVED_FULL ? r->qp->mtu : SERVED_LEN,
			   kinds & SERVED_LAST ? 0 : SERVED_LEN);
	if (kinds & SERVED_INVALIDATES)
		set_invalidated(r);
}

/* The packet is the first, the second or the last of three that a READ is responded to with. */
static void set_part(struct run *r, unsigned int kinds)
{
	const __u32 number = kinds & SERVED_FIRST ? 0 : kinds & SERVED_LAST ? 2 : 1;

	case_set_response(r);
	if (kinds & SERVED_FIRST && kinds & SERVED_LAST)
		return;
	r->rd_atomic->length = r->sges[0].length = 2 * r->qp->mtu + SERVED_LEN;
	r->packet.psn += number;
	r->next_psn += number;
	r->packet.va += (__u64)number * r->qp->mtu;
	r->packet.payload_len = kinds & SERVED_LAST ? SERVED_LEN : r->qp->mtu;
	if (number)
		r->qp->req.acked_psn = r->packet.psn;
}

static void set_packet(struct run *r, __u8 opcode)
{
	switch (xrdma_opcode_info(opcode)->op) {
	case XRDMA_OP_READ:
		case_set_read(r);
		break;
	case XRDMA_OP_CMP_SWAP:
		case_set_cmp_swap(r);
		break;
	case XRDMA_OP_FETCH_ADD:
		case_set_fetch_add(r);
		break;
	case XRDMA_OP_READ_RESPONSE:
		set_part(r, kinds_of(opcode));
		break;
	case XRDMA_OP_ATOMIC_ACK:
		case_set_result(r);
		break;
	case XRDMA_OP_ACK:
		r->packet.psn = CASE_ACKED_PSN;
		r->packet.payload_len = 0;
		break;
	default:
		set_message(r, opcode);
	}
	r->packet.opcode = opcode;
}

static enum xrdma_verdict verdict_of(__u8 opcode, enum xrdma_verdict verdict)
{
	if ((verdict < XRDMA_V_KEY || verdict > XRDMA_V_KEY_RANGE) && verdict != XRDMA_V_HEAP)
		return verdict;
	if (served_is(opcode, SERVED_SEND))
		return XRDMA_V_RECV_KEY;
	return served_is(opcode, SERVED_RESULT) ? XRDMA_V_RESPONSE_KEY : verdict;
}

/* The packet that is checked at present. */
static __u8 opcode_checked;
static void (*set_wrong)(struct run *r);

static void set_checked(struct run *r)
{
	set_packet(r, opcode_checked);
	if (set_wrong)
		set_wrong(r);
}

void served_check(__u8 opcode, unsigned int kinds, enum xrdma_verdict verdict,
		  void (*set)(struct run *))
{
	opcode_checked = opcode;
	set_wrong = set;
	if (served_is(opcode, kinds))
		case_check(verdict_of(opcode, verdict), set_checked);
}
