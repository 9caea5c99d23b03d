/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Encryption by mkeys (mlx5dv_wr_set_mkey_crypto(3), mlx5dv_dek_create(3)). Data are encrypted in
 * memory, or on the wire. Sent data, and data written to a peer, are encrypted or decrypted on
 * their way to the wire. Received data, and data read from a peer, go the other way.
 *
 * The bytes of such an mkey are those on the wire, as with signatures (sig.h), which the mkey may
 * also have. The library does this, not XDP, by bounce buffers, and peers that use the mkey's key
 * are refused. Each segment is a message of its own: its first byte begins a data unit, with the
 * initial tweak. Its last data unit may be shorter, but has at least 16 bytes.
 */
#ifndef XRDMA_CRYPTO_H
#define XRDMA_CRYPTO_H

#include "sig.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A data encryption key. */
struct xrdma_dek;

/* Key sizes in bits, with the numbers of enum mlx5dv_crypto_key_size. */
enum xrdma_crypto_key_size {
	XRDMA_CRYPTO_KEY_SIZE_128,
	XRDMA_CRYPTO_KEY_SIZE_256,
};

/* Purposes of keys, with the numbers of enum mlx5dv_crypto_key_purpose. */
enum xrdma_crypto_key_purpose {
	XRDMA_CRYPTO_KEY_PURPOSE_AES_XTS,
};

/* Attributes for creating a key. */
struct xrdma_dek_init_attr {
	size_t sz;	   /* of this struct */
	__u32 key_size;	   /* enum xrdma_crypto_key_size */
	__u32 key_purpose; /* enum xrdma_crypto_key_purpose */
	__u32 has_keytag;  /* whether a tag of 8 bytes follows the key: 0 or 1 */
	__u8 opaque[8];	   /* the caller's value for xrdma_dek_query() */
	/*
	 * In plain text: the data key and the tweak key, of KEY_SIZE bits each, and the tag. The
	 * two keys differ.
	 */
	__u8 key[128];
	__u64 comp_mask; /* reserved for later fields: 0 */
};

/*
 * Create a data encryption key for the mkeys of PD. Destroy *DEK with xrdma_dek_destroy(). Thread
 * safe. Returns 0 or -EINVAL (KEY_SIZE, KEY_PURPOSE or HAS_KEYTAG is unknown, the two keys are
 * equal, COMP_MASK is not 0), -E2BIG (ATTR has unknown fields), -ENOMEM (no memory).
 */
XRDMA_API int xrdma_dek_create(struct xrdma_pd *pd, const struct xrdma_dek_init_attr *attr,
			       struct xrdma_dek **dek);

/* States of a key, with the numbers of enum mlx5dv_dek_state. */
enum xrdma_dek_state {
	XRDMA_DEK_STATE_READY,
	XRDMA_DEK_STATE_ERROR, /* not used */
};

/* Attributes of a key. */
struct xrdma_dek_attr {
	size_t sz;	 /* of this struct */
	__u32 state;	 /* enum xrdma_dek_state */
	__u8 opaque[8];	 /* from its creation */
	__u64 comp_mask; /* reserved for later fields: 0 */
};

/*
 * Return the attributes of DEK in *ATTR. Set ATTR->sz before. Thread safe. Returns 0 or -EINVAL
 * (ATTR->sz is not a size of the struct).
 */
XRDMA_API int xrdma_dek_query(const struct xrdma_dek *dek, struct xrdma_dek_attr *attr);

/*
 * Destroy DEK. An mkey that is configured with DEK keeps a copy until it is configured again or
 * ends. A posted request keeps a copy until it was executed. Thread safe. Returns 0.
 */
XRDMA_API int xrdma_dek_destroy(struct xrdma_dek *dek);

/* Ciphers, with the numbers of enum mlx5dv_crypto_standard. */
enum xrdma_crypto_standard {
	XRDMA_CRYPTO_STANDARD_AES_XTS, /* IEEE Std 1619-2007 */
};

/*
 * Orders of signature and encryption, with the numbers of enum mlx5dv_signature_crypto_order. On RX
 * the order is reversed.
 */
enum xrdma_signature_crypto_order {
	XRDMA_SIGNATURE_AFTER_CRYPTO_ON_TX,  /* bytes of the memory are encrypted or decrypted */
	XRDMA_SIGNATURE_BEFORE_CRYPTO_ON_TX, /* bytes of the wire are encrypted or decrypted */
};

/* Attributes of an mkey's encryption. */
struct xrdma_crypto_attr {
	size_t sz;		      /* of this struct */
	__u32 crypto_standard;	      /* enum xrdma_crypto_standard */
	__u32 encrypt_on_tx;	      /* 1: ciphertext on the wire; 0: in memory */
	__u32 signature_crypto_order; /* enum xrdma_signature_crypto_order; with signatures only */
	__u32 data_unit_size;	      /* enum xrdma_block_size */
	__u8 initial_tweak[16];	      /* of a message's first data unit, little-endian */
	const struct xrdma_dek *dek;
	__u8 keytag[8];	 /* tag of DEK, if it has one */
	__u64 comp_mask; /* reserved for later fields: 0 */
};

/*
 * Set the encryption of the mkey that is being configured, which was created with
 * XRDMA_MKEY_INIT_CRYPTO. Without this setter, and after an XRDMA_WR_LOCAL_INV, all accesses
 * through the mkey are refused.
 *
 * Errors, returned by xrdma_wr_complete(): -EINVAL (the mkey was created without encryption; a
 * standard, order, size or encrypt_on_tx is unknown; DEK is NULL, of another protection domain, or
 * has another tag; COMP_MASK is not 0; the setter is one too many, or repeated), -E2BIG (ATTR has
 * unknown fields).
 */
XRDMA_API void xrdma_wr_set_mkey_crypto(struct xrdma_qp *qp, const struct xrdma_crypto_attr *attr);

#ifdef __cplusplus
}
#endif
#endif
