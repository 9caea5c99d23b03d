/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * The contract between the XDP programs and user space, part 3: notices. The XDP programs write
 * them into the context's ring in xrdma_notices, and the context's process handles them.
 */
#ifndef XRDMA_ABI_NOTICE_H
#define XRDMA_ABI_NOTICE_H

#include <linux/types.h>

enum xrdma_notice_kind {
	XRDMA_NOTICE_MISSED, /* a packet needs a page of the process; DATA is its address */
	/* Completion queue DATA has notify bits that a program should not have to poll for. */
	XRDMA_NOTICE_NEWS,
	/* Completion queue DATA has a completion that the program waits for. */
	XRDMA_NOTICE_COMPLETION,
	/* Queue DATA, a shared receive queue, has fewer receives than its limit. */
	XRDMA_NOTICE_SRQ_LIMIT,
	XRDMA_NOTICE_KINDS,
};

struct xrdma_notice {
	__u32 kind; /* enum xrdma_notice_kind */
	__u32 qpn;  /* destination of the packet */
	__u32 psn; /* PSN of the packet; with XRDMA_OF_RESPONSE if it responds to our own request */
	__u32 reserved;
	__u64 data; /* an XRDMA_PAGED address, or the row of a queue */
};

/* Bit for responses: their PSNs may equal those of the peer's requests. */
#define XRDMA_OF_RESPONSE (1U << 25)

#endif
