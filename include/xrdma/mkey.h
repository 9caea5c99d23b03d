/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * mkeys: keys for memory of other keys (mlx5dv_create_mkey(3), mlx5dv_wr_mkey_configure(3)). An
 * mkey is a sequence of bytes in one or several regions; its first byte has address 0. It can be
 * used like the key of a region, as L_Key and as R_Key, by peers and by the process. The keys in
 * its layout are checked at each access. If an entry of the access is not valid, or its rights are
 * not sufficient, the access is refused before any byte is copied.
 *
 * A work request between xrdma_wr_start() and xrdma_wr_complete() configures an mkey (wr.h).
 */
#ifndef XRDMA_MKEY_H
#define XRDMA_MKEY_H

#include "qp.h"

#ifdef __cplusplus
extern "C" {
#endif

struct xrdma_mkey;

/* Flags of an mkey, with the numbers of MLX5DV_MKEY_INIT_ATTR_FLAGS_*. */
enum {
	XRDMA_MKEY_INIT_INDIRECT = 1 << 0,
	XRDMA_MKEY_INIT_BLOCK_SIGNATURE = 1 << 1,   /* signatures are possible (sig.h) */
	XRDMA_MKEY_INIT_CRYPTO = 1 << 2,	    /* encryption is required (crypto.h) */
	XRDMA_MKEY_INIT_REMOTE_INVALIDATE = 1 << 4, /* peers may end it by SEND with invalidate */
};

/* Attributes for creating an mkey. */
struct xrdma_mkey_init_attr {
	size_t sz;	    /* of this struct */
	__u32 create_flags; /* XRDMA_MKEY_INIT_*, with INDIRECT */
	/*
	 * Entries of a layout, up to XRDMA_LAYOUT_ENTRIES_MAX. An interleaved layout needs one more
	 * than it has.
	 */
	__u16 max_entries;
};

/*
 * Create an mkey of PD. Its key allows no access until the mkey is configured. Destroy *MKEY with
 * xrdma_mkey_destroy(). Thread safe.
 *
 * Returns 0 or -EINVAL (INDIRECT is missing, a flag is unknown, MAX_ENTRIES is 0 or too large),
 * -ENOMEM (the context has no more keys, no more layouts, or no memory).
 */
XRDMA_API int xrdma_mkey_create(struct xrdma_pd *pd, const struct xrdma_mkey_init_attr *attr,
				struct xrdma_mkey **mkey);

/* Return the key of MKEY, for local (L_Key) and remote (R_Key) use. It does not change. */
XRDMA_API __u32 xrdma_mkey_key(const struct xrdma_mkey *mkey);

/*
 * Destroy MKEY. When the call returns, no access under its key can touch memory any more. Posted
 * requests to configure MKEY fail if they were not executed yet. Thread safe. Returns 0.
 */
XRDMA_API int xrdma_mkey_destroy(struct xrdma_mkey *mkey);

/* Flags of a configuration, with the numbers of MLX5DV_MKEY_CONF_FLAG_*. */
enum {
	XRDMA_MKEY_CONF_RESET_SIG_ATTR = 1 << 0, /* forget the signature attributes */
};

/* Attributes of a request that configures an mkey. */
struct xrdma_mkey_conf_attr {
	size_t sz;		 /* of this struct */
	__u64 wr_id;		 /* the caller's value for the completion */
	unsigned int send_flags; /* XRDMA_SEND_*, including INLINE (for the configuration) */
	__u32 conf_flags;	 /* XRDMA_MKEY_CONF_* */
	__u64 comp_mask;	 /* reserved for later fields: 0 */
};

/*
 * Add a request that configures MKEY to the chain of QP. NUM_SETTERS setters follow: each at most
 * once, and at most one that sets a layout. The other attributes of a configured mkey remain. An
 * mkey that is not configured has no rights and no bytes; an XRDMA_WR_LOCAL_INV of its key resets
 * it to that. Accesses under the key are refused while the request is executed. Later requests of
 * the send queue find the new configuration. The request completes as XRDMA_WC_DRIVER1.
 *
 * Errors, returned by xrdma_wr_complete(): -EOPNOTSUPP (QP was created without
 * XRDMA_QP_WITH_MKEY_CONFIGURE), -EINVAL (MKEY is of another protection domain, a flag is unknown,
 * INLINE is missing, COMP_MASK is not 0, or setters of the last request are missing), -E2BIG (ATTR
 * has unknown fields).
 */
XRDMA_API void xrdma_wr_mkey_configure(struct xrdma_qp *qp, struct xrdma_mkey *mkey,
				       __u8 num_setters, const struct xrdma_mkey_conf_attr *attr);

/*
 * Set the rights of the mkey that is being configured: LOCAL_WRITE and REMOTE_* of XRDMA_ACCESS_*.
 * The keys of the entries are local keys. Reading needs no right of them, and writing needs
 * LOCAL_WRITE.
 *
 * Errors, returned by xrdma_wr_complete(): -EINVAL (a flag is unknown, or the setter is one too
 * many or repeated).
 */
XRDMA_API void xrdma_wr_set_mkey_access_flags(struct xrdma_qp *qp, __u32 access);

/*
 * Set the layout of the mkey that is being configured to a list: the NUM_SGES segments at SGE, one
 * after the other.
 *
 * Errors, returned by xrdma_wr_complete(): -ENOMEM (more segments than the mkey has entries, or
 * than a request of the queue pair has room for: 4, or one for each 16 bytes of max_inline),
 * -EINVAL (there are no segments; a segment has no bytes, wraps, or names an mkey; the setter is
 * one too many, or the second layout).
 */
XRDMA_API void xrdma_wr_set_mkey_layout_list(struct xrdma_qp *qp, __u16 num_sges,
					     const struct xrdma_sge *sge);

/* Entry of an interleaved layout. */
struct xrdma_mr_interleaved {
	__u64 addr;	   /* address under LKEY */
	__u32 bytes_count; /* bytes that belong to the mkey, in each round */
	__u32 bytes_skip;  /* bytes between two rounds that do not */
	__u32 lkey;
};

/*
 * Set the layout of the mkey that is being configured to a repeated pattern: the NUM_INTERLEAVED
 * entries at DATA, one after the other, in REPEAT_COUNT rounds. In each round an entry is
 * bytes_count + bytes_skip further on.
 *
 * Errors, returned by xrdma_wr_complete(): -ENOMEM (more entries than the mkey has, minus one, or
 * than a request has room for: 3, or as in xrdma_wr_set_mkey_layout_list() minus one), -EINVAL
 * (there are no entries or REPEAT_COUNT is 0; an entry has no bytes, wraps, or names an mkey; the
 * mkey has 2^63 bytes or more; REPEAT_COUNT is more than 1 and the entries have fewer than 4 bytes
 * on average, so that each packet would keep a CPU busy for too long; the setter is one too many,
 * or the second layout).
 */
XRDMA_API void xrdma_wr_set_mkey_layout_interleaved(struct xrdma_qp *qp, __u32 repeat_count,
						    __u16 num_interleaved,
						    const struct xrdma_mr_interleaved *data);

#ifdef __cplusplus
}
#endif
#endif
