/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Block signatures of mkeys (mlx5dv_wr_set_mkey_sig_block(3), mlx5dv_mkey_check(3)): behind each
 * block of data stands an integrity field, in memory, on the wire, or in both. What is sent, or
 * written to a peer, goes from memory to the wire: fields of the memory are checked and taken away,
 * those of the wire added. What is received, or read from a peer, goes the other way.
 *
 * The mkey then names what is on the wire: byte 0 is the first there, and the length of a segment
 * is how many bytes go there or come from there. A segment begins with a block, of both sides, and
 * does not end in a field; a last block that is not whole has no field. Each segment is a transfer
 * of its own, with which reference tags begin anew.
 *
 * The library does this, not XDP: data pass through memory of the context's heap, as much as they
 * have, for as long as the request is in the queue; and a peer that uses the mkey's key is refused
 * (XRDMA_V_TRANSFORM).
 */
#ifndef XRDMA_SIG_H
#define XRDMA_SIG_H

#include "mkey.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes. Numbered as enum mlx5dv_block_size. */
enum xrdma_block_size {
	XRDMA_BLOCK_SIZE_512,
	XRDMA_BLOCK_SIZE_520,
	XRDMA_BLOCK_SIZE_4048,
	XRDMA_BLOCK_SIZE_4096,
	XRDMA_BLOCK_SIZE_4160,
};

/* Numbered as enum mlx5dv_sig_type. */
enum xrdma_sig_type {
	XRDMA_SIG_TYPE_T10DIF, /* 8, big-endian: guard (2), application tag (2), reference tag */
	XRDMA_SIG_TYPE_CRC,    /* 4 bytes, little-endian */
};

/* Numbered as enum mlx5dv_sig_t10dif_bg_type. */
enum xrdma_sig_t10dif_bg_type {
	XRDMA_SIG_T10DIF_CRC,  /* CRC-16 of SBC-3 */
	XRDMA_SIG_T10DIF_CSUM, /* the checksum of IP (RFC 1071) */
};

/* Numbered as MLX5DV_SIG_T10DIF_FLAG_*. */
enum {
	XRDMA_SIG_T10DIF_FLAG_REF_REMAP = 1 << 0,  /* each block's reference tag is one more */
	XRDMA_SIG_T10DIF_FLAG_APP_ESCAPE = 1 << 1, /* application tag 0xffff: not checked */
	/* Application tag 0xffff and reference tag 0xffffffff: not checked. */
	XRDMA_SIG_T10DIF_FLAG_APP_REF_ESCAPE = 1 << 2,
};

struct xrdma_sig_t10dif {
	__u32 bg_type; /* enum xrdma_sig_t10dif_bg_type */
	__u16 bg;      /* what the guard is calculated from on: 0 or 0xffff */
	__u16 app_tag;
	__u32 ref_tag; /* of the first block of a segment */
	__u16 flags;   /* XRDMA_SIG_T10DIF_FLAG_* */
};

/* Numbered as enum mlx5dv_sig_crc_type. CRC64_XP10 is not offered. */
enum xrdma_sig_crc_type {
	XRDMA_SIG_CRC_TYPE_CRC32,  /* of FC-PH, Ethernet and zlib */
	XRDMA_SIG_CRC_TYPE_CRC32C, /* of iSCSI (RFC 3720) */
};

struct xrdma_sig_crc {
	__u32 type; /* enum xrdma_sig_crc_type */
	__u64 seed; /* 0 or 0xffffffff, of the lower 32 bits */
};

/* Integrity field after each block. */
struct xrdma_sig_block_domain {
	__u32 sig_type; /* enum xrdma_sig_type */
	union {
		const struct xrdma_sig_t10dif *dif;
		const struct xrdma_sig_crc *crc;
	} sig;
	__u32 block_size; /* enum xrdma_block_size */
	__u64 comp_mask;  /* for fields to come: 0 */
};

/* Bytes of a field, by bits, the highest for the highest. Numbered as enum mlx5dv_sig_mask. */
enum {
	XRDMA_SIG_MASK_T10DIF_GUARD = 0xc0,
	XRDMA_SIG_MASK_T10DIF_APPTAG = 0x30,
	XRDMA_SIG_MASK_T10DIF_REFTAG = 0x0f,
	XRDMA_SIG_MASK_CRC32 = 0xf0,
	XRDMA_SIG_MASK_CRC32C = 0xf0,
};

/* Numbered as enum mlx5dv_sig_block_attr_flags. */
enum {
	XRDMA_SIG_BLOCK_ATTR_FLAG_COPY_MASK = 1 << 0, /* look at copy_mask */
};

struct xrdma_sig_block_attr {
	size_t sz;				   /* of this struct */
	const struct xrdma_sig_block_domain *mem;  /* NULL: no fields in memory */
	const struct xrdma_sig_block_domain *wire; /* NULL: none on the wire */
	__u32 flags;				   /* XRDMA_SIG_BLOCK_ATTR_FLAG_* */
	__u8 check_mask;			   /* what is checked of a field that comes in */
	/*
	 * Parts of the field that are copied from input to output, not calculated. Without
	 * XRDMA_SIG_BLOCK_ATTR_FLAG_COPY_MASK, the parts that both domains have alike are copied if
	 * type and block size are the same; for T10-DIF each part separately.
	 */
	__u8 copy_mask;
	__u64 comp_mask; /* for fields to come: 0 */
};

/*
 * Setter: the mkey, which was created with XRDMA_MKEY_INIT_BLOCK_SIGNATURE, has the signatures that
 * ATTR says, in place of those that it had. XRDMA_MKEY_CONF_RESET_SIG_ATTR takes them away. Errors:
 * -EINVAL (the mkey was created without; a type, size, seed, or flag is none of those above; a
 * COMP_MASK is not 0; a COPY_MASK for domains of different type or block size; the setter is one
 * too many, or comes twice), -E2BIG (ATTR).
 */
XRDMA_API void xrdma_wr_set_mkey_sig_block(struct xrdma_qp *qp,
					   const struct xrdma_sig_block_attr *attr);

/* Numbered as enum mlx5dv_mkey_err_type. */
enum xrdma_mkey_err_type {
	XRDMA_MKEY_NO_ERR,
	XRDMA_MKEY_SIG_BLOCK_BAD_GUARD, /* or CRC */
	XRDMA_MKEY_SIG_BLOCK_BAD_REFTAG,
	XRDMA_MKEY_SIG_BLOCK_BAD_APPTAG,
};

struct xrdma_sig_err {
	__u64 actual_value;   /* calculated from the data */
	__u64 expected_value; /* that stands in the field */
	__u64 offset;	      /* of the block in the bytes that came in with the segment */
};

struct xrdma_mkey_err {
	__u32 err_type; /* enum xrdma_mkey_err_type */
	union {
		struct xrdma_sig_err sig;
	} err;
};

/*
 * Whether a field was wrong in a transfer that has completed. A transfer succeeds all the same. The
 * first wrong block is kept until this call, which forgets it; of its parts guard, application tag,
 * reference tag the first. Thread safe. Returns 0 or -EINVAL (MKEY was created without
 * XRDMA_MKEY_INIT_BLOCK_SIGNATURE).
 */
XRDMA_API int xrdma_mkey_check(struct xrdma_mkey *mkey, struct xrdma_mkey_err *err_info);

#ifdef __cplusplus
}
#endif
#endif
