/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* What stands behind the handle of mkey.h, and how it is configured. */
#ifndef XRDMA_USER_KEY_MKEY_H
#define XRDMA_USER_KEY_MKEY_H

#include <xrdma/mkey.h>
#include <xrdma/verdict.h>

#include "lib/wr.h"
#include "obj/context.h"
#include "xform/transform.h"

struct xrdma_mkey {
	struct xrdma_pd *pd;
	struct xrdma_mkey_row *row;
	__u32 key;
	__u32 create_flags;
	__u32 max_entries;
	__u32 first;			    /* row of layouts */
	struct xrdma_layout_entry *entries; /* MAX_ENTRIES, from there on */
	/* The lock of the keys protects the members below. */
	struct xrdma_transform transform;
	__u64 length;  /* bytes in memory */
	__u32 version; /* changes with each configuration */
	struct xrdma_mkey_err err;
};

/* Bits of create_flags by which MKEY may transform data. */
enum { XRDMA_MKEY_TRANSFORMS = XRDMA_MKEY_INIT_BLOCK_SIGNATURE | XRDMA_MKEY_INIT_CRYPTO };

/* Return the mkey that has KEY, or NULL. The caller holds the lock of KEYS. */
struct xrdma_mkey *xrdma_mkey_find(const struct xrdma_keys *keys, __u32 key);

/*
 * Whether MKEY can have CONF's entries, REPEAT times over. Completes CONF. Returns 0 or -EINVAL, as
 * the setters of mkey.h.
 */
int xrdma_mkey_lay_out(const struct xrdma_mkey *mkey, __u32 repeat, struct xrdma_mkey_conf *conf);

/*
 * Configure the mkey that has KEY, of PD. Returns XRDMA_V_OK or, if it is gone, what is wrong.
 */
enum xrdma_verdict xrdma_mkey_execute(const struct xrdma_pd *pd, __u32 key,
				      const struct xrdma_mkey_conf *conf);

#endif
