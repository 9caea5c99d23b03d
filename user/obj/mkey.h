/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* What stands behind the handle of mkey.h, and how it is configured. */
#ifndef XRDMA_USER_OBJ_MKEY_H
#define XRDMA_USER_OBJ_MKEY_H

#include <xrdma/mkey.h>
#include <xrdma/verdict.h>

#include "lib/wr.h"
#include "obj/context.h"

struct xrdma_mkey {
	struct xrdma_pd *pd;
	struct xrdma_mkey_row *row;
	__u32 key;
	__u32 create_flags;
	__u32 max_entries;
	__u32 first;			    /* row of layouts */
	struct xrdma_layout_entry *entries; /* MAX_ENTRIES, from there on */
};

/*
 * Whether MKEY can have CONF's entries, which are ENTRIES, REPEAT times over. Completes both.
 * Returns 0 or -EINVAL, as the setters of mkey.h.
 */
int xrdma_mkey_lay_out(const struct xrdma_mkey *mkey, __u32 repeat, struct xrdma_mkey_conf *conf,
		       struct xrdma_layout_entry *entries);

/*
 * Configure the mkey that has KEY, of PD. Returns XRDMA_V_OK or, if it is gone, what is wrong.
 */
enum xrdma_verdict xrdma_mkey_carry_out(const struct xrdma_pd *pd, __u32 key,
					const struct xrdma_mkey_conf *conf,
					const struct xrdma_layout_entry *entries);

#endif
