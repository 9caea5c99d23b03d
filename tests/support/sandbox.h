/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * A context with memory for every kind of right, and queue pairs that may access some of it. The
 * bytes that a packet may change or read are known independently of the program.
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
	SANDBOX_NO_ACCESS, /* for requests of the peer */
	SANDBOX_INIT,	   /* the queue pair's state */
	SANDBOX_QPS,
};

enum sandbox_place {
	SANDBOX_WRITABLE,
	SANDBOX_READABLE,
	SANDBOX_ATOMIC,
	SANDBOX_ALL,
	SANDBOX_RECEIVE, /* memory of receives, and gaps between them */
	SANDBOX_RESULT,	 /* memory for results of our READs and atomics, with gaps */
	SANDBOX_OF_OTHER_PD,
	SANDBOX_INVALID,
	SANDBOX_WINDOW,	 /* window of type 2B, bound by SANDBOX_MTU_1024 */
	SANDBOX_LISTED,	 /* accessible only through the two mkeys below */
	SANDBOX_LIST,	 /* mkey with a list */
	SANDBOX_PATTERN, /* interleaved mkey, for memory that is not in the list */
	SANDBOX_PLACES,
};

enum { SANDBOX_REGION = 8192 /* bytes of all places, except the mkeys */ };

extern struct target sandbox_target;
extern unsigned long long
	sandbox_changed[SANDBOX_PLACES]; /* number of packets that changed each place */

/* Fixture of a suite, for .init. */
void sandbox_open(void);

__u32 sandbox_qpn(enum sandbox_qp qp);
struct xrdma_qp_row *sandbox_row(enum sandbox_qp qp);
__u32 sandbox_key(enum sandbox_place place);
__u64 sandbox_address(enum sandbox_place place);
__u32 sandbox_len(enum sandbox_place place);

/* Returns likely values for requests, responses and keys. The PSNs are those of QP. */
const struct mutate_likely *sandbox_likely(enum sandbox_qp qp);

/* Make QP wait for the response to a READ of LENGTH bytes, or for RESPONSE of another kind. */
void sandbox_await(enum sandbox_qp qp, __u8 response, __u32 length);

/* Post receives, but seldom none, and restart queue pairs that have stopped. */
void sandbox_refresh(void);

/*
 * Expect that a packet to queue pair QPN (0: any) with RIGHTS was allowed to change all that has
 * changed.
 */
void sandbox_expect_rights(__u32 qpn, unsigned int rights);

/* Expect that LEN bytes at BYTES contain nothing that no peer may read. */
void sandbox_expect_secrets(const __u8 *bytes, size_t len);

/*
 * Expect that members of user space in the tables are unchanged, except for keys that a peer may
 * invalidate.
 */
void sandbox_expect_tables(void);

/* Expect that memory before and after all places is still 0. */
void sandbox_expect_rest(void);

#endif
