/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* What stands behind the handle of a memory region. */
#ifndef XRDMA_USER_KEY_MR_H
#define XRDMA_USER_KEY_MR_H

#include "key/key.h"
#include "key/region.h"

enum xrdma_mr_phase {
	XRDMA_MR_PHASE_USABLE, /* from the beginning */
	XRDMA_MR_PHASE_DISABLED,
	XRDMA_MR_PHASE_ENABLED,
	XRDMA_MR_PHASE_LEFT, /* by the queue pair that it was bound to */
};

struct xrdma_mr {
	struct xrdma_pd *pd;
	struct xrdma_region region;
	__u64 key;		       /* by which peers name it */
	__u64 secret;		       /* of a raw key: what they add to addresses */
	__u64 base;		       /* of the first byte, without it */
	bool has_user_key;	       /* the program requested the key, and peers may use it */
	bool is_raw;		       /* the key is: peers need the secret too */
	bool has_events;	       /* registered with XRDMA_RMA_EVENT */
	struct xrdma_mutex refreshing; /* held while it is, before other locks */
	/* The lock of the keys protects the members below (bind.h). */
	enum xrdma_mr_phase phase;
	__u32 qpn; /* that it is bound to, or 0 */
	const struct xrdma_cntr *cntr;
	LIST_ENTRY(xrdma_mr) of_qp, of_cntr;
};

/* Configuration of a region. */
struct xrdma_mr_conf {
	const struct iovec *iov;
	size_t count; /* from 1 to XRDMA_LAYOUT_ENTRIES_MAX */
	__u32 rights; /* as its row has them */
	__u64 base;   /* of the first byte, as peers name it */
	__u64 auth;   /* what those add to addresses who have its authorization key */
	enum xrdma_backing backing;
	bool by_addr;  /* the process names the memory by addresses, whatever BASE is */
	bool disabled; /* until xrdma_mr_enable() */
	bool has_events;
	bool is_raw;
	bool has_user_key; /* by the program: KEY, by which peers are to name it, if they may */
	__u64 key;
};

/*
 * Register what CONF says, for PD. Returns 0 or, with xrdma_error() set, what xrdma_region_start()
 * and xrdma_key_request() do.
 */
int xrdma_mr_create(struct xrdma_pd *pd, const struct xrdma_mr_conf *conf, struct xrdma_mr **mr);

#endif
