/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * A context with memory of every kind of right, and queue pairs that may use some of it: what a
 * packet may change there, and what may be read, is known byte by byte, apart from the program.
 */
#ifndef XRDMA_TESTS_ESTATE_H
#define XRDMA_TESTS_ESTATE_H

#include "mutate.h"
#include "target.h"

enum estate_qp {
	ESTATE_MTU_256,
	ESTATE_MTU_1024,
	ESTATE_MTU_4096,
	ESTATE_IPV6,
	ESTATE_UC,
	ESTATE_OTHER_PD,
	ESTATE_NO_ACCESS, /* by requests of the peer */
	ESTATE_INIT,	  /* its state */
	ESTATE_QPS,
};

enum estate_place {
	ESTATE_WRITABLE,
	ESTATE_READABLE,
	ESTATE_ATOMIC,
	ESTATE_ALL,
	ESTATE_RECEIVE, /* memory of receives, and between them */
	ESTATE_RESULT,	/* the same for READs and atomics of ours */
	ESTATE_OF_OTHER_PD,
	ESTATE_INVALID,
	ESTATE_WINDOW,	/* of type 2B, of ESTATE_MTU_1024 */
	ESTATE_LISTED,	/* no peer may do anything there but by the two that follow */
	ESTATE_LIST,	/* an mkey */
	ESTATE_PATTERN, /* an mkey that is interleaved, of some of what is not in the list */
	ESTATE_PLACES,
};

enum { ESTATE_REGION = 8192 /* bytes of all places but the mkeys */ };

extern struct target estate_target;
extern unsigned long long estate_changed[ESTATE_PLACES]; /* packets that changed something there */

/* A suite's .init. */
void estate_open(void);

__u32 estate_qpn(enum estate_qp qp);
struct xrdma_qp_row *estate_row(enum estate_qp qp);
__u32 estate_key(enum estate_place place);
__u64 estate_address(enum estate_place place);
__u32 estate_len(enum estate_place place);

/* What requests, responses and keys are likely to name; the PSNs are those of QP. */
const struct mutate_likely *estate_likely(enum estate_qp qp);

/* QP waits for the response to a READ of LENGTH bytes, or for RESPONSE of another kind. */
void estate_await(enum estate_qp qp, __u8 response, __u32 length);

/* Receives are posted, but seldom none, and queue pairs that have stopped begin anew. */
void estate_refresh(void);

/* All that has changed a packet to queue pair QPN (0: any) has the RIGHTS to change. */
void estate_expect_rights(__u32 qpn, unsigned int rights);

/* Nothing of what no peer may read is among LEN bytes at BYTES. */
void estate_expect_secrets(const __u8 *bytes, size_t len);

/* What user space says in the tables is as it was; keys that a peer may end apart. */
void estate_expect_tables(void);

/* Memory before and behind all places is still 0. */
void estate_expect_rest(void);

#endif
