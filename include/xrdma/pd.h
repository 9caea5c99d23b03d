/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Protection domains (IBA 10.2.3). A queue pair uses only regions of its own domain. All calls are
 * thread safe.
 */
#ifndef XRDMA_PD_H
#define XRDMA_PD_H

#include "context.h"

#ifdef __cplusplus
extern "C" {
#endif

struct xrdma_pd;

/*
 * Modes of a domain: how the program registers memory, by bits of FI_MR_* (fi_mr(3)). Without any
 * of them, regions begin at address 0, have keys chosen by the program, and may be registered
 * before memory is mapped there. The program then registers nothing for its own requests.
 */
enum {
	XRDMA_MR_MODE_BASIC = 1 << 0,	 /* alone: LOCAL, VIRT_ADDR, ALLOCATED and PROV_KEY */
	XRDMA_MR_MODE_SCALABLE = 1 << 1, /* alone: none */
	/* The program registers memory of its own requests, too. Without this, lkey is ignored. */
	XRDMA_MR_MODE_LOCAL = 1 << 2,
	XRDMA_MR_MODE_RAW = 1 << 3,	  /* peers map raw keys (xrdma_mr_map_raw()) */
	XRDMA_MR_MODE_VIRT_ADDR = 1 << 4, /* a region begins at the address of its first buffer */
	XRDMA_MR_MODE_ALLOCATED = 1 << 5, /* all memory of a region is mapped at registration */
	XRDMA_MR_MODE_PROV_KEY = 1 << 6,  /* the library chooses the keys */
	/* The program calls xrdma_mr_refresh() after it has mapped memory. */
	XRDMA_MR_MODE_MMU_NOTIFY = 1 << 7,
	XRDMA_MR_MODE_RMA_EVENT = 1 << 8, /* regions with counters have XRDMA_RMA_EVENT */
	XRDMA_MR_MODE_ENDPOINT = 1 << 9,  /* regions are bound to a queue pair */
	XRDMA_MR_MODE_HMEM =
		1 << 10, /* iface of a region is valid; device memory is not supported */
};

enum { XRDMA_AUTH_KEY_MAX = 1024 }; /* bytes */

/* The attributes of a domain that struct fi_domain_attr has, too (fi_domain(3)). */
struct xrdma_pd_attr {
	size_t sz; /* of this struct */
	/*
	 * XRDMA_MR_MODE_*: the modes that the program supports; on return the modes that it must
	 * use. BASIC and SCALABLE are returned as they are.
	 */
	__u32 mr_mode;
	__u32 mr_key_size;  /* set on return: bytes of a key, raw under RAW */
	__u32 mr_iov_limit; /* set on return: buffers of a region */
	/*
	 * An authorization key and its size in bytes, for regions and queue pairs that have no key
	 * of their own.
	 */
	size_t auth_key_size;
	const __u8 *auth_key;
};

/*
 * Open a domain with the modes of ATTR. Close *PD with xrdma_pd_dealloc().
 *
 * Returns 0 or -EINVAL (mr_mode has an unknown bit, or BASIC or SCALABLE with others, or
 * auth_key_size is above XRDMA_AUTH_KEY_MAX), -ENOMEM (no memory).
 */
XRDMA_API int xrdma_pd_open(struct xrdma_context *context, struct xrdma_pd_attr *attr,
			    struct xrdma_pd **pd);

/*
 * Open a domain of XRDMA_MR_MODE_BASIC, as ibv_alloc_pd(3). Close *PD with xrdma_pd_dealloc().
 * Returns 0 or -ENOMEM (no memory).
 */
XRDMA_API int xrdma_pd_alloc(struct xrdma_context *context, struct xrdma_pd **pd);

/*
 * Close PD, as ibv_dealloc_pd(3). Returns 0 or -EBUSY (PD has regions, windows, mkeys, encryption
 * keys, queue pairs, mapped keys or counters).
 */
XRDMA_API int xrdma_pd_dealloc(struct xrdma_pd *pd);

#ifdef __cplusplus
}
#endif
#endif
