/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * A context with memory of every kind of right, and queue pairs that may use some of it: what a
 * packet may change there, and what may be read, is known byte by byte, apart from the program.
 */
#ifndef XRDMA_TESTS_SANDBOX_H
#define XRDMA_TESTS_SANDBOX_H

#include "mutate.h"
#include "target.h"

enum sandbox_qp {
	SANDBOX_MTU_256,
	SANDBOX_MTU_1024,
	SANDBOX_MTU_4096,
	SANDBOX_IPV6,
	SANDBOX_UC,
	SANDBOX_OTHER_PD,
	SANDBOX_NO_ACCESS, /* by requests of the peer */
	SANDBOX_INIT,	   /* its state */
	SANDBOX_QPS,
};

enum sandbox_place {
	SANDBOX_WRITABLE,
	SANDBOX_READABLE,
	SANDBOX_ATOMIC,
	SANDBOX_ALL,
	SANDBOX_RECEIVE, /* memory of receives, and between them */
	SANDBOX_RESULT,	 /* the same for READs and atomics of ours */
	SANDBOX_OF_OTHER_PD,
	SANDBOX_INVALID,
	SANDBOX_WINDOW,	 /* of type 2B, of SANDBOX_MTU_1024 */
	SANDBOX_LISTED,	 /* no peer may do anything there but by the two that follow */
	SANDBOX_LIST,	 /* an mkey */
	SANDBOX_PATTERN, /* an mkey that is interleaved, of some of what is not in the list */
	SANDBOX_PLACES,
};

enum { SANDBOX_REGION = 8192 /* bytes of all places but the mkeys */ };

extern struct target sandbox_target;
extern unsigned long long
	sandbox_changed[SANDBOX_PLACES]; /* packets that changed something there */

/* A suite's .init. */
void sandbox_open(void);

__u32 sandbox_qpn(enum sandbox_qp qp);
struct xrdma_qp_row *sandbox_row(enum sandbox_qp qp);
__u32 sandbox_key(enum sandbox_place place);
__u64 sandbox_address(enum sandbox_place place);
__u32 sandbox_len(enum sandbox_place place);

/* Return likely values for requests, responses and keys. The PSNs are those of QP. */
const struct mutate_likely *sandbox_likely(enum sandbox_qp qp);

/* QP waits for the response to a READ of LENGTH bytes, or for RESPONSE of another kind. */
void sandbox_await(enum sandbox_qp qp, __u8 response, __u32 length);

/* Receives are posted, but seldom none, and queue pairs that have stopped begin anew. */
void sandbox_refresh(void);

/* All that has changed a packet to queue pair QPN (0: any) has the RIGHTS to change. */
void sandbox_expect_rights(__u32 qpn, unsigned int rights);

/* Nothing of what no peer may read is among LEN bytes at BYTES. */
void sandbox_expect_secrets(const __u8 *bytes, size_t len);

/*
 * Expect that the fields of user space in the tables are unchanged, except for keys that a peer may
 * end.
 */
void sandbox_expect_tables(void);

/* Memory before and behind all places is still 0. */
void sandbox_expect_rest(void);

#endif
