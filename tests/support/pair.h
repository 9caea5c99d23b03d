/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Two connected queue pairs, in one process: A of device xa in network namespace a, B of xb in b
 * (net.sh).
 */
#ifndef XRDMA_TESTS_PAIR_H
#define XRDMA_TESTS_PAIR_H

#include "side.h"

enum { PAIR_BYTES = OWNER_BYTES };

/*
 * Bytes go from SOURCE to TARGET. A posts, and has one of them, under LKEY; B has the other, under
 * RKEY: the source is A's, and the target open to writers, or the source is B's, open to readers.
 */
extern struct pair {
	struct side a, b;
	struct xrdma_mr *source_mr, *target_mr;
	__u8 *source, *target;
	__u32 lkey, rkey;
} p;

/*
 * What a test posts, and what comes of it: set by pair_start() to a WRITE of 256 bytes at offset
 * 64.
 */
extern struct xrdma_send_wr wr;
extern struct xrdma_sge sge; /* of wr */
extern const struct xrdma_send_wr *bad;
extern struct xrdma_wc wc[8];

/* What B posts, and what comes of it. */
extern struct xrdma_recv_wr recv_wr;
extern struct xrdma_sge recv_sge; /* of recv_wr */
extern const struct xrdma_recv_wr *recv_bad;
extern struct xrdma_wc recv_wc[8];

/*
 * Fixtures of a suite: the contexts and their memory are one for all its tests, which share a
 * process.
 */
void pair_open(void);
void pair_open_with(__u32 mkeys); /* the same with room for as many keys on each side */
void pair_close(void);

/*
 * And of each test: the source holds random bytes, the target zeroes; connected by IPv4 at an MTU
 * of 1024.
 */
void pair_start(void);

/* The same, but that A reads: wr is a READ of as much, the source B's. */
void pair_start_read(void);

/* The same, but that A does atomics: wr is a FETCH_ADD of 1. */
void pair_start_atomic(void);
void pair_stop(void);

/* This thread goes on in network namespace a or b. */
void pair_enter(const char *netns);

/* Bring both to RTS once more, to each other, by IPv4 or by IPv6. */
void pair_connect(int ip_version, int mtu);

/* The same by these addresses. */
void pair_connect_by(const char *a, const char *b, int mtu);

/*
 * wr is signalled WRITE number 1 of LEN bytes at OFFSET of the source to the same place of the
 * target.
 */
void pair_set_write(__u32 offset, __u32 len);

/* The same with a READ. */
void pair_set_read(__u32 offset, __u32 len);

/* The same with a FETCH_ADD on a word, to which it adds ADD. */
void pair_set_fetch_add(__u32 offset, __u64 add);

/*
 * wr is signalled SEND number 1 of LEN bytes at OFFSET of the source, recv_wr receive number 7 of
 * as many bytes at the same place of the target.
 */
void pair_set_send(__u32 offset, __u32 len);

/*
 * B posts recv_wr, or polls its completion queue until recv_wc has COUNT completions, 10 s at most.
 */
int pair_post_recv(void);
void pair_poll_recv(int count);

/* B's next completion is the successful one of recv_wr, of LEN bytes. */
void pair_expect_received(enum xrdma_wc_opcode opcode, __u32 len);

/* One SEND of what pair_set_send() set, from the posting of the receive to both completions. */
void pair_send_once(void);

/* Post wr. */
int pair_post(void);

/* Post wr, but B does not receive the request, or A does not receive the response. */
void pair_lose_request(void);
void pair_lose_response(void);

/*
 * B posts a READ of 64 bytes from REMOTE, a region of the source, into the target, which has LKEY
 * there. They are connected anew, but A does not hear until pair_answer_read().
 */
void pair_read_unanswered(const struct xrdma_mr *remote, __u32 lkey);
void pair_answer_read(void);

/* Poll A's completion queue until wc has COUNT completions, 10 s at most. */
void pair_poll(int count);

/* Carry out wr, and expect STATUS. */
void pair_expect(enum xrdma_wc_status status);

/* What ends a queue pair: wr fails with STATUS, a second is flushed, and no byte changes. */
void pair_expect_failure(enum xrdma_wc_status status);

/*
 * What was posted fails with STATUS, for the reason VERDICT, and ends A's queue pair; no byte of
 * the target changes.
 */
void pair_expect_stopped(enum xrdma_wc_status status, enum xrdma_verdict verdict);

/* The LEN bytes at OFFSET of the target are the source's, and all others 0, as all are then. */
void pair_expect_written(__u32 offset, __u32 len);

void pair_expect_states(enum xrdma_qp_state a, enum xrdma_qp_state b);

/*
 * Both families, every MTU, lengths around the bounds of packets; PSNs wrap. CARRY_OUT is to bring
 * LEN bytes from OFFSET of the source to the same place of the target.
 */
void pair_every_size(void (*carry_out)(__u32 offset, __u32 len));

#endif
