/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* What a captured packet is: as JSON. */
#ifndef XRDMA_TOOLS_DESCRIBE_H
#define XRDMA_TOOLS_DESCRIBE_H

#include <json-c/json.h>

#include "lib/frame.h"

/* A packet to RoCE's UDP port, as far as it was captured and understood. */
struct packet {
	unsigned int number; /* of the frame in the capture, from 1 */
	__u32 segment;	     /* in a frame of several packets, from 1; 0: it has one */
	const char *via;     /* what carries it, or "" */
	struct xrdma_frame frame;
	size_t captured; /* bytes of the frame */
	struct xrdma_pkt pkt;
	enum xrdma_verdict verdict;
};

/* Whether its BTH was captured, and is understood. */
bool packet_has_bth(const struct packet *packet);

/* "good", "bad", "not captured"; NULL: where it is cannot be told. */
const char *packet_icrc(const struct packet *packet);

/* The name of its opcode. */
const char *packet_opcode(const struct packet *packet);

/* An address of the packet's. TEXT has INET6_ADDRSTRLEN bytes; it is returned. */
const char *packet_addr(const __be32 addr[4], char *text);

struct json_object *packet_describe(const struct packet *packet);

#endif
