/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Types and limits that several calls of the library share. */
#ifndef XRDMA_TYPES_H
#define XRDMA_TYPES_H

#include <linux/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Transport services, by their numbers in opcodes (9.2.1). */
enum xrdma_transport {
	XRDMA_TRANSPORT_RC = 0,
	XRDMA_TRANSPORT_UC = 1,
	XRDMA_TRANSPORT_UD = 3,
};

/* States of queue pairs, with the numbers of enum ibv_qp_state. */
#define XRDMA_QP_STATES(X) X(RESET) X(INIT) X(RTR) X(RTS) X(SQD) X(SQE) X(ERR)

enum xrdma_qp_state {
#define X(symbol) XRDMA_QPS_##symbol,
	XRDMA_QP_STATES(X)
#undef X
};

/*
 * The access that a key or a queue pair allows. The bits LOCAL_WRITE to ZERO_BASED have the numbers
 * of IBV_ACCESS_*, and READ to SEND those of FI_*.
 */
enum {
	XRDMA_ACCESS_LOCAL_WRITE = 1 << 0,
	XRDMA_ACCESS_REMOTE_WRITE = 1 << 1,
	XRDMA_ACCESS_REMOTE_READ = 1 << 2,
	XRDMA_ACCESS_REMOTE_ATOMIC = 1 << 3,
	XRDMA_ACCESS_MW_BIND = 1 << 4,
	XRDMA_ACCESS_ZERO_BASED = 1 << 5,
	XRDMA_ACCESS_READ = 1 << 8,  /* the results of own READs and atomics are stored there */
	XRDMA_ACCESS_WRITE = 1 << 9, /* own WRITEs send bytes from there */
	XRDMA_ACCESS_RECV = 1 << 10, /* own receives store messages there */
	XRDMA_ACCESS_SEND = 1 << 11, /* own SENDs send bytes from there */
	XRDMA_ACCESS_REMOTE_INVALIDATE = 1 << 15, /* peers may end the key */
};

/* A data segment: memory of the process. */
struct xrdma_sge {
	/* Address of the first byte; in a region that is ZERO_BASED, an offset into the region. */
	__u64 addr;
	__u32 length; /* bytes */
	__u32 lkey;
};

enum {
	XRDMA_PSN_MASK = 0xffffff, /* a PSN has 24 bits */
	XRDMA_QPN_MASK = 0xffffff, /* and so has a QPN */
	XRDMA_MTU_MIN = 256,	   /* bytes */
	XRDMA_MTU_MAX = 4096,
	XRDMA_HEAP_ELEMENT = 1 << 21, /* bytes by which a context's heap grows */
	/* Each of these is the most that a context can have. */
	XRDMA_QP_COUNT_MAX = (1 << 16) - 2,
	XRDMA_MKEYS_MAX = 1 << 24,
	XRDMA_CQS_MAX = 1 << 16,
	XRDMA_CQ_ENTRIES_MAX = 1 << 20,
	XRDMA_SEGMENTS_MAX = 1 << 24,
	XRDMA_LAYOUTS_MAX = 1 << 24,
	XRDMA_RAW_KEYS_MAX = 1 << 24,
	XRDMA_SRQS_MAX = 1 << 16,
	XRDMA_CNTRS_MAX = 1 << 20,
	XRDMA_LAYOUT_ENTRIES_MAX = 64, /* entries in the layout of an mkey */
	XRDMA_RECV_SGE_MAX = 32,       /* data segments in a receive */
	XRDMA_RD_ATOMIC_MAX = 16,      /* READs and atomics outstanding on a connection */
};
#define XRDMA_MESSAGE_MAX (1U << 31)   /* bytes of a message (9.7.4.1.6) */
#define XRDMA_HEAP_MAX	  (1ULL << 37) /* bytes of a context's heap */

#ifdef __cplusplus
}
#endif
#endif
