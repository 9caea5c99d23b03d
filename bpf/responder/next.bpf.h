/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Choose the response that a queue pair sends next, and write it into a frame. */
#ifndef XRDMA_RESPONDER_NEXT_BPF_H
#define XRDMA_RESPONDER_NEXT_BPF_H

#include "responder/check_key.bpf.h"
#include "responder/commit.bpf.h"
#include "responder/reply.bpf.h"

enum { XRDMA_REQUEST_MAX = 128 };

/*
 * The sender's memory on this CPU: its count of passes, and the response that is sent next. Numbers
 * are here and not on the stack for the reason at struct xrdma_plan.
 */
struct xrdma_next {
	__u32 passes;  /* of the sender on this CPU, of all frames */
	__u32 sharers; /* how many queue pairs share the quantum */
	struct xrdma_trailer trailer;
	__u8 request[XRDMA_REQUEST_MAX];
	__u64 original; /* what an atomic found */
	__u32 psn;
	__u32 syndrome_msn;
	__u32 data_at;
	__u32 data_len; /* without padding */
	__u32 frame_len;
	__u8 opcode;
	bool ends;    /* it completes the first pending response */
	bool more;    /* another response or acknowledgement follows it */
	bool stopped; /* it is a NAK that stops the responder */
	bool summed;  /* the UDP checksum of the frame is settled for this pass */
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct xrdma_next);
} xrdma_nexts SEC(".maps");

/* One pass of the sender: the steps share this state. */
struct xrdma_pass {
	xrdma_ctx *ctx;
	struct xrdma_pkt *pkt;
	struct xrdma_plan *plan; /* its transfer is that of NEXT */
	struct xrdma_next *next;
	struct xrdma_target to;
	__u32 quantum;	 /* the pass sends at most so many responses */
	int action;	 /* for the frame, at the end of the pass */
	bool is_resumed; /* the frame has had a pass before */
	bool has_sent;
};

static __always_inline __u8 xrdma_read_response(bool is_first, bool is_last)
{
	if (is_first)
		return is_last ? XRDMA_RC_READ_RESPONSE_ONLY : XRDMA_RC_READ_RESPONSE_FIRST;
	return is_last ? XRDMA_RC_READ_RESPONSE_LAST : XRDMA_RC_READ_RESPONSE_MIDDLE;
}

/*
 * Prepare the next response to the READ of RESOURCE. Returns XRDMA_V_OK if it may be sent: the
 * application may have withdrawn the queue pair's right since the READ came.
 */
static __always_inline enum xrdma_verdict xrdma_next_read(struct xrdma_pass *pass,
							  const struct xrdma_resource *resource,
							  struct xrdma_plan_rows *rows)
{
	struct xrdma_qp_row *qp = pass->to.qp;
	struct xrdma_plan *plan = pass->plan;
	__u32 mtu = XRDMA_READ(qp->mtu), length = XRDMA_READ(qp->respq.length);
	__u32 sent = XRDMA_READ(qp->respq.sent);
	__u64 done = (__u64)sent * mtu;
	bool is_last = done + mtu >= length;

	if (!(XRDMA_READ(qp->access) & XRDMA_ACCESS_REMOTE_READ))
		return XRDMA_V_QP_ACCESS;
	if (done > length || mtu < XRDMA_MTU_MIN || mtu > XRDMA_MTU_MAX)
		return XRDMA_V_LENGTH;
	pass->next->opcode = xrdma_read_response(!sent, is_last);
	if (pass->next->opcode == XRDMA_RC_READ_RESPONSE_MIDDLE)
		pass->next->data_at -= sizeof(struct xrdma_aeth);
	pass->next->data_len = is_last ? length - done : mtu;
	__builtin_memset(plan, 0, sizeof(*plan));
	plan->key = XRDMA_READ(resource->key);
	plan->va = XRDMA_READ(qp->respq.va) + done;
	plan->left = plan->transfer.len = pass->next->data_len;
	plan->transfer.at = pass->next->data_at;
	pass->next->ends = is_last;
	return xrdma_check_key(&pass->to, plan, rows, XRDMA_ACCESS_REMOTE_READ);
}

/*
 * Stop the responses with VERDICT. If they were sent before (AGAIN), no NAK follows, with two
 * exceptions: a page is missing, and the READ must be repeated; or the process has no memory for
 * the page, and the READ must not be repeated.
 */
static __always_inline bool xrdma_next_refuse(struct xrdma_pass *pass, bool again,
					      enum xrdma_verdict verdict)
{
	struct xrdma_qp_row *qp = pass->to.qp;
	struct xrdma_outcome outcome;
	__u32 unbacked = XRDMA_READ(qp->resp.unbacked);

	xrdma_respq_clear(qp);
	verdict = xrdma_fault_verdict(pass->to.qpn, pass->next->psn, unbacked, verdict);
	outcome = xrdma_outcome(verdict);
	if (again && outcome.action != XRDMA_ACTION_LATER &&
	    unbacked != (XRDMA_UNBACKED | pass->next->psn))
		return false;
	pass->next->ends = true;
	pass->next->stopped = outcome.action == XRDMA_ACTION_NAK;
	if (pass->next->stopped)
		XRDMA_WRITE(qp->resp.error, verdict);
	pass->next->opcode = XRDMA_RC_ACK;
	pass->next->data_at = xrdma_response_data_at(pass->pkt);
	pass->next->data_len = 0;
	pass->next->syndrome_msn = (__u32)xrdma_syndrome(&outcome, qp) << 24 |
				   (pass->next->syndrome_msn & XRDMA_PSN_MASK);
	return true;
}

/* Prepare the first pending response. A response that is sent again has the newest MSN. */
static __always_inline bool xrdma_next_pending(struct xrdma_pass *pass,
					       struct xrdma_plan_rows *rows)
{
	struct xrdma_qp_row *qp = pass->to.qp;
	const struct xrdma_resource *resource = xrdma_respq_head(qp);
	struct xrdma_next *next = pass->next;
	__u32 op_msn = XRDMA_READ(resource->op_msn);
	bool again = XRDMA_READ(qp->resp.pending) > XRDMA_READ(qp->respq.fresh);
	__u32 msn = again ? XRDMA_READ(qp->resp.msn) : op_msn;
	enum xrdma_verdict verdict;

	next->psn = xrdma_psn_add(XRDMA_READ(qp->respq.psn), XRDMA_READ(qp->respq.sent));
	next->syndrome_msn = (__u32)XRDMA_AETH_ACK_NO_CREDIT << 24 | (msn & XRDMA_PSN_MASK);
	pass->to.space.psn = next->psn;
	if (op_msn >> 24 != XRDMA_OP_READ) {
		next->opcode = XRDMA_RC_ATOMIC_ACK;
		next->data_len = sizeof(struct xrdma_atomicacketh);
		next->original = XRDMA_READ(resource->original);
		return true;
	}
	verdict = xrdma_next_read(pass, resource, rows);
	return verdict == XRDMA_V_OK || xrdma_next_refuse(pass, again, verdict);
}

/*
 * NEXT was sent: remove it from the queue, unless the peer has asked for it once more meanwhile.
 */
static __always_inline void xrdma_next_sent(struct xrdma_pass *pass)
{
	struct xrdma_qp_row *qp = pass->to.qp;
	const struct xrdma_next *next = pass->next;
	__u32 sent = XRDMA_READ(qp->respq.sent);

	if (next->opcode == XRDMA_RC_ACK) {
		if (next->psn == XRDMA_READ(qp->respq.ack_psn))
			XRDMA_WRITE(qp->respq.ack, 0);
	} else if (XRDMA_READ(qp->resp.pending) &&
		   next->psn == xrdma_psn_add(XRDMA_READ(qp->respq.psn), sent)) {
		if (next->ends)
			xrdma_respq_pop(qp);
		else
			XRDMA_WRITE(qp->respq.sent, sent + 1);
	}
}

/*
 * Prepare NEXT: the first pending response or, behind all of them, the acknowledgement. Returns
 * whether there is one. The queue pair is locked.
 */
static __always_inline bool xrdma_next_find(struct xrdma_pass *pass, struct xrdma_plan_rows *rows)
{
	struct xrdma_qp_row *qp = pass->to.qp;
	struct xrdma_next *next = pass->next;
	bool any;

	next->data_at = xrdma_response_data_at(pass->pkt);
	next->data_len = 0;
	next->ends = true;
	if (XRDMA_READ(qp->resp.pending)) {
		any = xrdma_next_pending(pass, rows);
		next->more = !next->ends || XRDMA_READ(qp->resp.pending) > 1 ||
			     XRDMA_READ(qp->respq.ack);
	} else {
		next->opcode = XRDMA_RC_ACK;
		next->psn = XRDMA_READ(qp->respq.ack_psn);
		next->syndrome_msn = XRDMA_READ(qp->respq.ack);
		next->more = false;
		any = next->syndrome_msn;
	}
	return any;
}

/* Make the frame LEN bytes long, all of them linear. */
static __always_inline bool xrdma_next_resize(struct xrdma_pass *pass, __u32 len)
{
	__u32 had = pass->next->frame_len;

	pass->next->frame_len = len;
	return had == len || xrdma_frame_become(pass->ctx, had, len);
}

/* Write the data of NEXT, whose headers are written, and the ICRC at ICRC_AT. */
static __always_inline bool xrdma_next_fill(struct xrdma_pass *pass,
					    const struct xrdma_plan_rows *rows, __u32 icrc_at)
{
	const struct xrdma_next *next = pass->next;

	if (next->opcode == XRDMA_RC_ATOMIC_ACK
		    ? !xrdma_response_atomic(pass->ctx, pass->pkt, next->original)
		    : !xrdma_response_read(pass->ctx, &pass->to, pass->plan, rows))
		return false;
	return xrdma_response_seal(pass->ctx, pass->pkt, icrc_at);
}

/*
 * Settle the UDP checksum of the frame. For the kernel, all responses of a pass are the same frame:
 * if it need not compute the checksum of the first one, it need not for any.
 */
static __always_inline bool xrdma_next_end_checksum(struct xrdma_pass *pass, __u16 payload_len)
{
	struct xrdma_pkt *pkt = pass->pkt;
	__u16 checksum;

	if (pass->next->summed)
		return true;
	pass->next->summed = true;
	if (!xrdma_reply_end_checksum(pass->ctx, pkt, payload_len) ||
	    !xrdma_frame_load(pass->ctx, xrdma_checksum_at(pkt), &checksum, sizeof(checksum)))
		return false;
	if (!checksum)
		pkt->udp_rest = 0;
	return true;
}

/* Write NEXT into the frame. In a response without an AETH, the data overwrite it. */
static __always_inline bool xrdma_next_write(struct xrdma_pass *pass,
					     const struct xrdma_plan_rows *rows)
{
	const struct xrdma_next *next = pass->next;
	const struct xrdma_pkt *pkt = pass->pkt;
	struct xrdma_reply reply = xrdma_reply_to(pkt, next->psn, next->syndrome_msn);
	__u32 icrc_at;

	reply.opcode = next->opcode;
	reply.pad_len = xrdma_pad_len(next->data_len);
	icrc_at = next->data_at + next->data_len + reply.pad_len;
	reply.payload_len = icrc_at - xrdma_response_data_at(pkt);
	if (!xrdma_next_resize(pass, icrc_at + XRDMA_ICRC_LEN) ||
	    !xrdma_reply_write(pass->ctx, pkt, pass->to.qp, &reply))
		return false;
	if (next->opcode != XRDMA_RC_ACK && !xrdma_next_fill(pass, rows, icrc_at))
		return false;
	return xrdma_next_end_checksum(pass, reply.payload_len);
}

#endif
