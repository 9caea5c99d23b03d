/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* What stands behind the handles of context.h and pd.h. */
#ifndef XRDMA_USER_OBJ_CONTEXT_H
#define XRDMA_USER_OBJ_CONTEXT_H

#include <pthread.h>
#include <sys/queue.h>
#include <xrdma/mr.h>

#include "dev/device.h"
#include "dev/slot.h"
#include "lib/extents.h"
#include "lib/mutex.h"
#include "lib/process.h"
#include "lib/rows.h"
#include "mem/buffer.h"
#include "net/burst.h"
#include "net/transmit.h"
#include "obj/watch.h"

/* Rows 0 and 1 are never handed out: QPN 0 and 1 are the special ones of slot 0 (IBA 3.5.10). */
enum { XRDMA_QP_ROWS_RESERVED = 2 };

/*
 * A queue pair, as its completion queues find it. A row that names a completion queue changes only
 * with the lock of that; whose other rows are is not to be relied on.
 */
struct xrdma_qp_entry {
	struct xrdma_qp *qp;
	const struct xrdma_cq *send_cq, *recv_cq;
};

struct xrdma_mkey;
struct xrdma_mw;
struct xrdma_mr;
LIST_HEAD(xrdma_mw_list, xrdma_mw);
LIST_HEAD(xrdma_mr_list, xrdma_mr);

/* The windows and mkeys that have the keys of a context (key/key.h). XDP does not see them. */
struct xrdma_key_notes {
	struct xrdma_mutex lock;
	struct xrdma_key_note {
		struct xrdma_mw *window;    /* that has the row, or NULL */
		struct xrdma_mkey *mkey;    /* the same */
		struct xrdma_mw_list bound; /* windows, to the region that has it */
	} * by_row;
	__u32 last; /* number of a window */
};

/* Demand paging: the buffers that get memory when XDP misses it (key/fault.h). */
struct xrdma_faults {
	struct xrdma_mutex lock;
	LIST_HEAD(, xrdma_buffer) buffers;
	struct ring_buffer *ring;  /* what XDP misses; NULL: there are no such buffers yet */
	struct xrdma_mutex taking; /* held while it is read, taken before LOCK */
	int map, stop;		   /* of the ring, and an eventfd that ends the thread */
	pthread_t thread;
};

/* The requested keys of a context, in a hash that XDP looks them up in (key/requested.h). */
struct xrdma_requested {
	struct xrdma_mutex lock; /* held while it is created */
	int map;		 /* file descriptor; -1: none was requested yet */
};

/*
 * Each member that changes has a lock of its own, or is changed by atomic operations. The order of
 * locks is in lib/mutex.h.
 */
struct xrdma_context {
	struct xrdma_slots slots;
	struct xrdma_context_tables tables;
	struct xrdma_heap heap;
	struct xrdma_extents segments, cqes; /* bytes of these tables that queues have */
	struct xrdma_extents layouts;	     /* and that mkeys have */
	struct xrdma_transmit transmit;
	struct xrdma_bursts bursts;
	struct xrdma_device device;
	struct xrdma_watch watch; /* of device */
	struct xrdma_process process;
	__u32 slot;
	__u32 generation; /* of the slot */
	__u32 mkey_mask;
	__u64 key_secret;
	struct xrdma_key_notes key_notes;
	struct xrdma_requested requested;
	struct xrdma_faults faults;
	struct xrdma_device_attr limits;
	struct xrdma_rows mkey_rows, qp_rows, raw_key_rows, cntr_rows;
	/* Of the queues the first are completion queues, then comes the RQ of each queue pair. */
	struct xrdma_rows cq_rows;
	struct xrdma_qp_entry *qps; /* by row */
	__u32 pds, cqs, eqs;	    /* how many there are */
	__u32 last_pd;
	__u32 revoked; /* changes after keys were */
	bool paused;   /* for a fork (obj/fork.h) */
	LIST_ENTRY(xrdma_context) next;
	/* An mkey was created whose data may be transformed: the process writes by keys itself. */
	bool transforms;
};

/*
 * Whether this is the process that opened the context. Returns 0 or, with xrdma_error() set, -EPERM
 * (a child that was forked since).
 */
int xrdma_context_own(const struct xrdma_context *context);

/* The same for what needs the device: or -ENODEV (it was unloaded). */
int xrdma_context_enter(const struct xrdma_context *context);

struct xrdma_pd {
	struct xrdma_context *context;
	__u32 mr_mode; /* XRDMA_MR_*: what it is used by; no compatibility mode */
	__u32 number;
	__u64 auth;	     /* of its authorization key, or 0 (lib/auth.h) */
	struct xrdma_eq *eq; /* where its regions are reported to, or NULL */
	/* Regions, also future ones, windows, mkeys, encryption keys, queue pairs and so on. */
	__u32 users;
};

/* Whether its requests name their own memory by keys. Without LOCAL they name any by address. */
static inline bool xrdma_pd_uses_keys(const struct xrdma_pd *pd)
{
	return pd->mr_mode & XRDMA_MR_LOCAL;
}

/* When there is to be memory at all addresses of its regions. */
static inline enum xrdma_backing xrdma_pd_backing(const struct xrdma_pd *pd)
{
	if (pd->mr_mode & XRDMA_MR_ALLOCATED)
		return XRDMA_BACKED;
	return pd->mr_mode & XRDMA_MR_MMU_NOTIFY ? XRDMA_REFRESHED : XRDMA_ON_DEMAND;
}

/* Numbers of objects, which several threads create and end. COUNT is what there are then. */
static inline __u32 xrdma_count_in(__u32 *count)
{
	return __atomic_add_fetch(count, 1, __ATOMIC_RELAXED);
}

static inline void xrdma_count_out(__u32 *count)
{
	__atomic_sub_fetch(count, 1, __ATOMIC_RELEASE);
}

static inline __u32 xrdma_count(const __u32 *count)
{
	return __atomic_load_n(count, __ATOMIC_ACQUIRE);
}

#endif
