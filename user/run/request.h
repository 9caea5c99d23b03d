/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* The packets of a request, as they stand on the wire. */
#ifndef XRDMA_USER_RUN_REQUEST_H
#define XRDMA_USER_RUN_REQUEST_H

#include "queue/qp.h"

/* Packet of a request, and the places of its parts from the BTH on. */
struct xrdma_request_layout {
	__u64 number;
	struct xrdma_wqe_packet packet;
	__u32 payload_at, payload_len;
	__u32 len; /* of all, up to the ICRC */
	__u8 opcode;
	__u8 position; /* enum xrdma_position */
	__u8 pad;
};

/* Lay out packet NUMBER of WQE. */
struct xrdma_request_layout xrdma_request_lay_out(const struct xrdma_qp *qp,
						  const struct xrdma_wqe *wqe, __u64 number);

/* Where a packet is built, and which datagram it becomes. */
struct xrdma_room {
	__u8 *headers; /* of IP and UDP */
	__u8 *datagram;
	__u16 number; /* of the message that the kernel makes datagrams of, from 0 on */
};

/*
 * Build the packet L of WQE in ROOM. XDP knows then where the response to a READ or an atomic goes.
 * Returns XRDMA_V_OK, or what is wrong with a local key. The queue pair's lock is held.
 */
enum xrdma_verdict xrdma_request_build(struct xrdma_qp *qp, const struct xrdma_wqe *wqe,
				       const struct xrdma_request_layout *l,
				       const struct xrdma_room *room);

#endif
