/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Protection domains: a queue pair reaches the regions of its own domain only (IBA 10.2.3). All
 * calls are thread safe.
 */
#ifndef XRDMA_PD_H
#define XRDMA_PD_H

#include "context.h"

#ifdef __cplusplus
extern "C" {
#endif

struct xrdma_pd;

/*
 * How a program registers memory with a domain, by bits of FI_MR_* (fi_mr(3)). With none of them
 * its regions begin at address 0, have the keys that it asks for, and need not be backed by memory
 * when they are registered; and it registers nothing for its own requests. What a bit changes:
 */
enum {
	XRDMA_MR_BASIC = 1 << 0,      /* alone: LOCAL, VIRT_ADDR, ALLOCATED and PROV_KEY */
	XRDMA_MR_SCALABLE = 1 << 1,   /* alone: none */
	XRDMA_MR_LOCAL = 1 << 2,      /* its own requests' memory too; else lkey means nothing */
	XRDMA_MR_RAW = 1 << 3,	      /* peers get raw keys, and map them */
	XRDMA_MR_VIRT_ADDR = 1 << 4,  /* regions begin at the address of their first buffer */
	XRDMA_MR_ALLOCATED = 1 << 5,  /* all of a region is there when it is registered */
	XRDMA_MR_PROV_KEY = 1 << 6,   /* keys are the library's choice */
	XRDMA_MR_MMU_NOTIFY = 1 << 7, /* xrdma_mr_refresh() says when memory was mapped */
	XRDMA_MR_RMA_EVENT = 1 << 8,  /* and which regions are going to have counters */
	XRDMA_MR_ENDPOINT = 1 << 9,   /* regions are bound to a queue pair */
	XRDMA_MR_HMEM = 1 << 10,      /* memory of devices is registered, by IFACE; there is none */
};

enum { XRDMA_AUTH_KEY_MAX = 1024 }; /* bytes */

/* Of a domain, as far as struct fi_domain_attr says it (fi_domain(3)). */
struct xrdma_pd_attr {
	size_t sz; /* of this struct */
	/*
	 * XRDMA_MR_*: what the program can do, and on return what it is to do. BASIC and SCALABLE
	 * remain.
	 */
	__u32 mr_mode;
	__u32 mr_key_size;  /* set on return: bytes of a key, raw under RAW */
	__u32 mr_iov_limit; /* set on return: buffers of a region */
	/* Bytes, and an authorization key of as many, for regions and queue pairs without one. */
	size_t auth_key_size;
	const __u8 *auth_key;
};

/*
 * Open a domain that registers memory as ATTR says. *PD is to be ended by xrdma_pd_dealloc().
 *
 * Returns 0 or -EINVAL (mr_mode has an unknown bit, or BASIC or SCALABLE with others, or
 * auth_key_size is above XRDMA_AUTH_KEY_MAX), -ENOMEM.
 */
XRDMA_API int xrdma_pd_open(struct xrdma_context *context, struct xrdma_pd_attr *attr,
			    struct xrdma_pd **pd);

/* The same with XRDMA_MR_BASIC: a domain as ibv_alloc_pd(3) gives it. */
XRDMA_API int xrdma_pd_alloc(struct xrdma_context *context, struct xrdma_pd **pd);

/*
 * Returns 0 or -EBUSY (it has regions, windows, mkeys, encryption keys, queue pairs, mapped keys or
 * counters), as ibv_dealloc_pd() may.
 */
XRDMA_API int xrdma_pd_dealloc(struct xrdma_pd *pd);

#ifdef __cplusplus
}
#endif
#endif
