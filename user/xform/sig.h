/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Block signatures (xrdma/sig.h): convert data with integrity fields of one kind, or none, to data
 * with those of another kind, or none.
 */
#ifndef XRDMA_USER_XFORM_SIG_H
#define XRDMA_USER_XFORM_SIG_H

#include <stdbool.h>
#include <xrdma/sig.h>

enum xrdma_sig_kind {
	XRDMA_SIG_NONE,
	XRDMA_SIG_CRC32,
	XRDMA_SIG_CRC32C,
	XRDMA_SIG_DIF_CRC,
	XRDMA_SIG_DIF_CSUM,
};

/* Format of data in memory, or on the wire. */
struct xrdma_sig_domain {
	__u8 kind;   /* enum xrdma_sig_kind */
	__u8 flags;  /* XRDMA_SIG_T10DIF_FLAG_* */
	__u16 block; /* bytes of data before each field; 0: no fields */
	__u16 app_tag;
	__u32 ref_tag;
	__u32 seed;
};

/*
 * Signatures of an mkey. A field is a number, whose highest byte belongs to the highest bit of the
 * masks.
 */
struct xrdma_sig {
	struct xrdma_sig_domain mem, wire;
	__u64 check; /* bits that are checked */
	__u64 copy;  /* bits that are copied */
};

/* Return the bytes of an xrdma_block_size, or 0 if SIZE is unknown. */
__u32 xrdma_block_bytes(__u32 size);

/*
 * Check and convert ATTR, of this library's size. Returns 0 or -EINVAL, like
 * xrdma_wr_set_mkey_sig_block().
 */
int xrdma_sig_read(const struct xrdma_sig_block_attr *attr, struct xrdma_sig *sig);

static inline bool xrdma_sig_is_set(const struct xrdma_sig *sig)
{
	return sig->mem.kind || sig->wire.kind;
}

/* Return the length of the first DATA bytes of data in DOMAIN, with fields. */
__u64 xrdma_sig_bytes(const struct xrdma_sig_domain *domain, __u64 data);

/*
 * Return the data in BYTES bytes of DOMAIN in *DATA. Returns false if they end in a field, or
 * before the field of the last block; then *DATA is the part that can be transferred.
 */
bool xrdma_sig_data(const struct xrdma_sig_domain *domain, __u64 bytes, __u64 *data);

/*
 * Convert DATA bytes of data at IN, in format FROM, to OUT, in format TO: the two formats of SIG.
 * The first wrong field is stored in ERR, unless ERR has one.
 */
void xrdma_sig_convert(const struct xrdma_sig *sig, const struct xrdma_sig_domain *from,
		       const struct xrdma_sig_domain *to, __u64 data, const __u8 *in, __u8 *out,
		       struct xrdma_mkey_err *err);

#endif
