/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * mkeys: keys whose memory is what other keys name (mlx5dv_create_mkey(3),
 * mlx5dv_wr_mkey_configure(3)). An mkey is a row of bytes that lie in one or several regions; it is
 * used wherever a region's key is, as L_Key and as R_Key, by XDP and by the process, and names its
 * first byte 0. The keys of its layout are looked up at each access: if what an access reaches is
 * gone, or not enough is allowed, it is refused before a byte moves.
 *
 * An mkey is configured by a work request between xrdma_wr_start() and xrdma_wr_complete() (wr.h).
 */
#ifndef XRDMA_MKEY_H
#define XRDMA_MKEY_H

#include "qp.h"

#ifdef __cplusplus
extern "C" {
#endif

struct xrdma_mkey;

/* Numbered as MLX5DV_MKEY_INIT_ATTR_FLAGS_*. */
enum {
	XRDMA_MKEY_INIT_INDIRECT = 1 << 0,
	XRDMA_MKEY_INIT_BLOCK_SIGNATURE = 1 << 1,   /* it may have signatures (sig.h) */
	XRDMA_MKEY_INIT_CRYPTO = 1 << 2,	    /* it is to have encryption (crypto.h) */
	XRDMA_MKEY_INIT_REMOTE_INVALIDATE = 1 << 4, /* a peer may end it by SEND with invalidate */
};

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
 * Create an mkey of PD, which is not configured: its key allows nothing. Thread safe. *MKEY is to
 * be ended by xrdma_mkey_destroy().
 *
 * Returns 0 or -EINVAL (not INDIRECT, a flag is unknown, MAX_ENTRIES is 0 or too large), -ENOMEM
 * (the context has no more keys, no more layouts, or no memory).
 */
XRDMA_API int xrdma_mkey_create(struct xrdma_pd *pd, const struct xrdma_mkey_init_attr *attr,
				struct xrdma_mkey **mkey);

/* Return the key of MKEY, for local (L_Key) and remote (R_Key) use. It does not change. */
XRDMA_API __u32 xrdma_mkey_key(const struct xrdma_mkey *mkey);

/*
 * When the call returns, no access under its key can touch memory any more. Requests that configure
 * it and are not carried out fail. Thread safe. Returns 0.
 */
XRDMA_API int xrdma_mkey_destroy(struct xrdma_mkey *mkey);

/* Numbered as MLX5DV_MKEY_CONF_FLAG_*. */
enum {
	XRDMA_MKEY_CONF_RESET_SIG_ATTR = 1 << 0, /* forget the signature attributes */
};

struct xrdma_mkey_conf_attr {
	size_t sz;		 /* of this struct */
	__u64 wr_id;		 /* the caller's, handed back with the completion */
	unsigned int send_flags; /* XRDMA_SEND_*, with INLINE, which means the configuration */
	__u32 conf_flags;	 /* XRDMA_MKEY_CONF_* */
	__u64 comp_mask;	 /* for fields to come: 0 */
};

/*
 * Add a request that configures MKEY, by as many setters as NUM_SETTERS says, which follow it: each
 * at most once, and one that sets a layout. Of an mkey that is configured, what no setter sets
 * stays as it was; one that is not has no rights and no bytes, which an XRDMA_WR_LOCAL_INV of its
 * key makes of it again. While the request is carried out, accesses under the key are refused; when
 * it is, all that comes after it in the send queue finds the mkey so. It completes as
 * XRDMA_WC_DRIVER1.
 *
 * Errors: -EOPNOTSUPP (QP was created without XRDMA_QP_WITH_MKEY_CONFIGURE), -EINVAL (MKEY is of
 * another protection domain, a flag is unknown, not INLINE, COMP_MASK is not 0, the setters of the
 * request before are not complete), -E2BIG (ATTR).
 */
XRDMA_API void xrdma_wr_mkey_configure(struct xrdma_qp *qp, struct xrdma_mkey *mkey,
				       __u8 num_setters, const struct xrdma_mkey_conf_attr *attr);

/*
 * Setter: what the mkey allows, LOCAL_WRITE and REMOTE_* of XRDMA_ACCESS_*, in place of what it
 * did. The entries' keys are local ones, of which whatever reads needs nothing, and whatever writes
 * LOCAL_WRITE. Errors: -EINVAL (a flag is unknown; the setter is one too many, or comes twice).
 */
XRDMA_API void xrdma_wr_set_mkey_access_flags(struct xrdma_qp *qp, __u32 access);

/*
 * Setter: the mkey is what NUM_SGES segments name, one after the other, in place of what it was.
 * Errors: -ENOMEM (more than the mkey, or a request of the queue pair has room for: 4, or one for
 * each 16 bytes of max_inline), -EINVAL (there is none; one has no bytes, wraps, or names an mkey;
 * the setter is one too many, or the second of a layout).
 */
XRDMA_API void xrdma_wr_set_mkey_layout_list(struct xrdma_qp *qp, __u16 num_sges,
					     const struct xrdma_sge *sge);

struct xrdma_mr_interleaved {
	__u64 addr;	   /* as its key names it */
	__u32 bytes_count; /* bytes in the mkey, each time */
	__u32 bytes_skip;  /* bytes from there to the next time, which are not */
	__u32 lkey;
};

/*
 * Setter: the mkey is what NUM_INTERLEAVED entries name, one after the other, all of that
 * REPEAT_COUNT times, each time that much further on. Errors: as xrdma_wr_set_mkey_layout_list(),
 * but that there is room for one entry less (3), and -EINVAL (REPEAT_COUNT is 0; the mkey has 2^63
 * bytes or more; REPEAT_COUNT is more than 1, and the entries have fewer than 4 bytes on average:
 * each packet of a peer would keep a CPU busy for too long).
 */
XRDMA_API void xrdma_wr_set_mkey_layout_interleaved(struct xrdma_qp *qp, __u32 repeat_count,
						    __u16 num_interleaved,
						    const struct xrdma_mr_interleaved *data);

#ifdef __cplusplus
}
#endif
#endif
