/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Describe a captured packet in JSON. */
#ifndef XRDMA_TOOLS_DESCRIBE_H
#define XRDMA_TOOLS_DESCRIBE_H

#include <json-c/json.h>

#include "lib/frame.h"

/* A packet to RoCE's UDP port, as far as it was captured and parsed. */
struct packet {
	unsigned int number; /* number of the frame in the capture, from 1 */
	__u32 segment;	 /* number in a frame with several packets, from 1; 0: the frame has one */
	const char *via; /* tunnels that the packet was in, or "" */
	struct xrdma_frame frame;
	size_t captured; /* bytes of the frame */
	struct xrdma_pkt pkt;
	enum xrdma_verdict verdict;
};

/* Returns whether the BTH was captured and is valid. */
bool packet_has_bth(const struct packet *packet);

/* Returns "good", "bad" or "not captured", or NULL if the place of the ICRC is not known. */
const char *packet_icrc(const struct packet *packet);

/* Returns the name of the packet's opcode. */
const char *packet_opcode(const struct packet *packet);

/* Write an address of the packet to TEXT, which has INET6_ADDRSTRLEN bytes. Returns TEXT. */
const char *packet_addr(const __be32 addr[4], char *text);

struct json_object *packet_describe(const struct packet *packet);

#endif
