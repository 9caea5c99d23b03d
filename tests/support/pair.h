/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Two connected queue pairs in one process: A on device xa in network namespace a, and B on xb in b
 * (net.sh).
 */
#ifndef XRDMA_TESTS_PAIR_H
#define XRDMA_TESTS_PAIR_H

#include "side.h"

enum { PAIR_BYTES = OWNER_BYTES };

/*
 * Bytes go from SOURCE to TARGET. A posts requests. A owns one of the two, under LKEY, and B owns
 * the other, under RKEY. For WRITEs, SENDs and atomics A owns the source. For READs B does.
 */
extern struct pair {
	struct side a, b;
	struct xrdma_mr *source_mr, *target_mr;
	__u8 *source, *target;
	__u32 lkey, rkey;
} pair;

/* Next request of A, and its completions. pair_start() sets a WRITE of 256 bytes at offset 64. */
extern struct xrdma_send_wr send_wr;
extern struct xrdma_sge send_sge; /* segment of send_wr */
extern const struct xrdma_send_wr *send_bad;
extern struct xrdma_wc send_wc[8];

/* Next receive of B, and its completions. */
extern struct xrdma_recv_wr recv_wr;
extern struct xrdma_sge recv_sge; /* segment of recv_wr */
extern const struct xrdma_recv_wr *recv_bad;
extern struct xrdma_wc recv_wc[8];

/* Fixtures of a suite. All its tests share a process, two contexts and their memory. */
void pair_open(void);
void pair_open_with(__u32 mkeys); /* with room for MKEYS keys on each side */
void pair_close(void);

/*
 * Fixtures of a test. They connect both by IPv4 at an MTU of 1024, fill the source with random
 * bytes and the target with zeroes. send_wr is a WRITE, a READ, or a FETCH_ADD of 1.
 */
void pair_start(void);
void pair_start_read(void);
void pair_start_atomic(void);
void pair_stop(void);

/* Move this thread to network namespace a or b. */
void pair_enter(const char *netns);

/* Connect both again, over IPv4 or IPv6, or with these addresses. */
void pair_connect(int ip_version, int mtu);
void pair_connect_by(const char *a, const char *b, int mtu);

/*
 * Set send_wr to signalled request 1, for the same offset of source and target: a WRITE or READ of
 * LEN bytes, or a FETCH_ADD that adds ADD.
 */
void pair_set_write(__u32 offset, __u32 len);
void pair_set_read(__u32 offset, __u32 len);
void pair_set_fetch_add(__u32 offset, __u64 add);

/*
 * Set send_wr to signalled SEND 1 of LEN bytes at OFFSET of the source, and recv_wr to receive 7
 * for the same place of the target.
 */
void pair_set_send(__u32 offset, __u32 len);

/* Let B post recv_wr, or poll until recv_wc has COUNT completions, for 10 s at most. */
int pair_post_recv(void);
void pair_poll_recv(int count);

/* Expect that B's next completion is that of recv_wr: successful, OPCODE, LEN bytes. */
void pair_expect_received(enum xrdma_wc_opcode opcode, __u32 len);

/* Post recv_wr and send_wr, and expect both completions. */
void pair_send_once(void);

/* Let A post send_wr. */
int pair_post(void);

/* Post send_wr, but B does not receive the request, or A does not receive the response. */
void pair_lose_request(void);
void pair_lose_response(void);

/*
 * Connect both again. Let B post a READ of 64 bytes from REMOTE, a region of the source, into the
 * target by LKEY. A receives it only after pair_answer_read(): XDP drops it until then.
 */
void pair_read_unanswered(const struct xrdma_mr *remote, __u32 lkey);
void pair_answer_read(void);

/* Let A poll until send_wc has COUNT completions, for 10 s at most. */
void pair_poll(int count);

/* Post send_wr, and expect a completion with STATUS. */
void pair_expect(enum xrdma_wc_status status);

/*
 * Post send_wr twice. Expect that the first fails with STATUS, the second is flushed, and no byte
 * of the target changes.
 */
void pair_expect_failure(enum xrdma_wc_status status);

/* Let B register the PAIR_BYTES at AT for ACCESS, and expect that send_wr fails under that key. */
void pair_expect_denied(void *at, unsigned int access);

/*
 * Expect that A's posted request fails with STATUS because of VERDICT, that A's queue pair stops,
 * and that no byte of the target changes.
 */
void pair_expect_stopped(enum xrdma_wc_status status, enum xrdma_verdict verdict);

/* Expect the source's LEN bytes at OFFSET of the target, and 0 elsewhere. Clear the target. */
void pair_expect_written(__u32 offset, __u32 len);

/* Expect these states of the two queue pairs. */
void pair_expect_states(enum xrdma_qp_state a, enum xrdma_qp_state b);

/*
 * Call EXECUTE for both IP versions, every MTU, and lengths around the limits of packets. PSNs
 * wrap. EXECUTE must copy LEN bytes from OFFSET of the source to the same place of the target.
 */
void pair_every_size(void (*execute)(__u32 offset, __u32 len));

#endif
