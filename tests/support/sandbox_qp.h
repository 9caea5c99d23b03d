/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Queue pairs of a sandbox (sandbox.h) and their queues, only for sandbox.c. */
#ifndef XRDMA_TESTS_SANDBOX_QP_H
#define XRDMA_TESTS_SANDBOX_QP_H

#include "sandbox.h"

enum {
	SANDBOX_SLOT = 1,
	SANDBOX_PD = 3, /* domain of everything that belongs to no other one */
	SANDBOX_OTHER = 4,
	SANDBOX_ANY_REMOTE =
		XRDMA_ACCESS_REMOTE_WRITE | XRDMA_ACCESS_REMOTE_READ | XRDMA_ACCESS_REMOTE_ATOMIC,
	SANDBOX_PIECES = 2,
};

/* Receives consist of two pieces, and so does the memory for responses to a READ. */
struct sandbox_piece {
	__u32 at, len; /* place and length in the heap */
};

extern const struct sandbox_piece sandbox_pieces[SANDBOX_PIECES];

void sandbox_open_qps(void);
__u32 sandbox_pd_of(__u32 qpn);

/* Expect that members of user space are unchanged in the rows of queue pairs and in unused rows. */
void sandbox_expect_qps(void);

#endif
