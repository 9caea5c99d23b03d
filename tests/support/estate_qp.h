/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* The queue pairs of an estate (estate.h), and their queues, for estate.c alone. */
#ifndef XRDMA_TESTS_ESTATE_QP_H
#define XRDMA_TESTS_ESTATE_QP_H

#include "estate.h"

enum {
	ESTATE_SLOT = 1,
	ESTATE_PD = 3, /* of all but what is of another */
	ESTATE_OTHER = 4,
	ESTATE_ANY_REMOTE =
		XRDMA_ACCESS_REMOTE_WRITE | XRDMA_ACCESS_REMOTE_READ | XRDMA_ACCESS_REMOTE_ATOMIC,
	ESTATE_PIECES = 2,
};

/* Receives are of two pieces, and so is the memory for the responses to a READ. */
struct estate_piece {
	__u32 at, len; /* in their place */
};

extern const struct estate_piece estate_pieces[ESTATE_PIECES];

void estate_open_qps(void);
__u32 estate_pd_of(__u32 qpn);

/* What user space says in the rows of queue pairs, and in those of no queue, is as it was. */
void estate_expect_qps(void);

#endif
