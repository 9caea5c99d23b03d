/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Block signatures of mkeys (mlx5dv_wr_set_mkey_sig_block(3), mlx5dv_mkey_check(3)). An integrity
 * field follows each block of data: in memory, on the wire, or in both. Sent data, and data written
 * to a peer, go from memory to the wire: fields of the memory are checked and removed, fields of
 * the wire are added. Received data, and data read from a peer, go the other way.
 *
 * The bytes of such an mkey are those on the wire: byte 0 is the first one there, and the length of
 * a segment is the number of bytes there. A segment begins with a block on both sides, and does not
 * end in a field. An incomplete last block has no field. Each segment is a transfer of its own:
 * reference tags start again.
 *
 * The library does this, not XDP. While a request is in the queue, its data are also in a bounce
 * buffer in the context's heap. A peer that uses the mkey's key is refused (XRDMA_V_TRANSFORM).
 */
#ifndef XRDMA_SIG_H
#define XRDMA_SIG_H

#include "mkey.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Block sizes in bytes, with the numbers of enum mlx5dv_block_size. */
enum xrdma_block_size {
	XRDMA_BLOCK_SIZE_512,
	XRDMA_BLOCK_SIZE_520,
	XRDMA_BLOCK_SIZE_4048,
	XRDMA_BLOCK_SIZE_4096,
	XRDMA_BLOCK_SIZE_4160,
};

/* Types of fields, with the numbers of enum mlx5dv_sig_type. */
enum xrdma_sig_type {
	XRDMA_SIG_TYPE_T10DIF, /* 8, big-endian: guard (2), application tag (2), reference tag */
	XRDMA_SIG_TYPE_CRC,    /* 4 bytes, little-endian */
};

/* Types of T10-DIF guards, with the numbers of enum mlx5dv_sig_t10dif_bg_type. */
enum xrdma_sig_t10dif_bg_type {
	XRDMA_SIG_T10DIF_CRC,  /* CRC-16 of SBC-3 */
	XRDMA_SIG_T10DIF_CSUM, /* the checksum of IP (RFC 1071) */
};

/* Flags of T10-DIF fields, with the numbers of MLX5DV_SIG_T10DIF_FLAG_*. */
enum {
	XRDMA_SIG_T10DIF_FLAG_REF_REMAP = 1 << 0,  /* each block's reference tag is one more */
	XRDMA_SIG_T10DIF_FLAG_APP_ESCAPE = 1 << 1, /* application tag 0xffff: not checked */
	/* Application tag 0xffff and reference tag 0xffffffff: not checked. */
	XRDMA_SIG_T10DIF_FLAG_APP_REF_ESCAPE = 1 << 2,
};

/* A T10-DIF field (SBC-3). */
struct xrdma_sig_t10dif {
	__u32 bg_type; /* enum xrdma_sig_t10dif_bg_type */
	__u16 bg;      /* initial value of the guard: 0 or 0xffff */
	__u16 app_tag;
	__u32 ref_tag; /* of the first block of a segment */
	__u16 flags;   /* XRDMA_SIG_T10DIF_FLAG_* */
};

/* Types of CRCs, with the numbers of enum mlx5dv_sig_crc_type. CRC64_XP10 is not supported. */
enum xrdma_sig_crc_type {
	XRDMA_SIG_CRC_TYPE_CRC32,  /* of FC-PH, Ethernet and zlib */
	XRDMA_SIG_CRC_TYPE_CRC32C, /* of iSCSI (RFC 3720) */
};

/* A CRC field. */
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
	__u64 comp_mask;  /* reserved for later fields: 0 */
};

/* Masks for the bytes of a field, highest bit first, with the numbers of enum mlx5dv_sig_mask. */
enum {
	XRDMA_SIG_MASK_T10DIF_GUARD = 0xc0,
	XRDMA_SIG_MASK_T10DIF_APPTAG = 0x30,
	XRDMA_SIG_MASK_T10DIF_REFTAG = 0x0f,
	XRDMA_SIG_MASK_CRC32 = 0xf0,
	XRDMA_SIG_MASK_CRC32C = 0xf0,
};

/* Flags of signatures, with the numbers of enum mlx5dv_sig_block_attr_flags. */
enum {
	XRDMA_SIG_BLOCK_ATTR_FLAG_COPY_MASK = 1 << 0, /* use copy_mask */
};

/* Attributes of an mkey's signatures. */
struct xrdma_sig_block_attr {
	size_t sz;				   /* of this struct */
	const struct xrdma_sig_block_domain *mem;  /* NULL: no fields in memory */
	const struct xrdma_sig_block_domain *wire; /* NULL: none on the wire */
	__u32 flags;				   /* XRDMA_SIG_BLOCK_ATTR_FLAG_* */
	__u8 check_mask;			   /* checked bytes of an incoming field */
	/*
	 * Parts of the field that are copied from input to output, not calculated. Without
	 * XRDMA_SIG_BLOCK_ATTR_FLAG_COPY_MASK, the parts that both domains have alike are copied if
	 * type and block size are the same; for T10-DIF each part separately.
	 */
	__u8 copy_mask;
	__u64 comp_mask; /* reserved for later fields: 0 */
};

/*
 * Set the signatures of the mkey that is being configured, which was created with
 * XRDMA_MKEY_INIT_BLOCK_SIGNATURE. XRDMA_MKEY_CONF_RESET_SIG_ATTR removes them.
 *
 * Errors, returned by xrdma_wr_complete(): -EINVAL (the mkey was created without signatures; a
 * type, size, seed or flag is unknown; a COMP_MASK is not 0; a COPY_MASK for domains of different
 * type or block size; the setter is one too many, or repeated), -E2BIG (ATTR has unknown fields).
 */
XRDMA_API void xrdma_wr_set_mkey_sig_block(struct xrdma_qp *qp,
					   const struct xrdma_sig_block_attr *attr);

/* Types of errors, with the numbers of enum mlx5dv_mkey_err_type. */
enum xrdma_mkey_err_type {
	XRDMA_MKEY_NO_ERR,
	XRDMA_MKEY_SIG_BLOCK_BAD_GUARD, /* or CRC */
	XRDMA_MKEY_SIG_BLOCK_BAD_REFTAG,
	XRDMA_MKEY_SIG_BLOCK_BAD_APPTAG,
};

/* A wrong field. */
struct xrdma_sig_err {
	__u64 actual_value;   /* calculated from the data */
	__u64 expected_value; /* value of the field */
	__u64 offset;	      /* of the block in the incoming bytes of the segment */
};

/* An error of an mkey. */
struct xrdma_mkey_err {
	__u32 err_type; /* enum xrdma_mkey_err_type */
	union {
		struct xrdma_sig_err sig;
	} err;
};

/*
 * Return in *ERR_INFO the first wrong field of completed transfers through MKEY, and forget it. A
 * transfer with wrong fields succeeds. If several parts of the field are wrong, the first of guard,
 * application tag, reference tag is reported. Thread safe. Returns 0 or -EINVAL (MKEY was created
 * without XRDMA_MKEY_INIT_BLOCK_SIGNATURE).
 */
XRDMA_API int xrdma_mkey_check(struct xrdma_mkey *mkey, struct xrdma_mkey_err *err_info);

#ifdef __cplusplus
}
#endif
#endif
