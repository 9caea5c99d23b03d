/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * What sends a queue pair's packets: AF_XDP where the context has a queue of it and they fit its
 * frames, else the queue pair's UDP socket. The queue pair's lock is held.
 */
#ifndef XRDMA_USER_RUN_SENDER_H
#define XRDMA_USER_RUN_SENDER_H

#include "queue/qp.h"
#include "run/request.h"

/* One for each time that a queue pair sends; all 0 but for QP at first. */
struct xrdma_sender {
	struct xrdma_qp *qp;
	struct xrdma_burst *burst; /* of what goes by UDP; NULL: nothing does yet */
	struct xrdma_frame *frame; /* that is being built; NULL: a datagram of BURST is */
	bool alone;		   /* no other may be of its message */
};

/*
 * Room for the next packet, of LEN bytes. ALONE: the kernel is not to hand it on together with
 * others. False: there is none now.
 */
bool xrdma_sender_take(struct xrdma_sender *sender, size_t len, bool alone,
		       struct xrdma_room *room);

/* The peer has acknowledged more of QP's packets, or those that it has not are sent again. */
void xrdma_sender_acked(struct xrdma_qp *qp);
void xrdma_sender_missed(struct xrdma_qp *qp);

/* Nothing was built there. */
void xrdma_sender_drop(struct xrdma_sender *sender);

/* Send the packet of LEN bytes that was built in the room. */
void xrdma_sender_add(struct xrdma_sender *sender, size_t len);

/*
 * Send what has not been: what there is no room for is due again. Frames are left to
 * xrdma_transmit_flush(), which needs no lock.
 */
void xrdma_sender_end(struct xrdma_sender *sender);

#endif
