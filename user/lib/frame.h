/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * The parser of the XDP programs for user space: captures, tests and the tool. Thread safe: all
 * state is the caller's.
 */
#ifndef XRDMA_USER_LIB_FRAME_H
#define XRDMA_USER_LIB_FRAME_H

#include <stdbool.h>
#include <stddef.h>

#include "wire/packet.h"
#include <xrdma/abi/context.h>
#include <xrdma/verdict.h>

/*
 * Parse the LEN bytes of an Ethernet frame at BYTES into PKT. The offsets of PKT are those in the
 * copy in FRAME. Fields that the packet does not have become 0. Returns the verdict of
 * xrdma_parse(), or that of the opcode's length rules.
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
 * Returns whether a packet with VERDICT has a complete UDP layer, so that the place of its ICRC is
 * known.
 */
bool xrdma_frame_has_icrc(enum xrdma_verdict verdict);

/*
 * Compute the ICRC of a packet: the LEN bytes at IP are its IP header, UDP header, BTH and the
 * rest. Returns 0 if there are too few.
 */
__u32 xrdma_frame_icrc_of(const void *ip, __u8 ip_version, size_t len);

/*
 * Compute the ICRC if the IP and UDP headers are at HEADERS, and the LEN bytes from the BTH on at
 * DATAGRAM.
 */
__u32 xrdma_frame_icrc_apart(const void *headers, __u8 ip_version, const void *datagram,
			     size_t len);

/* Compute the ICRC for a parsed packet. */
__u32 xrdma_frame_icrc(const struct xrdma_frame *frame, const struct xrdma_pkt *pkt);

/* Return the ICRC in a parsed packet. */
__u32 xrdma_frame_icrc_carried(const struct xrdma_frame *frame, const struct xrdma_pkt *pkt);

/*
 * Compute the ICRC of an acknowledgement of QP with PSN, syndrome and MSN 0. XDP derives those that
 * it sends from it. It depends on the addresses, the source port, the partition key and the peer's
 * QPN, and is in the row's ack_icrc from RTR on.
 */
__u32 xrdma_frame_ack_icrc(const struct xrdma_qp_row *qp);

#endif
