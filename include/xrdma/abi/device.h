/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * The contract between the XDP programs and user space, part 2: the maps of a device. They belong
 * to the user that loaded it. context.h describes the maps of a context.
 */
#ifndef XRDMA_ABI_DEVICE_H
#define XRDMA_ABI_DEVICE_H

#include <linux/types.h>
#include <stddef.h>

#include "../counters.h"
#include "context.h"
#include "wire.h"

#ifdef __cplusplus
extern "C" {
#endif

#define XRDMA_ABI_MAGIC 0x414d445258ULL /* "XRDMA" */

enum {
	XRDMA_ADDRS_MAX = 16,
	XRDMA_MORE_ADDRS_MAX = 4096,
	XRDMA_CONTEXTS_MAX = 256,
};

enum {
	XRDMA_FEATURE_SHARED = 1 << 0, /* the kernel has an RDMA device on the netdev */
};

/* The row of xrdma_device. */
struct xrdma_device_row {
	__u64 magic;
	__u32 abi_version;
	__u32 ifindex;
	__u32 addr_count; /* addresses of the netdev; packets to others pass to the stack */
	__u32 features;	  /* XRDMA_FEATURE_* */
	__u32 mode;	  /* enum xrdma_mode, never AUTO */
	__u16 reason;	  /* enum xrdma_mode_reason */
	__u8 took_tags;	  /* 1: rxvlan of the netdev was on, and is turned on again at unload */
	__u8 reserved8;
	__u64 netns; /* cookie of the netdev's network namespace (SO_NETNS_COOKIE) */
	__u8 mac[6]; /* of the netdev; frames to other addresses pass to the stack */
	__u16 reserved16;
	__u64 reserved[2];
	__be32 addrs[XRDMA_ADDRS_MAX]
		    [4]; /* IPv4 as ::ffff:a.b.c.d; further addresses are keys of xrdma_addrs */
};
XRDMA_ABI_ASSERT(sizeof(struct xrdma_device_row) == 320,
		 "xrdma_device_row is part of the contract");

/*
 * States of a slot. DEAD: its process has ended; the slot can be claimed. OPENING: it is being
 * opened or closed, and XDP does not use its maps. UNLOADED: it was alive when its device was
 * unloaded by force. PAUSED: its process is being forked. XDP does not use its memory and keys
 * then: it asks peers to repeat their requests, and accepts acknowledgements.
 */
#define XRDMA_CONTEXT_STATES(X) X(FREE) X(ALIVE) X(DEAD) X(OPENING) X(UNLOADED) X(PAUSED)

enum xrdma_context_state {
#define X(symbol) XRDMA_CONTEXT_##symbol,
	XRDMA_CONTEXT_STATES(X)
#undef X
};

enum {
	XRDMA_USES_USER_KEYS = 1 << 0, /* user keys */
	XRDMA_USES_CNTRS = 1 << 1,     /* counters */
};

/* A row of xrdma_contexts. Its index is the slot. */
struct xrdma_context_row {
	__u32 state;	     /* enum xrdma_context_state */
	__u32 owner;	     /* process id in the first PID namespace */
	__u64 owner_started; /* ns since boot, of the process's first thread */
	__u32 mkey_mask;     /* rows of the key table, a power of two, minus one */
	__u32 generation;    /* number of times that the slot was claimed */
	__u32 uses;	     /* XRDMA_USES_*: optional maps that the context has */
	__u32 reserved32;
	__u64 paused_since; /* ns of CLOCK_MONOTONIC */
	__u64 reserved[3];
};
XRDMA_ABI_ASSERT(sizeof(struct xrdma_context_row) == 64,
		 "xrdma_context_row is part of the contract");

/*
 * Epoch of a CPU, for revocation. Each program run adds one to ENTERED before it reads a context's
 * rows, and to LEFT when it is done.
 */
struct xrdma_epoch {
	XRDMA_ALIGNED(64) __u64 entered;
	__u64 left;
};
XRDMA_ABI_ASSERT(sizeof(struct xrdma_epoch) == 64, "a cache line for each CPU");

/*
 * Tables of a context besides its heap: X(table, the device's map that holds it for each slot, type
 * of a row).
 */
#define XRDMA_CONTEXT_TABLES(X)                     \
	X(qps, xrdma_qps, xrdma_qp_row)             \
	X(mkeys, xrdma_mkeys, xrdma_mkey_row)       \
	X(queues, xrdma_queues, xrdma_queue_row)    \
	X(segments, xrdma_segments, xrdma_sge)      \
	X(layouts, xrdma_layouts, xrdma_layout_row) \
	X(cqes, xrdma_cqes, xrdma_cqe_row)          \
	X(cntrs, xrdma_cntrs, xrdma_cntr_row)       \
	X(raw_keys, xrdma_raw_keys, xrdma_raw_key_row)

/* The value of xrdma_counters, for each CPU, is a struct xrdma_counters. */
#define X(number, symbol, ...)                                                          \
	XRDMA_ABI_ASSERT(offsetof(struct xrdma_verdict_counters, symbol) == 8 * number, \
			 "verdicts are listed in the order of their numbers, without a gap");
XRDMA_VERDICTS(X)
#undef X

#ifdef __cplusplus
}
#endif
#endif
