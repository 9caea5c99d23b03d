/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* A protection domain. */
#ifndef XRDMA_USER_KEY_PD_H
#define XRDMA_USER_KEY_PD_H

#include <xrdma/mr.h>

#include "mem/buffer.h"
#include "obj/context.h"
#include "obj/eq.h"

struct xrdma_pd {
	struct xrdma_context *context;
	__u32 mr_mode; /* XRDMA_MR_*: what it is used by; no compatibility mode */
	__u32 number;
	__u64 auth;		   /* of its authorization key, or 0 (lib/auth.h) */
	struct xrdma_eq_link link; /* events of registrations */
	/* Regions, also future ones, windows, mkeys, encryption keys, queue pairs and so on. */
	__u32 users;
};

/* Whether its requests name their own memory by keys. Without LOCAL they name any by address. */
static inline bool xrdma_pd_uses_keys(const struct xrdma_pd *pd)
{
	return pd->mr_mode & XRDMA_MR_MODE_LOCAL;
}

/* When there is to be memory at all addresses of its regions. */
static inline enum xrdma_backing xrdma_pd_backing(const struct xrdma_pd *pd)
{
	if (pd->mr_mode & XRDMA_MR_MODE_ALLOCATED)
		return XRDMA_BACKED;
	return pd->mr_mode & XRDMA_MR_MODE_MMU_NOTIFY ? XRDMA_REFRESHED : XRDMA_ON_DEMAND;
}

#endif
