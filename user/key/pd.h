/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Protection domains. <xrdma/mr.h> declares their handle. */
#ifndef XRDMA_USER_KEY_PD_H
#define XRDMA_USER_KEY_PD_H

#include <xrdma/mr.h>

#include "mem/buffer.h"
#include "obj/context.h"
#include "obj/eq.h"

struct xrdma_pd {
	struct xrdma_context *context;
	__u32 mr_mode; /* XRDMA_MR_* modes in use; compatibility modes are not among them */
	__u32 number;
	__u64 auth;		   /* secret of its authorization key, or 0 (lib/auth.h) */
	struct xrdma_eq_link link; /* for events of registrations */
	/*
	 * Number of objects in the domain: regions (also those being registered), windows, mkeys,
	 * encryption keys, queue pairs and others.
	 */
	__u32 users;
};

/*
 * Returns whether requests of PD name local memory by keys. Without MR_LOCAL they name any memory
 * by address.
 */
static inline bool xrdma_pd_uses_keys(const struct xrdma_pd *pd)
{
	return pd->mr_mode & XRDMA_MR_MODE_LOCAL;
}

/* Returns when all addresses of PD's regions need memory. */
static inline enum xrdma_backing xrdma_pd_backing(const struct xrdma_pd *pd)
{
	if (pd->mr_mode & XRDMA_MR_MODE_ALLOCATED)
		return XRDMA_BACKED;
	return pd->mr_mode & XRDMA_MR_MODE_MMU_NOTIFY ? XRDMA_REFRESHED : XRDMA_ON_DEMAND;
}

#endif
