/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * The XDP program's parser for user space: captures, tests and the tool. Thread safe: all state is
 * the caller's.
 */
#ifndef XRDMA_USER_LIB_FRAME_H
#define XRDMA_USER_LIB_FRAME_H

#include <stdbool.h>
#include <stddef.h>

#include "wire/packet.h"
#include <xrdma/abi/context.h>
#include <xrdma/verdict.h>

/*
 * Parse the LEN bytes of an Ethernet frame at BYTES into PKT; FRAME receives the copy that PKT's
 * offsets are about. Fields of PKT that the packet does not have are 0. Returns the verdict of
 * xrdma_parse() or of the opcode's length rules.
 */
enum xrdma_verdict xrdma_frame_parse(struct xrdma_frame *frame, const void *bytes, size_t len,
				     struct xrdma_pkt *pkt);

/*
 * Parse a frame of LEN bytes from a capture that has its first CAPTURED bytes. A header beyond them
 * counts as missing.
 */
enum xrdma_verdict xrdma_frame_parse_cut(struct xrdma_frame *frame, const void *bytes,
					 size_t captured, size_t len, struct xrdma_pkt *pkt);

/*
 * Whether the UDP layer of a parsed packet is whole, so that the ICRC can be told from the payload.
 */
bool xrdma_frame_has_icrc(enum xrdma_verdict verdict);

/*
 * The ICRC of the packet whose IP header, UDP header and BTH, and whatever follows, are the LEN
 * bytes at IP. 0: too few.
 */
__u32 xrdma_frame_icrc_of(const void *ip, __u8 ip_version, size_t len);

/*
 * Compute the ICRC if the IP and UDP headers are at HEADERS, and the LEN bytes from the BTH on at
 * DATAGRAM.
 */
__u32 xrdma_frame_icrc_apart(const void *headers, __u8 ip_version, const void *datagram,
			     size_t len);

/* The ICRC that a parsed packet should carry. */
__u32 xrdma_frame_icrc(const struct xrdma_frame *frame, const struct xrdma_pkt *pkt);

/* The ICRC that a parsed packet does carry. */
__u32 xrdma_frame_icrc_carried(const struct xrdma_frame *frame, const struct xrdma_pkt *pkt);

/*
 * The ICRC of an acknowledgement of QP whose PSN, syndrome and MSN are 0, from which XDP makes
 * those that it sends. It follows from the addresses, the source port, the partition key and the
 * peer's QPN, and stands in the row's ack_icrc from RTR on.
 */
__u32 xrdma_frame_ack_icrc(const struct xrdma_qp_row *qp);

#endif
