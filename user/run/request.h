/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Packets of a request, as they are sent on the wire. */
#ifndef XRDMA_USER_RUN_REQUEST_H
#define XRDMA_USER_RUN_REQUEST_H

#include "queue/qp.h"

/* Packet of a request, and the places of its parts from the BTH on. */
struct xrdma_request_layout {
	__u64 number;
	struct xrdma_wqe_packet packet;
	__u32 payload_at, payload_len;
	__u32 len; /* bytes of the whole packet without the ICRC */
	__u8 opcode;
	__u8 position; /* enum xrdma_position */
	__u8 pad;
};

/* Returns the layout of packet NUMBER of WQE. */
struct xrdma_request_layout xrdma_request_lay_out(const struct xrdma_qp *qp,
						  const struct xrdma_wqe *wqe, __u64 number);

/* Room for a packet that is to be built. */
struct xrdma_room {
	__u8 *headers; /* for IP and UDP */
	__u8 *datagram;
	__u16 number; /* index of the datagram in its message, beginning with 0 */
};

/*
 * Build the packet with layout L of WQE in ROOM. For a READ or an atomic, XDP learns where to place
 * the response. Returns XRDMA_V_OK or the verdict on a local key. The caller holds the lock of the
 * queue pair.
 */
enum xrdma_verdict xrdma_request_build(struct xrdma_qp *qp, const struct xrdma_wqe *wqe,
				       const struct xrdma_request_layout *l,
				       const struct xrdma_room *room);

#endif
