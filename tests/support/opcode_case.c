// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "opcode_case.h"

#include "lib/opcode.h"

const __u8 opcodes_supported[OPCODE_COUNT] = {
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
	XRDMA_UD_SEND_ONLY,
	XRDMA_UD_SEND_ONLY_IMM,
};

static unsigned int op_kinds(__u8 op)
{
	switch (op) {
	case XRDMA_OP_SEND:
		return OPCODE_REQUEST | OPCODE_MESSAGE | OPCODE_SEND;
	case XRDMA_OP_WRITE:
		return OPCODE_REQUEST | OPCODE_MESSAGE | OPCODE_REMOTE | OPCODE_WRITE;
	case XRDMA_OP_READ:
		return OPCODE_REQUEST | OPCODE_RD_ATOMIC | OPCODE_REMOTE | OPCODE_READ;
	case XRDMA_OP_CMP_SWAP:
	case XRDMA_OP_FETCH_ADD:
		return OPCODE_REQUEST | OPCODE_RD_ATOMIC | OPCODE_REMOTE | OPCODE_ATOMIC;
	case XRDMA_OP_READ_RESPONSE:
		return OPCODE_RESPONSE | OPCODE_RESULT | OPCODE_PARTS;
	case XRDMA_OP_ATOMIC_ACK:
		return OPCODE_RESPONSE | OPCODE_RESULT;
	default:
		return OPCODE_RESPONSE | OPCODE_ACK;
	}
}

static unsigned int header_kinds(unsigned int headers)
{
	return (headers ? OPCODE_HEADERS : 0) | (headers & XRDMA_HDR_RETH ? OPCODE_RETH : 0) |
	       (headers & XRDMA_HDR_AETH ? OPCODE_AETH : 0) |
	       (headers & XRDMA_HDR_IETH ? OPCODE_INVALIDATES : 0);
}

static unsigned int payload_kinds(__u8 payload)
{
	switch (payload) {
	case XRDMA_PAYLOAD_MTU:
		return OPCODE_FULL;
	case XRDMA_PAYLOAD_SOME:
		return OPCODE_SOME;
	default:
		return payload == XRDMA_PAYLOAD_NONE ? OPCODE_EMPTY : 0;
	}
}

static unsigned int kinds_of(__u8 opcode)
{
	const struct xrdma_opcode_info *info = xrdma_opcode_info(opcode);
	unsigned int kinds =
		op_kinds(info->op) | header_kinds(info->headers) | payload_kinds(info->payload);
	const bool has_imm = info->headers & XRDMA_HDR_IMMDT;

	kinds |= info->position & XRDMA_POSITION_FIRST ? OPCODE_FIRST : OPCODE_LATER;
	kinds |= info->position & XRDMA_POSITION_LAST ? OPCODE_LAST : OPCODE_MORE;
	kinds |= info->headers & XRDMA_HDR_DETH ? OPCODE_DATAGRAM : OPCODE_CONNECTED;
	if (XRDMA_OPCODE_TRANSPORT(opcode) == XRDMA_TRANSPORT_RC)
		kinds |= OPCODE_OF_RC;
	if (kinds & (OPCODE_OF_RC | OPCODE_LATER))
		kinds |= OPCODE_IN_ORDER;
	if (kinds & OPCODE_WRITE && kinds & OPCODE_FIRST && kinds & OPCODE_MORE)
		kinds |= OPCODE_ANNOUNCES;
	if (kinds & OPCODE_SEND ? kinds & OPCODE_FIRST : has_imm)
		kinds |= OPCODE_TAKES_RECEIVE;
	if (kinds & OPCODE_LAST && (kinds & OPCODE_SEND || has_imm))
		kinds |= OPCODE_COMPLETES;
	return kinds | (kinds & OPCODE_ACK ? 0 : OPCODE_MEMORY);
}

bool opcode_is(__u8 opcode, unsigned int kinds)
{
	return (kinds_of(opcode) & kinds) == kinds;
}

void opcode_set_lengths(struct run *run, __u32 len, __u32 lack)
{
	const unsigned int kinds = kinds_of(run->packet.opcode);
	const __u32 done = kinds & OPCODE_LATER ? OPCODE_DONE : 0;
	const __u32 before = kinds & OPCODE_DATAGRAM ? XRDMA_GRH_LEN : done;

	run->packet.payload_len = len;
	run->packet.length = len + lack;
	run->qp->resp.left = done && kinds & OPCODE_WRITE ? len + lack : 0;
	run->sges[0].length = before + len + lack;
	run->sges[0].addr = run->packet.va - done;
}

/* Set the key to invalidate. It belongs to another region than that of the receive. */
static void set_invalidated(struct run *run)
{
	run->mkey[1] = *run->mkey;
	run->mkey[1].key = CASE_KEY + (1 << XRDMA_KEY_INDEX_SHIFT);
	run->mkey[1].rights = XRDMA_ACCESS_REMOTE_INVALIDATE;
	run->packet.imm = run->mkey[1].key;
}

/* Returns the service of OPCODE. An opcode of a service that is not supported counts as RC's. */
static enum xrdma_transport service_of(__u8 opcode)
{
	switch (XRDMA_OPCODE_TRANSPORT(opcode)) {
	case XRDMA_TRANSPORT_UC:
		return XRDMA_TRANSPORT_UC;
	case XRDMA_TRANSPORT_UD:
		return XRDMA_TRANSPORT_UD;
	default:
		return XRDMA_TRANSPORT_RC;
	}
}

static void set_message(struct run *run, __u8 opcode)
{
	const unsigned int kinds = kinds_of(opcode);

	run->qp->transport = service_of(opcode);
	run->qp->qkey = run->packet.qkey = kinds & OPCODE_DATAGRAM ? 0x01020304 : 0;
	if (kinds & OPCODE_SEND)
		case_set_send(run);
	else if (kinds & OPCODE_TAKES_RECEIVE)
		run->rq->user_index++;
	if (kinds & OPCODE_LATER) {
		run->qp->resp.op = xrdma_opcode_info(opcode)->op;
		run->qp->resp.key = CASE_KEY;
		run->qp->resp.va = run->packet.va;
		run->qp->resp.done = OPCODE_DONE;
	}
	if (kinds & OPCODE_LATER && kinds & OPCODE_SEND)
		case_take_receive(run);
	run->packet.opcode = opcode;
	opcode_set_lengths(run, kinds & OPCODE_FULL ? run->qp->mtu : OPCODE_LEN,
			   kinds & OPCODE_LAST ? 0 : OPCODE_LEN);
	if (kinds & OPCODE_INVALIDATES)
		set_invalidated(run);
}

/* Make the packet the first, the second or the last of three packets in the response to a READ. */
static void set_part(struct run *run, unsigned int kinds)
{
	const __u32 number = kinds & OPCODE_FIRST ? 0 : kinds & OPCODE_LAST ? 2 : 1;

	case_set_response(run);
	if (kinds & OPCODE_FIRST && kinds & OPCODE_LAST)
		return;
	run->rd_atomic->length = run->sges[0].length = 2 * run->qp->mtu + OPCODE_LEN;
	run->packet.psn += number;
	run->next_psn += number;
	run->packet.va += (__u64)number * run->qp->mtu;
	run->packet.payload_len = kinds & OPCODE_LAST ? OPCODE_LEN : run->qp->mtu;
	if (number)
		run->qp->req.acked_psn = run->packet.psn;
}

static void set_packet(struct run *run, __u8 opcode)
{
	switch (xrdma_opcode_info(opcode)->op) {
	case XRDMA_OP_READ:
		case_set_read(run);
		break;
	case XRDMA_OP_CMP_SWAP:
		case_set_cmp_swap(run);
		break;
	case XRDMA_OP_FETCH_ADD:
		case_set_fetch_add(run);
		break;
	case XRDMA_OP_READ_RESPONSE:
		set_part(run, kinds_of(opcode));
		break;
	case XRDMA_OP_ATOMIC_ACK:
		case_set_result(run);
		break;
	case XRDMA_OP_ACK:
		run->packet.psn = CASE_ACKED_PSN;
		run->packet.payload_len = 0;
		break;
	default:
		set_message(run, opcode);
	}
	run->packet.opcode = opcode;
}

static enum xrdma_verdict verdict_of(__u8 opcode, enum xrdma_verdict verdict)
{
	if ((verdict < XRDMA_V_KEY || verdict > XRDMA_V_KEY_RANGE) && verdict != XRDMA_V_HEAP)
		return verdict;
	if (opcode_is(opcode, OPCODE_SEND))
		return XRDMA_V_RECV_KEY;
	return opcode_is(opcode, OPCODE_RESULT) ? XRDMA_V_RESPONSE_KEY : verdict;
}

/* Opcode that is being checked. */
static __u8 opcode_checked;
static void (*set_wrong)(struct run *run);

static void set_checked(struct run *run)
{
	set_packet(run, opcode_checked);
	if (set_wrong)
		set_wrong(run);
}

void opcode_check(__u8 opcode, unsigned int kinds, enum xrdma_verdict verdict,
		  void (*set)(struct run *))
{
	opcode_checked = opcode;
	set_wrong = set;
	if (opcode_is(opcode, kinds))
		case_check(verdict_of(opcode, verdict), set_checked);
}
