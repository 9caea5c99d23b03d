/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* What stands behind the handles of context.h, pd.h and mr.h. */
#ifndef XRDMA_USER_CONTEXT_H
#define XRDMA_USER_CONTEXT_H

#include <pthread.h>
#include <xrdma/mr.h>

#include "heap.h"
#include "slot.h"

struct xrdma_context {
	pthread_mutex_t lock; /* over all that follows */
	struct xrdma_slots slots;
	struct xrdma_context_tables tables;
	struct xrdma_heap heap;
	__u32 slot;
	__u32 mkey_mask;
	__u32 pds;
	__u32 last_pd;
};

struct xrdma_pd {
	struct xrdma_context *context;
	__u32 number;
	__u32 users; /* regions and queue pairs */
};

#endif
