/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * The sender of pending responses. It runs in passes. In a pass, the frame of a request becomes one
 * response after the other, and a copy of each is sent. When the quantum is used up, or there is no
 * room to send, the sender yields: the frame becomes the request again, and is queued at the
 * netdev's ingress for the next pass. docs/sender.md has the table of states.
 */
#ifndef XRDMA_RESPONDER_SENDER_BPF_H
#define XRDMA_RESPONDER_SENDER_BPF_H

#include "obj/epoch.bpf.h"
#include "responder/handover.bpf.h"
#include "responder/super_end.bpf.h"

enum {
	XRDMA_QUANTUM_MAX = 64,	   /* responses in a pass: a netdev's ring may have room for 256 */
	XRDMA_QUANTUM_MIN = 2,	   /* responses in a pass if many queue pairs share */
	XRDMA_PASSES_MAX = 0xffff, /* passes of a frame, whatever an application does */
	XRDMA_WAITED_MAX = 4096,   /* passes, some 30 ms */
};

/*
 * Returns whether this frame is still the sender of the queue pair, which is locked. The queue pair
 * may have been reset and connected to another peer, or another frame may have become the sender
 * because this one had stalled. A queue pair that has refused a request still sends its pending
 * responses.
 */
static __always_inline bool xrdma_sender_holds(const struct xrdma_pass *pass)
{
	const struct xrdma_qp_row *qp = pass->to.qp;
	__u8 state = XRDMA_OBSERVE(qp->state);

	return state >= XRDMA_QPS_RTR && (state < XRDMA_QPS_ERR || XRDMA_READ(qp->resp.error)) &&
	       pass->next->trailer.sender == XRDMA_READ(qp->respq.sender) &&
	       xrdma_is_of_peer(pass->pkt, qp);
}

/*
 * Begin the pass, and set its quantum. Queue pairs with pending responses share
 * XRDMA_QUANTUM_MAX. Their number is that of the passes on this CPU since this frame's last one. A
 * frame in its first pass adds one.
 */
static __always_inline void xrdma_sender_set_quantum(struct xrdma_pass *pass)
{
	struct xrdma_next *next = pass->next;
	__u32 passes = next->passes + 1, sharers = next->sharers + 1;

	if (pass->is_resumed)
		sharers = passes - next->trailer.passes;
	if (sharers > XRDMA_QUANTUM_MAX / XRDMA_QUANTUM_MIN || !sharers)
		sharers = XRDMA_QUANTUM_MAX / XRDMA_QUANTUM_MIN;
	next->passes = passes;
	next->sharers = sharers;
	next->trailer.passes = passes;
	pass->quantum = XRDMA_QUANTUM_MAX / sharers;
}

/*
 * Returns whether the frame itself can be the last response. It is not known whether the frame
 * leaves, so this is allowed only if one pass was enough.
 */
static __always_inline bool xrdma_sender_is_last(const struct xrdma_pass *pass)
{
	return !pass->next->more && !pass->is_resumed;
}

/* Stop being the sender: no response is pending. */
static __always_inline void xrdma_sender_release(struct xrdma_pass *pass)
{
	if (pass->next->sharers)
		pass->next->sharers--;
	XRDMA_WRITE(pass->to.qp->respq.since, 0);
	xrdma_handover_begin(pass->to.qp);
}

/*
 * Prepare the next response, after INDEX responses in this pass. Returns whether there is one. The
 * queue pair is locked.
 */
static __always_inline bool xrdma_sender_choose(struct xrdma_pass *pass, __u64 index,
						struct xrdma_plan_rows *rows)
{
	struct xrdma_qp_row *qp = pass->to.qp;
	bool any;

	if (index)
		xrdma_next_sent(pass);
	if (index == 1)
		XRDMA_WRITE(qp->respq.since, bpf_ktime_get_ns());
	pass->has_sent = index;
	if (index && index >= pass->quantum)
		return false;
	pass->action = XRDMA_FRAME_LOST;
	if (!xrdma_sender_holds(pass))
		return false;
	if (!index)
		xrdma_sender_set_quantum(pass);
	any = xrdma_next_find(pass, rows);
	if (any && xrdma_sender_is_last(pass))
		xrdma_next_sent(pass);
	if (!any || xrdma_sender_is_last(pass))
		xrdma_sender_release(pass);
	return any;
}

/* Returns whether there was no room to send in this pass, and for a long time before. */
static __always_inline bool xrdma_sender_is_stalled(const struct xrdma_pass *pass)
{
	__u64 since = XRDMA_READ(pass->to.qp->respq.since);

	return !pass->has_sent && bpf_ktime_get_ns() - since >= XRDMA_SENDER_STALLED;
}

/*
 * Returns whether the frame may wait for another pass, because another CPU has locked the queue
 * pair, or the context is paused. Without the frame nobody would send until the peer asks again.
 * But an application can make its queue pair look locked, so the frame does not wait forever.
 */
static __always_inline bool xrdma_sender_may_wait(struct xrdma_pass *pass)
{
	return ++pass->next->trailer.waited < XRDMA_WAITED_MAX;
}

/*
 * Send one response: bpf_loop() calls this function until it does not return 0. A response that
 * could not be sent, because there is no room, stays pending, and the pass ends.
 */
static long xrdma_sender_step(__u64 index, void *data)
{
	struct xrdma_pass *pass = data;
	struct xrdma_plan_rows rows = {};
	enum xrdma_verdict verdict;
	bool any;

	verdict = xrdma_steer_take(pass->pkt, &pass->to);
	if (verdict == XRDMA_V_OK && pass->to.paused_for) {
		xrdma_qp_release(pass->to.qp);
		verdict = XRDMA_V_BUSY;
	}
	if (verdict != XRDMA_V_OK) {
		if (verdict == XRDMA_V_BUSY && xrdma_sender_may_wait(pass))
			pass->action = XRDMA_FRAME_TO_SENDER;
		return 1;
	}
	pass->next->trailer.waited = 0;
	any = xrdma_sender_choose(pass, index, &rows);
	xrdma_qp_release(pass->to.qp);
	if (any && pass->next->stopped)
		xrdma_notify_stopped(&pass->to);
	if (!any || !xrdma_next_write(pass, &rows))
		return 1;
	if (xrdma_sender_is_last(pass)) {
		pass->action = xrdma_frame_return(pass->ctx);
		return 1;
	}
	pass->action = XRDMA_FRAME_TO_SENDER;
	if (xrdma_frame_send(pass->ctx))
		return 0;
	if (xrdma_sender_is_stalled(pass))
		pass->action = XRDMA_FRAME_LOST;
	return 1;
}

/*
 * Set the trailer: read it from the end of the frame, or make a new one in the first pass. The
 * frame of a super packet becomes one frame for each queue pair with pending responses.
 */
static __always_inline bool xrdma_sender_resume(struct xrdma_pass *pass,
						struct xrdma_scratch *scratch)
{
	struct xrdma_trailer *trailer = &pass->next->trailer;
	__u64 super_came = pass->pkt->super_came;

	pass->is_resumed = xrdma_frame_is_resumed(pass->ctx);
	pass->ctx->mark = 0;
	if (pass->is_resumed)
		return xrdma_frame_load_trailer(pass->ctx, trailer);
	*trailer = (struct xrdma_trailer){ .sender = super_came ?: pass->plan->came,
					   .passes = pass->next->passes };
	return !super_came || xrdma_super_end(pass->ctx, scratch, trailer);
}

/* Copy the request from the frame, and swap the frame's addresses for the reply. */
static __always_inline bool xrdma_sender_keep_request(struct xrdma_pass *pass)
{
	__u64 len = pass->pkt->icrc_at + XRDMA_ICRC_LEN;

	pass->next->frame_len = 0;
	pass->next->stopped = false;
	pass->next->summed = false;
	return XRDMA_WITHIN(len, XRDMA_REQUEST_MAX) && XRDMA_AT_LEAST(len, 1) &&
	       xrdma_frame_load(pass->ctx, 0, pass->next->request, len) &&
	       xrdma_link_next(pass->ctx);
}

/* Write the request and the trailer into the frame, and queue the frame for the next pass. */
static __always_inline int xrdma_sender_yield(struct xrdma_pass *pass)
{
	struct xrdma_trailer *trailer = &pass->next->trailer;
	__u64 len = pass->pkt->icrc_at + XRDMA_ICRC_LEN;

	if (trailer->sent == XRDMA_PASSES_MAX)
		return XRDMA_FRAME_LOST;
	trailer->sent += pass->has_sent;
	if (!XRDMA_WITHIN(len, XRDMA_REQUEST_MAX) || !XRDMA_AT_LEAST(len, 1) ||
	    !xrdma_frame_become(pass->ctx, 0, len + sizeof(*trailer)) ||
	    !xrdma_frame_store(pass->ctx, 0, pass->next->request, len) ||
	    !xrdma_frame_store(pass->ctx, len, trailer, sizeof(*trailer)))
		return XRDMA_FRAME_LOST;
	return xrdma_frame_resume_later(pass->ctx);
}

/*
 * Run a pass. The program that called this one has left the packet in the scratch memory. Returns
 * the action for the frame.
 */
static __always_inline int xrdma_sender_run(xrdma_ctx *ctx)
{
	struct xrdma_scratch *scratch = xrdma_scratch_of_cpu();
	struct xrdma_epoch *epoch;
	__u32 zero = 0;
	struct xrdma_pass pass = {
		.ctx = ctx,
		.next = bpf_map_lookup_elem(&xrdma_nexts, &zero),
		.action = XRDMA_FRAME_LOST,
	};

	if (!scratch || !pass.next)
		return XRDMA_FRAME_LOST;
	pass.pkt = &scratch->pkt;
	pass.plan = &scratch->plan;
	epoch = xrdma_epoch_enter();
	if (!epoch)
		return XRDMA_FRAME_LOST;
	if (xrdma_sender_resume(&pass, scratch) && xrdma_sender_keep_request(&pass))
		bpf_loop(XRDMA_QUANTUM_MAX + 1, xrdma_sender_step, &pass, 0);
	xrdma_epoch_leave(epoch);
	return pass.action == XRDMA_FRAME_TO_SENDER ? xrdma_sender_yield(&pass) : pass.action;
}

#endif
