/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Split frames that contain several packets. A sender's kernel gives datagrams of one length to the
 * netdev with one header (GSO; udp(7), UDP_SEGMENT); only the last may be shorter. A receiver's
 * kernel merges datagrams in the same way (GRO). Such a frame in a capture does not say where each
 * datagram begins.
 */
#ifndef XRDMA_TOOLS_SEGMENTS_H
#define XRDMA_TOOLS_SEGMENTS_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>

/* A frame, of which the first CAPTURED bytes of LEN are at BYTES. */
struct segments {
	const __u8 *bytes;
	size_t captured, len;
	__u32 ip_at, data_at; /* data of the first datagram begin there */
	__u8 ip_version;
	bool same_id; /* IPv4: all packets have one identification, not consecutive ones */
	__u32 size;   /* data bytes of each datagram but the last */
	__u32 count;
};

/*
 * Find the packets in a frame whose IP header, of version IP_VERSION, is at IP_AT. They are UDP
 * datagrams to XRDMA_UDP_PORT. The length of the first is found by trying: its ICRC must be right.
 * Returns false if the frame has only one packet, or none, or if it has IP options or extension
 * headers.
 */
bool segments_find(struct segments *s);

/*
 * Write packet I, with the headers that it has on the wire, to FRAME, which has ROOM bytes. Returns
 * the length of the packet's frame. *CAPTURED becomes the number of bytes that were written, which
 * is less if less was captured. Checksums of IP and UDP are not computed, because the ICRC does not
 * cover them.
 */
size_t segments_cut(const struct segments *s, __u32 i, __u8 *frame, size_t room, size_t *captured);

#endif
