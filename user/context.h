/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* What stands behind the handles of context.h and pd.h. */
#ifndef XRDMA_USER_CONTEXT_H
#define XRDMA_USER_CONTEXT_H

#include <net/if.h>
#include <pthread.h>
#include <xrdma/mr.h>

#include "heap.h"
#include "slot.h"
#include "transmit.h"

/* Rows 0 and 1 are never handed out: QPN 0 and 1 are the special ones of slot 0 (IBA 3.5.10). */
enum { XRDMA_QPS_RESERVED = 2 };

struct xrdma_context {
	pthread_mutex_t lock; /* over all that follows */
	struct xrdma_slots slots;
	struct xrdma_context_tables tables;
	struct xrdma_heap heap;
	struct xrdma_heap sges, cqes; /* bytes of these tables that queues have */
	struct xrdma_transmit transmit;
	char device[IF_NAMESIZE];
	__u32 ifindex;
	__u32 slot;
	__u32 mkey_mask;
	__u64 key_secret;
	__u32 qp_rows;
	struct xrdma_qp **qps; /* by row; NULL: the row is free */
	__u32 cq_rows;
	struct xrdma_cq **cqs; /* as qps */
	__u32 pds, cq_count;
	__u32 last_pd;
};

struct xrdma_pd {
	struct xrdma_context *context;
	__u32 number;
	__u32 users; /* regions and queue pairs */
};

#endif
