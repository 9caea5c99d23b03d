/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * A part of the contract between the XDP programs and user space (rows.h): what XDP tells a
 * context's process.
 */
#ifndef XRDMA_NOTICE_H
#define XRDMA_NOTICE_H

#include <linux/types.h>

/* XDP asks a context's process for a page, in the ring that the context has in xrdma_faults. */
struct xrdma_fault {
	__u64 missed; /* XRDMA_PAGED address of a byte in the page */
	__u32 qpn;    /* of the packet that missed the page */
	__u32 psn;    /* of the packet; with XRDMA_OF_RESPONSE if it responds to our own request */
};

/* The peer's requests and the responses to our own have PSNs of their own, which may be equal. */
#define XRDMA_OF_RESPONSE (1U << 25)

#endif
