/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* What stands behind the handles of context.h and pd.h. */
#ifndef XRDMA_USER_OBJ_CONTEXT_H
#define XRDMA_USER_OBJ_CONTEXT_H

#include <pthread.h>
#include <xrdma/mr.h>

#include "dev/device.h"
#include "lib/extents.h"
#include "lib/process.h"
#include "lib/rows.h"
#include "dev/slot.h"
#include "net/transmit.h"
#include "obj/watch.h"

/* Rows 0 and 1 are never handed out: QPN 0 and 1 are the special ones of slot 0 (IBA 3.5.10). */
enum { XRDMA_QP_ROWS_RESERVED = 2 };

struct xrdma_context {
	pthread_mutex_t lock; /* over all that follows */
	struct xrdma_slots slots;
	struct xrdma_context_tables tables;
	struct xrdma_extents heap;
	struct xrdma_extents segments, cqes; /* bytes of these tables that queues have */
	struct xrdma_transmit transmit;
	struct xrdma_device device;
	struct xrdma_watch watch; /* of device */
	struct xrdma_process process;
	__u32 slot;
	__u32 generation; /* of the slot */
	__u32 mkey_mask;
	__u64 key_secret;
	struct xrdma_device_attr limits;
	struct xrdma_rows mkey_rows, qp_rows;
	/* Of the queues the first are completion queues, then comes the RQ of each queue pair. */
	struct xrdma_rows cq_rows;
	struct xrdma_qp **qps; /* by row */
	__u32 pds, cqs;	       /* how many there are */
	__u32 last_pd;
};

/*
 * Take the context's lock, in the process that opened it. Returns 0 or, with xrdma_error() set,
 * -EPERM (this is a child that was forked since).
 */
int xrdma_context_lock(struct xrdma_context *context);
void xrdma_context_unlock(struct xrdma_context *context);

/* The same for what needs the device: or -ENODEV (it was unloaded). */
int xrdma_context_enter(struct xrdma_context *context);

struct xrdma_pd {
	struct xrdma_context *context;
	__u32 number;
	__u32 users; /* regions and queue pairs */
};

#endif
