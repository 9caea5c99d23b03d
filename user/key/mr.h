/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Memory regions. <xrdma/mr.h> declares their handle. */
#ifndef XRDMA_USER_KEY_MR_H
#define XRDMA_USER_KEY_MR_H

#include "key/key.h"
#include "key/region.h"

enum xrdma_mr_phase {
	XRDMA_MR_PHASE_USABLE, /* without any more calls */
	XRDMA_MR_PHASE_DISABLED,
	XRDMA_MR_PHASE_ENABLED,
	XRDMA_MR_PHASE_LEFT, /* the queue pair that it was bound to is destroyed */
};

struct xrdma_mr {
	struct xrdma_pd *pd;
	struct xrdma_region region;
	__u64 key;		       /* for peers */
	__u64 secret;		       /* of a raw key: peers add it to addresses */
	__u64 base;		       /* address of the first byte, without SECRET */
	bool has_user_key;	       /* KEY is a user key, and peers may use it */
	bool is_raw;		       /* KEY is a raw key: peers need the secret too */
	bool has_events;	       /* registered with XRDMA_RMA_EVENT */
	struct xrdma_mutex refreshing; /* held during a refresh; taken before other locks */
	/* The lock of the keys protects the members below (bind.h). */
	enum xrdma_mr_phase phase;
	__u32 qpn; /* queue pair to which it is bound, or 0 */
	const struct xrdma_cntr *cntr;
	LIST_ENTRY(xrdma_mr) of_qp, of_cntr;
};

/* Configuration of a region. */
struct xrdma_mr_conf {
	const struct iovec *iov;
	size_t count; /* from 1 to XRDMA_LAYOUT_ENTRIES_MAX */
	__u32 rights; /* rights for its row */
	__u64 base;   /* address of the first byte for peers */
	__u64 auth;   /* authorization key: who has it adds this to addresses */
	enum xrdma_backing backing;
	bool by_addr;  /* the process names the memory by virtual addresses, whatever BASE is */
	bool disabled; /* the rows are INVALID until xrdma_mr_enable() */
	bool has_events;
	bool is_raw;
	bool has_user_key; /* the program chose KEY for peers */
	__u64 key;
};

/*
 * Register the memory of CONF for PD, and set *MR. Returns 0 or, with xrdma_error() set, an error
 * of xrdma_region_start() or xrdma_key_request().
 */
int xrdma_mr_create(struct xrdma_pd *pd, const struct xrdma_mr_conf *conf, struct xrdma_mr **mr);

#endif
