/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * The flow of a send queue: which packets the peer has acknowledged, how many may be under way, and
 * when to send them again. If the service has no acknowledgements, packets count as acknowledged
 * when they are sent. Packets are counted as in sq.h. The caller holds the lock of the queue pair.
 */
#ifndef XRDMA_USER_QUEUE_FLOW_H
#define XRDMA_USER_QUEUE_FLOW_H

#include "queue/sq.h"

struct xrdma_flow {
	__u64 acked;  /* packets before this one are acknowledged */
	__u64 sent;   /* packets before this one were sent at least once */
	__u64 since;  /* ns: time of the peer's last packet, or of the timer's start; 0: just now */
	__u64 resume; /* ns: when an RNR NAK allows sending again; 0: now */
	__u32 window; /* packets that may be under way, including those of responses */
	__u32 naks;   /* NAKs in the row of the queue pair that were handled */
	__u32 rnr_naks;
	__u8 retries; /* since the peer acknowledged a packet or sent an RNR NAK */
	__u8 rnr_retries;
};

/* No packet was sent yet, and the next one has this PSN. */
void xrdma_flow_start(struct xrdma_flow *flow, __u32 psn);

/*
 * The peer has acknowledged all packets before PSN. Returns whether some of them were not
 * acknowledged before; then retries are counted from 0 again.
 */
bool xrdma_flow_ack(struct xrdma_flow *flow, struct xrdma_sq *sq, __u32 psn);

/* Count all packets that were sent as acknowledged, for a service without acknowledgements. */
void xrdma_flow_pass(struct xrdma_flow *flow, struct xrdma_sq *sq);

/* Let SQ send again, from the first packet that is not acknowledged. */
void xrdma_flow_rewind(const struct xrdma_flow *flow, struct xrdma_sq *sq);

/*
 * Let SQ send again after a loss. All packets under way are lost with the first, so the window
 * becomes half as large as they were many. It grows with each packet that is acknowledged.
 */
void xrdma_flow_retry(struct xrdma_flow *flow, struct xrdma_sq *sq);

/*
 * Let SQ send again after an RNR NAK whose timer field is TIMER, when that time is over (IBA
 * 9.7.5.2.8). Only the lower five bits of TIMER count. An RNR NAK shows that the peer is alive, so
 * losses are counted from 0 again.
 */
void xrdma_flow_wait(struct xrdma_flow *flow, struct xrdma_sq *sq, __u8 timer);

/* Returns whether the flow still waits after an RNR NAK. */
bool xrdma_flow_is_waiting(struct xrdma_flow *flow);

/*
 * Returns whether the transport timer runs: a packet waits for an acknowledgement, or for room to
 * be sent in.
 */
bool xrdma_flow_is_timed(const struct xrdma_flow *flow, const struct xrdma_sq *sq);

/*
 * Returns when the transport timer of a queue pair with this TIMEOUT attribute ends, in ns, or
 * XRDMA_NEVER if it does not run, or XRDMA_SOON if it starts when the clock is read next.
 */
__u64 xrdma_flow_timer_end(const struct xrdma_flow *flow, const struct xrdma_sq *sq, __u8 timeout);

/* Returns whether the next packet of SQ is within the window, or would be alone under way. */
bool xrdma_flow_has_room(const struct xrdma_flow *flow, const struct xrdma_sq *sq);

#endif
