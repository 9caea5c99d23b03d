/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Contexts: the share of a device that one process has, with the heap for its registered memory.
 * All calls are thread safe. A context belongs to the process that opened it. When the process
 * ends, or executes another program, XDP stops serving its keys and queue pairs, and the next
 * process that opens a context of the device frees them.
 */
#ifndef XRDMA_CONTEXT_H
#define XRDMA_CONTEXT_H

#include <stddef.h>

#include "error.h"
#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

struct xrdma_context;

/*
 * How a context sends requests.
 *
 * UDP: by sockets. The kernel's routes and neighbours apply as they change, and no privilege is
 * needed.
 *
 * AF_XDP: from a queue of the netdev, past the kernel's stack, which is faster. The context uses
 * the queue alone and needs CAP_NET_RAW. Packets that do not fit into a frame go by UDP, and so do
 * all packets of a queue pair after its peer was silent for its timeout.
 */
enum xrdma_tx {
	XRDMA_TX_AUTO, /* by AF_XDP if permitted and a queue is free, else by UDP */
	XRDMA_TX_UDP,
	XRDMA_TX_XDP,
};

/* Progress of requests: to send those that wait, to repeat lost ones, and to complete them. */
enum xrdma_progress {
	/*
	 * The program makes progress when it polls or posts. Completion queues with a channel have
	 * XRDMA_PROGRESS_AUTO all the same.
	 */
	XRDMA_PROGRESS_MANUAL,
	/*
	 * A thread of the context makes progress, too, if the program has not polled for one or two
	 * milliseconds. The thread sleeps while nothing is under way. This is FI_PROGRESS_AUTO of
	 * fi_domain(3).
	 */
	XRDMA_PROGRESS_AUTO,
};

/* Attributes of a context. A field of 0 stands for the default. */
struct xrdma_context_attr {
	size_t sz; /* of this struct */
	/*
	 * Bytes of the heap at the start, rounded up to XRDMA_HEAP_ELEMENT, which is the default.
	 * The heap grows when it is full.
	 */
	size_t heap_size;
	size_t heap_max; /* limit of the heap's growth in bytes; default XRDMA_HEAP_MAX */
	__u32 mkeys; /* keys, rounded up to a power of two, up to XRDMA_MKEYS_MAX; default 4096 */
	__u32 qps;   /* queue pairs, up to XRDMA_QP_COUNT_MAX; default 256 */
	__u32 cqs;   /* completion queues, up to XRDMA_CQS_MAX; default 256 */
	__u32 cqes;  /* entries of all of them, up to XRDMA_CQ_ENTRIES_MAX; default 65536 */
	/*
	 * Data segments of all receives and of READs outstanding, up to XRDMA_SEGMENTS_MAX; default
	 * 65536.
	 */
	__u32 segments;
	__u32 layouts;	/* entries of all mkeys, up to XRDMA_LAYOUTS_MAX; default 4096 */
	__u32 cntrs;	/* counters, up to XRDMA_CNTRS_MAX; default 64 */
	__u32 raw_keys; /* mapped raw keys of peers, up to XRDMA_RAW_KEYS_MAX; default 1024 */
	__u32 tx;	/* enum xrdma_tx */
	__u32 srqs;	/* shared receive queues, up to XRDMA_SRQS_MAX; default 64 */
	__u32 progress; /* enum xrdma_progress */
	__u32 reserved; /* 0 */
};

/*
 * Open a context of the device that is loaded on netdev DEVICE in the caller's network namespace.
 * ATTR may be NULL. Close *CONTEXT with xrdma_context_close().
 *
 * Returns 0 or -ENOENT (not loaded), -ENODEV (the netdev is gone, or in another network namespace),
 * -EPROTO (loaded by another version), -EPERM (CAP_BPF, CAP_NET_ADMIN or CAP_PERFMON is missing, or
 * for XRDMA_TX_XDP CAP_NET_RAW), -ENOSPC (all contexts of the device are in use), -EBUSY (no queue
 * is free for XRDMA_TX_XDP), -EINVAL (a size is too large, TX is unknown, or an environment
 * variable of the registration cache has no valid value), -EOPNOTSUPP (the cache's monitor cannot
 * work in this process, or for XRDMA_TX_XDP the kernel has no AF_XDP or the netdev no Ethernet
 * frames), -ENOMEM (no memory).
 */
XRDMA_API int xrdma_context_open(const char *device, const struct xrdma_context_attr *attr,
				 struct xrdma_context **context);

/* Limits of a context; compare struct ibv_device_attr. */
struct xrdma_device_attr {
	size_t sz;		     /* of this struct, set by the caller */
	__u64 max_mr_size;	     /* bytes of the heap */
	__u32 max_mr;		     /* keys */
	__u32 max_mw;		     /* windows use the same keys */
	__u32 max_qp;		     /* queue pairs */
	__u32 max_send_wr;	     /* work requests in a send queue */
	__u32 max_recv_wr;	     /* receives in a receive queue */
	__u32 max_send_sge;	     /* data segments of a work request */
	__u32 max_recv_sge;	     /* data segments of a receive */
	__u32 max_inline;	     /* inline bytes of a work request */
	__u32 max_cq;		     /* completion queues */
	__u32 max_cqe;		     /* entries of all completion queues */
	__u32 max_qp_rd_atomic;	     /* READs and atomics of a peer outstanding on a queue pair */
	__u32 max_qp_init_rd_atomic; /* own READs and atomics outstanding on a queue pair */
	__u32 max_msg_size;	     /* bytes of a message */
	__u32 max_mkey;		     /* mkeys use the same keys */
	__u32 max_mkey_entries;	     /* entries in the layout of an mkey */
	__u32 max_cntr;		     /* counters */
	__u32 max_raw_key;	     /* mapped raw keys of peers */
	__u32 max_srq;		     /* shared receive queues */
	__u32 max_srq_wr;	     /* receives in one */
	__u32 max_srq_sge;	     /* data segments of each */
};

/*
 * Return the limits of CONTEXT in *ATTR, as ibv_query_device(3) does for a device. Set ATTR->sz
 * before. Returns 0 or -EINVAL (ATTR->sz is not a size of the struct).
 */
XRDMA_API int xrdma_context_query(struct xrdma_context *context, struct xrdma_device_attr *attr);

/*
 * Close CONTEXT and unmap its heap. When the call returns, no remote access can touch the heap. No
 * other thread may be in a call with CONTEXT. Returns 0 or -EBUSY (it has protection domains,
 * completion queues or event queues).
 */
XRDMA_API int xrdma_context_close(struct xrdma_context *context);

/*
 * Allocate SIZE bytes of the heap, aligned to ALIGN (a power of two) and to a cache line. The bytes
 * are not cleared. If the heap is full it grows, which takes about 10 ms. Free *MEMORY with
 * xrdma_free(); closing the context frees it, too.
 *
 * A forked child does not have this memory: an access ends it with SIGSEGV. It has a copy of memory
 * of the program's own that is registered in place (mr.h).
 *
 * Returns 0 or -EINVAL (SIZE is 0, or ALIGN is not a power of two up to XRDMA_HEAP_ELEMENT),
 * -ENOMEM (the heap is full and cannot grow).
 */
XRDMA_API int xrdma_alloc(struct xrdma_context *context, size_t size, size_t align, void **memory);

/*
 * Free MEMORY, from xrdma_alloc(). NULL is accepted. Returns 0 or -EINVAL (not from xrdma_alloc(),
 * or freed already).
 */
XRDMA_API int xrdma_free(struct xrdma_context *context, void *memory);

#ifdef __cplusplus
}
#endif
#endif
