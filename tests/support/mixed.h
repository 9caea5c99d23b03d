/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Two connected queue pairs in one process: ours on device xa in network namespace a, and one of
 * another implementation's device in b, through libibverbs. Requests name a place by its offset,
 * which is the same in both memories.
 */
#ifndef XRDMA_TESTS_MIXED_H
#define XRDMA_TESTS_MIXED_H

#include <infiniband/verbs.h>
#include <stdbool.h>

#include "side.h"

enum { MIXED_BYTES = 8192 }; /* bytes that requests access */

extern struct mixed {
	struct side ours;
	struct xrdma_mr *mr; /* all of our memory; peers access it only through windows */
	struct theirs {
		struct ibv_context *context;
		int gid_index; /* index of 10.66.0.2 */
		struct ibv_pd *pd;
		__u8 *memory;	   /* MIXED_BYTES */
		struct ibv_mr *mr; /* all of it; we access it only through windows */
		struct ibv_cq *cq;
		struct ibv_qp *qp;
	} theirs;
} mixed;

/* Fixtures of a suite and of each test. */
void mixed_open(void);
void mixed_close(void);
void mixed_start(void);
void mixed_stop(void);

/* Connect mixed.theirs.qp and OURS again. OURS is mixed.ours or another side of its owner. */
void mixed_connect(struct side *ours);

/* Create another queue pair of theirs, with the same completion queue. */
struct ibv_qp *theirs_create_qp(void);

/*
 * Post WR, signalled and with at most one segment, and wait up to 20 s for the completion. If it
 * fails, connect the queue pair again afterwards.
 */
struct xrdma_wc ours_execute(struct xrdma_send_wr *wr);
struct ibv_wc theirs_execute(struct ibv_send_wr *wr);

/* Returns the next completion, for example of a receive. */
struct xrdma_wc ours_poll(void);
struct ibv_wc theirs_poll(void);

/* Post a receive without memory. */
void ours_receive(void);
void theirs_receive(void);

/*
 * Let one side post a WRITE or a READ of LEN bytes at OFFSET, or a FETCH_ADD to the word there,
 * under a key of the other side. Both memories contain random bytes. Returns true if it succeeded,
 * with the expected result. Returns false if it failed with a remote access error and nothing
 * changed. Then connect both again.
 */
bool ours_access(enum xrdma_wr_opcode opcode, __u32 key, __u32 offset, __u32 len);
bool theirs_access(enum ibv_wr_opcode opcode, __u32 key, __u32 offset, __u32 len);

#endif
