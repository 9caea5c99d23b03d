/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Contexts: what a process has of a device, and the heap that its regions lie in. All calls are
 * thread safe. A context belongs to the process that opened it: when that ends, or executes another
 * program, XDP serves its keys and queue pairs no more, and the next process that opens a context
 * of the device frees what it had.
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
	XRDMA_TX_AUTO, /* by AF_XDP where the process may and a queue is free, else by UDP */
	XRDMA_TX_UDP,
	XRDMA_TX_XDP,
};

/* 0 stands for the default. */
struct xrdma_context_attr {
	size_t sz; /* of this struct */
	/*
	 * Bytes that the heap has from the start, rounded up to XRDMA_HEAP_ELEMENT, which is the
	 * default. It grows when that is not enough.
	 */
	size_t heap_size;
	size_t heap_max; /* bytes up to which it grows; default XRDMA_HEAP_MAX */
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
	__u32 raw_keys; /* of peers, mapped at a time, up to XRDMA_RAW_KEYS_MAX; default 1024 */
	__u32 tx;	/* enum xrdma_tx */
};

/*
 * Open a context of the device that is loaded on the netdev DEVICE of the caller's network
 * namespace. ATTR may be NULL. *CONTEXT is to be closed by xrdma_context_close().
 *
 * Returns 0 or -ENOENT (not loaded), -ENODEV (the netdev is gone, or in another network namespace),
 * -EPROTO (loaded by another version), -EPERM (needs CAP_BPF, CAP_NET_ADMIN, CAP_PERFMON, or for
 * XRDMA_TX_XDP CAP_NET_RAW), -ENOSPC (all contexts of the device are in use), -EBUSY (no queue is
 * free for XRDMA_TX_XDP), -EINVAL (a size is too large, or TX unknown; or a variable of the
 * environment that the registration cache has, docs/memory.md, is not understood), -EOPNOTSUPP (the
 * cache's monitor cannot watch this process, or for XRDMA_TX_XDP the kernel has no AF_XDP or the
 * netdev no Ethernet frames), -ENOMEM.
 */
XRDMA_API int xrdma_context_open(const char *device, const struct xrdma_context_attr *attr,
				 struct xrdma_context **context);

/* Limits of a context; compare struct ibv_device_attr. */
struct xrdma_device_attr {
	size_t sz;		     /* of this struct, set by the caller */
	__u64 max_mr_size;	     /* bytes: what the heap may have */
	__u32 max_mr;		     /* keys */
	__u32 max_mw;		     /* the same keys */
	__u32 max_qp;		     /* queue pairs */
	__u32 max_send_wr;	     /* of a queue pair: work requests in its send queue */
	__u32 max_recv_wr;	     /* and in its receive queue */
	__u32 max_send_sge;	     /* data segments of a work request */
	__u32 max_recv_sge;	     /* and of a receive */
	__u32 max_inline;	     /* bytes of a work request */
	__u32 max_cq;		     /* completion queues */
	__u32 max_cqe;		     /* entries of all of them */
	__u32 max_qp_rd_atomic;	     /* READs and atomics of a peer outstanding on a queue pair */
	__u32 max_qp_init_rd_atomic; /* and of ours */
	__u32 max_msg_size;	     /* bytes of a message */
	__u32 max_mkey;		     /* the same keys */
	__u32 max_mkey_entries;	     /* of the layout of one */
	__u32 max_cntr;		     /* counters */
	__u32 max_raw_key;	     /* of peers, mapped at a time */
};

/* Return the limits of CONTEXT in *ATTR, as ibv_query_device(3) does for a device. Returns 0. */
XRDMA_API int xrdma_context_query(struct xrdma_context *context, struct xrdma_device_attr *attr);

/*
 * Close it; its heap is unmapped. When the call returns, no remote access can touch its memory. No
 * other thread may be in a call with it. Returns 0 or -EBUSY (it has protection domains,
 * completion queues or event queues).
 */
XRDMA_API int xrdma_context_close(struct xrdma_context *context);

/*
 * Take SIZE bytes of the heap, aligned to ALIGN (a power of two) and to a cache line. The bytes are
 * what their last user left. Where the heap has no room it grows, which takes the kernel some
 * 10 ms. *MEMORY is to be given back by xrdma_free(), or goes with the context.
 *
 * A child that is forked does not have this memory: it gets SIGSEGV where it touches any. Memory of
 * the program's own that is registered where it is (mr.h), the child has as a copy.
 *
 * Returns 0 or -EINVAL (SIZE is 0, or ALIGN is no power of two up to XRDMA_HEAP_ELEMENT), -ENOMEM
 * (no room in the heap, which may not grow, or for which the kernel has no memory).
 */
XRDMA_API int xrdma_alloc(struct xrdma_context *context, size_t size, size_t align, void **memory);

/* Returns 0 or -EINVAL (not from xrdma_alloc(), or freed already). NULL is accepted. */
XRDMA_API int xrdma_free(struct xrdma_context *context, void *memory);

#ifdef __cplusplus
}
#endif
#endif
