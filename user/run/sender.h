/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Send packets of a queue pair: by AF_XDP, if the context has a transmit queue and the packets fit
 * its frames, else by the UDP socket of the queue pair. The caller holds the lock of the queue
 * pair.
 */
#ifndef XRDMA_USER_RUN_SENDER_H
#define XRDMA_USER_RUN_SENDER_H

#include "queue/qp.h"
#include "run/request.h"

/* State while a queue pair sends. Initialize QP, and zero the rest. */
struct xrdma_sender {
	struct xrdma_qp *qp;
	const struct xrdma_path *path; /* of the packet under construction */
	struct xrdma_burst *burst;     /* datagrams to send by UDP; NULL: none yet */
	struct xrdma_frame *frame;     /* under construction; NULL: it is a datagram of BURST */
	bool alone;		       /* no other datagram may join the message of this one */
};

/* Get room for the next packet of WQE, of LEN bytes. Returns false if there is no room now. */
bool xrdma_sender_take(struct xrdma_sender *sender, const struct xrdma_wqe *wqe, size_t len,
		       struct xrdma_room *room);

/*
 * Record that the peer has acknowledged more of QP's packets, or that packets without
 * acknowledgement are being sent again.
 */
void xrdma_sender_acked(struct xrdma_qp *qp);
void xrdma_sender_missed(struct xrdma_qp *qp);

/* Give back the room without a packet. */
void xrdma_sender_drop(struct xrdma_sender *sender);

/* Send the packet of LEN bytes that was built in the room. */
void xrdma_sender_add(struct xrdma_sender *sender, size_t len);

/*
 * Send the packets that were added. Those for which there is no room will be sent again soon.
 * xrdma_transmit_flush(), which needs no lock, sends the frames.
 */
void xrdma_sender_end(struct xrdma_sender *sender);

#endif
