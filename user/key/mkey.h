/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Indirect mkeys. <xrdma/mkey.h> declares their handle. */
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
	__u32 first;			    /* first row in the table of layouts */
	struct xrdma_layout_entry *entries; /* MAX_ENTRIES rows, beginning with FIRST */
	/* The lock of the keys protects the members below. */
	struct xrdma_transform transform;
	__u64 length;  /* bytes of data in memory */
	__u32 version; /* changes with each configuration */
	struct xrdma_mkey_err err;
};

/* Creation flags that allow MKEY to transform data. */
enum { XRDMA_MKEY_TRANSFORMS = XRDMA_MKEY_INIT_BLOCK_SIGNATURE | XRDMA_MKEY_INIT_CRYPTO };

/* Return the mkey that has KEY, or NULL. The caller holds the lock of KEYS. */
struct xrdma_mkey *xrdma_mkey_find(const struct xrdma_keys *keys, __u32 key);

/*
 * Check that MKEY can have the entries of CONF, repeated REPEAT times, and complete CONF. Returns 0
 * or -EINVAL, like the setters of mkey.h.
 */
int xrdma_mkey_lay_out(const struct xrdma_mkey *mkey, __u32 repeat, struct xrdma_mkey_conf *conf);

/*
 * Configure the mkey of PD that has KEY. Returns XRDMA_V_OK, or a verdict on KEY if there is no
 * such mkey.
 */
enum xrdma_verdict xrdma_mkey_execute(const struct xrdma_pd *pd, __u32 key,
				      const struct xrdma_mkey_conf *conf);

#endif
