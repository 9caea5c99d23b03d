/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Frames of several packets. A sender's kernel hands datagrams of one length, but for the last, to
 * the netdev behind one header (GSO; udp(7), UDP_SEGMENT), and a receiver's kernel merges them so
 * (GRO). A capture of either has them in one frame, and does not say where they begin.
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
	__u32 ip_at, data_at; /* the first datagram's data begins there */
	__u8 ip_version;
	bool same_id; /* of IPv4, whose identification is counted up otherwise */
	__u32 size;   /* of each datagram's data but the last */
	__u32 count;
};

/*
 * Find the packets of the frame, whose IP header of IP_VERSION is at IP_AT. They are UDP datagrams
 * to XRDMA_UDP_PORT. The first length at which the first packet's ICRC is right is the one. Returns
 * false if there is none, or only one packet; so if there are IP options or extension headers.
 */
bool segments_find(struct segments *s);

/*
 * Write packet I of the frame, with headers as it has on the wire, to FRAME, which has room for
 * ROOM bytes, as many as were captured. Returns the length of the packet's frame; *CAPTURED is how
 * many bytes were written. The ICRC covers no checksum of IP or UDP, so none is computed.
 */
size_t segments_cut(const struct segments *s, __u32 i, __u8 *frame, size_t room, size_t *captured);

#endif
