/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * A peer without xrdma. It builds its packets itself and sends them from xa in network namespace a
 * by a packet socket. It checks each byte that comes back. It is connected to a queue pair of
 * device xb in b.
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
	struct xrdma_mr *mr; /* all memory of B, with PEER_RIGHTS */
	int wire;
	int ip_version;
	__u32 psn; /* PSN of the next request */
	__u32 msn; /* MSN of the response to the last */
} peer;

/* A request that was sent, and its expected response. */
struct peer_asked {
	struct packet packet;
	__u32 psns;
	__u32 msn;
	__u64 original; /* expected result of an atomic */
};

/* Fixtures of a suite and of a test. The peer is connected over IPv4 at an MTU of 1024. */
void peer_open(void);
void peer_close(void);
void peer_start(void);
void peer_stop(void);

/* Move B's queue pair to RTR again. No earlier packet is on the wire. */
void peer_connect(int version, __u32 mtu);

void peer_send(const struct packet *packet);
void peer_send_bytes(const __u8 *bytes, size_t len);

/* Receive the next valid RoCE packet, with FLAGS of recv(2). Returns false if none arrives. */
bool peer_receive(struct xrdma_frame *frame, struct xrdma_pkt *pkt, int flags);

/*
 * Prepare the next packet, a request for LEN bytes at OFFSET of B's memory. A packet with payload
 * requests an acknowledgement.
 */
struct peer_asked peer_make(__u8 opcode, __u32 offset, __u32 len);

/* Prepare a request and send it. */
struct peer_asked peer_ask(__u8 opcode, __u32 offset, __u32 len);
struct peer_asked peer_ask_read(__u32 offset, __u32 len);

/* Request the rest of a READ, after PACKETS packets. */
struct peer_asked peer_ask_again(const struct peer_asked *asked, __u32 packets);

/*
 * If OTHERS is true, pretend that another CPU sends the responses of B's queue pair, so that
 * requests leave their responses to it. If OTHERS is false, stop pretending.
 */
void peer_let_others_send(bool others);

/* Expect that the next packets are the response to ASKED, within 5 s. */
void peer_expect_read(const struct peer_asked *asked);
void peer_expect_read_again(const struct peer_asked *asked); /* with the newest MSN */
void peer_expect_original(const struct peer_asked *asked);
void peer_expect_ack(const struct peer_asked *asked);
int peer_expect_ack_of_one(const struct peer_asked *asked, int count); /* returns which */
void peer_expect_syndrome(__u8 syndrome, __u32 psn, __u32 msn);

/*
 * Receive all packets that arrive. Each must be valid and belong to a response to ASKED. Returns
 * their number.
 */
int peer_expect_parts(const struct peer_asked *asked, int count);

/* Expect that no more packets arrive within 20 ms. */
void peer_expect_nothing(void);

/* Returns a segment of LEN bytes at OFFSET of B's memory. */
struct xrdma_sge peer_piece(__u32 offset, __u32 len);

enum { PEER_RECEIVES = 2 };

/* Post two receives for B, of 4 KiB each, with wr_id 0 and 1. */
void peer_post_receives(void);

/* Expect B's next COUNT completions, 8 at most, within 5 s, and no more. */
void peer_poll(struct xrdma_wc *wc, int count);

/* Remember B's memory, or expect that it has not changed since. */
void peer_remember_memory(void);
void peer_expect_memory(void);

#endif
