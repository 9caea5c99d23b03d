/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Several queue pairs in one process: those of A on device xa in network namespace a, and those of
 * B on xb in b (net.sh). Queue pair I of A is connected to queue pair I of B. Those of B share a
 * receive queue. Only calls of the public headers are used. An error fails the test.
 */
#ifndef XRDMA_TESTS_MANY_H
#define XRDMA_TESTS_MANY_H

#include <xrdma/xrdma.h>

enum {
	MANY = 8,	      /* queue pairs on each side */
	MANY_WRS = 64,	      /* requests of each, and receives of the shared queue */
	MANY_CQES = 16,	      /* entries of the completion queue of B */
	MANY_BYTES = 1 << 20, /* of memory on each side */
	MANY_SLOT = 1 << 14,  /* bytes of the memory of a receive */
	MANY_QKEY = 0x11223344,
};

struct many_end {
	const char *netns, *device, *address;
	struct xrdma_context *context;
	struct xrdma_pd *pd;
	struct xrdma_cq *cq;
	__u8 *memory;
	struct xrdma_mr *mr;
	struct xrdma_qp *qps[MANY];
};

extern struct many {
	__u8 transport; /* of all queue pairs; RC unless set before many_start() */
	struct many_end a, b;
	struct xrdma_srq *srq;
	struct xrdma_ah *to_b; /* for UD */
} many;

/* Fixtures of a suite, and of a test. A's memory has random bytes, and B's has zeroes. */
void many_open(void);
void many_close(void);
void many_start(void);
void many_stop(void);

/* Bring queue pair NUMBER of A and B from RESET to RTS. */
void many_connect(int number);

/*
 * Post receive WR_ID, of LEN bytes at WR_ID * MANY_SLOT of B's memory. Returns the result of the
 * call.
 */
int many_post_recv(__u64 wr_id, __u32 len);

/* Send LEN bytes of A's memory from OFFSET by queue pair NUMBER of A, as request WR_ID. */
void many_send(int number, __u64 wr_id, __u32 offset, __u32 len);

/* Poll END for COUNT completions into WC, for 10 s at most. Fails if there are fewer. */
void many_poll(struct many_end *end, int count, struct xrdma_wc *wc);

/* Expect that END has no completion, after some time. */
void many_expect_none(struct many_end *end);

#endif
