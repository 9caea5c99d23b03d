/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * An acknowledgement, or the head of a READ response, on the wire (9.7.5) after the IP header; for
 * both sides.
 */
#ifndef XRDMA_WIRE_ACK_H
#define XRDMA_WIRE_ACK_H

#include "wire/header.h"

struct xrdma_ack {
	struct udphdr udp;
	struct xrdma_bth bth;
	struct xrdma_aeth aeth;
	__le32 icrc;
} XRDMA_WIRE;

/* Fields that differ between replies. The others are in the queue pair's row. */
struct xrdma_reply {
	struct xrdma_ip_attr path;
	__u32 psn;
	__u32 syndrome_msn;
	__u8 opcode;
	__u8 pad_len;
	__u16 payload_len; /* with pad bytes; they follow the AETH */
};

/* Write all of ACK except for the ICRC. */
static __always_inline void xrdma_ack_write(struct xrdma_ack *ack, const struct xrdma_qp_row *qp,
					    const struct xrdma_reply *reply)
{
	ack->udp = xrdma_udp(qp, sizeof(*ack) + reply->payload_len);
	ack->bth = xrdma_bth(qp, reply->opcode, reply->pad_len << XRDMA_BTH_PAD_SHIFT, reply->psn);
	ack->aeth.syndrome_msn = bpf_htonl(reply->syndrome_msn);
}

#endif
