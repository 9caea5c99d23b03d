/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * A peer that is not ours: what it sends from xa in network namespace a is made by hand, and leaves
 * by a packet socket; each byte that comes back is looked at. It speaks to a queue pair of device
 * xb in b.
 */
#ifndef XRDMA_TESTS_PEER_H
#define XRDMA_TESTS_PEER_H

#include "lib/frame.h"
#include "packet.h"
#include "side.h"

enum {
	PEER_FIRST_PSN = 0xfffff0, /* PSNs wrap within the first messages */
	PEER_RIGHTS = XRDMA_ACCESS_LOCAL_WRITE | XRDMA_ACCESS_REMOTE_WRITE |
		      XRDMA_ACCESS_REMOTE_READ | XRDMA_ACCESS_REMOTE_ATOMIC,
};

extern struct peer {
	struct side b;
	struct xrdma_mr *mr; /* all of B's memory, with PEER_RIGHTS */
	int wire;
	int ip_version;
	__u32 psn; /* of the next request */
	__u32 msn; /* of the response to the last */
} peer;

/* A request as it was sent, and what its response is like. */
struct peer_asked {
	struct packet packet;
	__u32 psns;
	__u32 msn;
	__u64 original; /* of an atomic */
};

/* Fixtures, of a suite and of a test: connected by IPv4 at an MTU of 1024. */
void peer_open(void);
void peer_close(void);
void peer_start(void);
void peer_stop(void);

/* Bring B's queue pair to RTR once more. Nothing of before is on the wire. */
void peer_connect(int version, __u32 mtu);

void peer_send(const struct packet *packet);
void peer_send_bytes(const __u8 *bytes, size_t len);

/*
 * The next RoCE packet that comes back, and is whole, with FLAGS of recv(2). False: none comes.
 */
bool peer_receive(struct xrdma_frame *frame, struct xrdma_pkt *pkt, int flags);

/*
 * The next packet of a request, about LEN bytes at OFFSET of B's memory, which it carries or names.
 * What carries any asks for an acknowledgement.
 */
struct peer_asked peer_make(__u8 opcode, __u32 offset, __u32 len);

/* Make a request and send it. */
struct peer_asked peer_ask(__u8 opcode, __u32 offset, __u32 len);
struct peer_asked peer_ask_read(__u32 offset, __u32 len);

/* Ask once more for what remains of a READ behind PACKETS. */
struct peer_asked peer_ask_again(const struct peer_asked *asked, __u32 packets);

/*
 * Pretend that another CPU sends the responses of B's queue pair (OTHERS is true), so that requests
 * leave their responses to it; or stop pretending so.
 */
void peer_let_others_send(bool others);

/* Expect the response to ASKED as the next packets, within 5 s. */
void peer_expect_read(const struct peer_asked *asked);
void peer_expect_read_again(const struct peer_asked *asked); /* with the newest MSN */
void peer_expect_original(const struct peer_asked *asked);
void peer_expect_ack(const struct peer_asked *asked);
int peer_expect_ack_of_one(const struct peer_asked *asked, int count); /* returns which */
void peer_expect_syndrome(__u8 syndrome, __u32 psn, __u32 msn);

/* All that comes until nothing does is whole, and of the responses to ASKED. Returns how much. */
int peer_expect_parts(const struct peer_asked *asked, int count);

/* Nothing more comes, within 20 ms. */
void peer_expect_nothing(void);

/* LEN bytes at OFFSET of B's memory. */
struct xrdma_sge peer_piece(__u32 offset, __u32 len);

enum { PEER_RECEIVES = 2 };

/* Post two receives of B's, of 4 KiB each, with wr_id 0 and 1. */
void peer_post_receives(void);

/* B's next COUNT completions, 8 at most, within 5 s; and no more come. */
void peer_poll(struct xrdma_wc *wc, int count);

/* B's memory is to be as it was when it was remembered last. */
void peer_remember_memory(void);
void peer_expect_memory(void);

#endif
