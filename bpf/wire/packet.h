/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* A received frame, and the fields of its headers. */
#ifndef XRDMA_WIRE_PACKET_H
#define XRDMA_WIRE_PACKET_H

#include "lib/base.h"
#include <xrdma/abi/wire.h>

enum {
	XRDMA_FRAME_MAX = 4352, /* the longest RoCE packet: 4096 bytes of payload, 120 of headers */
	XRDMA_HEADERS_MAX = 160,
};

/*
 * First XRDMA_FRAME_MAX bytes of a frame. The padding aligns the IP and transport headers to four
 * bytes, with or without VLAN tags.
 */
struct xrdma_frame {
	__u8 pad[2];
	__u8 bytes[XRDMA_FRAME_MAX];
} __attribute__((aligned(8)));

/*
 * A parsed packet. Fields are in host byte order, but addresses, the IP layer's keys and immediate
 * data are as on the wire.
 */
struct xrdma_pkt {
	__u32 frame_len; /* bytes of the frame, trailer included */
	__u16 ip_at;	 /* offsets into the frame */
	__u16 bth_at;	 /* 0: not known to be RoCE, or the frame ends too early */
	__u16 payload_at;
	__u16 icrc_at;
	__u16 payload_len; /* without pad bytes; 0 if the opcode is unknown */
	__be16 udp_sport;
	__u16 udp_rest;	   /* UDP checksum minus the UDP length; 0: no checksum */
	__u16 vlans;	   /* VLAN ids of its tags, ORed; 0: none, or priority only */
	__u16 ip_checksum; /* error of the IPv4 header's checksum */
	__u8 parsed;	   /* verdict of the parser */
	__u8 ip_version;   /* 4 or 6 */
	__u8 tclass;	   /* TOS or traffic class */
	__u8 opcode;
	__u8 bth_flags;	 /* XRDMA_BTH_* */
	__be32 saddr[4]; /* IPv4 as ::ffff:a.b.c.d */
	__be32 daddr[4];
	struct xrdma_opcode_info info;
	__u16 pkey;
	__u16 pad_len;
	__u32 dest_qpn;
	__u32 psn;
	bool ack_req;
	bool fecn;
	bool becn;

	/* Set only if info.headers contains the header. */
	__u8 syndrome; /* AETH */
	__u32 msn;
	__u32 key;    /* RETH, AtomicETH */
	__u32 length; /* RETH */
	__u64 va;
	__u64 swap_add; /* AtomicETH */
	__u64 compare;
	__u64 original; /* AtomicAckETH */
	__be32 imm;
	__u32 invalidate_key; /* IETH */
	__u32 qkey;	      /* DETH */
	__u32 src_qpn;
	__u32 flush_type; /* FETH */

	/* Arrival of the super packet in ns, if this is a segment of one; else 0. */
	__u64 super_came;
};

#endif
