/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Two connected queue pairs, in one process: ours of device xa in network namespace a, theirs of
 * another implementation's device in b, through libibverbs. Requests name a place by its offset,
 * which is the same in both memories.
 */
#ifndef XRDMA_TESTS_MIXED_H
#define XRDMA_TESTS_MIXED_H

#include <infiniband/verbs.h>
#include <stdbool.h>

#include "side.h"

enum { MIXED_BYTES = 8192 }; /* that requests go to and come from */

extern struct mixed {
	struct side ours;
	struct xrdma_mr *mr; /* all of our memory, which peers reach by windows alone */
	struct theirs {
		struct ibv_context *context;
		int gid_index; /* of 10.66.0.2 */
		struct ibv_pd *pd;
		__u8 *memory;	   /* MIXED_BYTES */
		struct ibv_mr *mr; /* all of it, likewise */
		struct ibv_cq *cq;
		struct ibv_qp *qp;
	} theirs;
} mixed;

/* Fixtures of a suite, and of each test. */
void mixed_open(void);
void mixed_close(void);
void mixed_start(void);
void mixed_stop(void);

/*
 * mixed.theirs.qp and OURS, mixed.ours or another side of its owner, are connected to each other
 * anew.
 */
void mixed_connect(struct side *ours);

/* Another queue pair of theirs, on the same completion queue. */
struct ibv_qp *theirs_create_qp(void);

/*
 * Post WR, signalled and of one segment at most, and wait for the completion, 20 s at most. If it
 * fails, the queue pair is to be connected again.
 */
struct xrdma_wc ours_carry_out(struct xrdma_send_wr *wr);
struct ibv_wc theirs_carry_out(struct ibv_send_wr *wr);

/* The next completion, as of a receive. */
struct xrdma_wc ours_poll(void);
struct ibv_wc theirs_poll(void);

/* Post a receive of no memory. */
void ours_receive(void);
void theirs_receive(void);

/*
 * One posts a WRITE or a READ of LEN bytes at OFFSET, or FETCH_ADD on the word there, under a key
 * of the other's. Both memories hold random bytes. Whether it succeeded; all bytes are as they
 * should be then. Otherwise it failed with a remote access error, nothing changed, and both are to
 * be connected again.
 */
bool ours_access(enum xrdma_wr_opcode opcode, __u32 key, __u32 offset, __u32 len);
bool theirs_access(enum ibv_wr_opcode opcode, __u32 key, __u32 offset, __u32 len);

#endif
