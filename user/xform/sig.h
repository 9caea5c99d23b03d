/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Signatures of blocks (xrdma/sig.h): from data with one kind of integrity fields between them to
 * the same data with others, or with none.
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

/* How data stand in memory, or on the wire. */
struct xrdma_sig_domain {
	__u8 kind;   /* enum xrdma_sig_kind */
	__u8 flags;  /* XRDMA_SIG_T10DIF_FLAG_* */
	__u16 block; /* bytes of data before each field; 0: there is none */
	__u16 app_tag;
	__u32 ref_tag;
	__u32 seed;
};

/* A field is taken as a number, of which the highest byte goes by the highest bit of the masks. */
struct xrdma_sig {
	struct xrdma_sig_domain mem, wire;
	__u64 check; /* bits that are checked */
	__u64 copy;  /* and that are copied */
};

/* Bytes of an xrdma_block_size, or 0: it is none. */
__u32 xrdma_block_bytes(__u32 size);

/* Read ATTR, of this library's size. Returns 0 or -EINVAL, as xrdma_wr_set_mkey_sig_block(). */
int xrdma_sig_read(const struct xrdma_sig_block_attr *attr, struct xrdma_sig *sig);

static inline bool xrdma_sig_is_set(const struct xrdma_sig *sig)
{
	return sig->mem.kind || sig->wire.kind;
}

/* Bytes that the first DATA bytes of data are in DOMAIN, with the fields. */
__u64 xrdma_sig_bytes(const struct xrdma_sig_domain *domain, __u64 data);

/*
 * *DATA: how much of BYTES of DOMAIN is data. False: they end in a field, or before one that the
 * last block is to have; *DATA is what can be transferred of them.
 */
bool xrdma_sig_data(const struct xrdma_sig_domain *domain, __u64 bytes, __u64 *data);

/*
 * DATA bytes of data from IN, as they stand in FROM, to OUT, as they are to stand in TO; these are
 * the two of SIG. The first wrong field goes to ERR, if there is none yet.
 */
void xrdma_sig_convert(const struct xrdma_sig *sig, const struct xrdma_sig_domain *from,
		       const struct xrdma_sig_domain *to, __u64 data, const __u8 *in, __u8 *out,
		       struct xrdma_mkey_err *err);

#endif
