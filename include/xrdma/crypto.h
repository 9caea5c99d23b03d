/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Encryption by mkeys (mlx5dv_wr_set_mkey_crypto(3), mlx5dv_dek_create(3)): data are encrypted in
 * memory, or on the wire. What is sent, or written to a peer, is encrypted or decrypted on its way
 * to the wire; what is received, or read from a peer, the other way.
 *
 * The mkey names what is on the wire, as sig.h says of signatures, which an mkey may have too; the
 * library does this, not XDP, in the same way, and refuses peers that use the mkey's key. Each
 * segment is a message of its own: its first byte begins a data unit, with the initial tweak. Its
 * last data unit may be shorter, but has at least 16 bytes.
 */
#ifndef XRDMA_CRYPTO_H
#define XRDMA_CRYPTO_H

#include "sig.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A data encryption key. */
struct xrdma_dek;

/* Numbered as enum mlx5dv_crypto_key_size. */
enum xrdma_crypto_key_size {
	XRDMA_CRYPTO_KEY_SIZE_128,
	XRDMA_CRYPTO_KEY_SIZE_256,
};

/* Numbered as enum mlx5dv_crypto_key_purpose. */
enum xrdma_crypto_key_purpose {
	XRDMA_CRYPTO_KEY_PURPOSE_AES_XTS,
};

struct xrdma_dek_init_attr {
	size_t sz;	   /* of this struct */
	__u32 key_size;	   /* enum xrdma_crypto_key_size */
	__u32 key_purpose; /* enum xrdma_crypto_key_purpose */
	__u32 has_keytag;  /* whether a tag of 8 bytes follows the key: 0 or 1 */
	__u8 opaque[8];	   /* the caller's, handed back by xrdma_dek_query() */
	/*
	 * In plain text: the key for the data, that for the tweaks, which is another, of KEY_SIZE
	 * bits each, and the tag.
	 */
	__u8 key[128];
	__u64 comp_mask; /* for fields to come: 0 */
};

/*
 * Create a key for the mkeys of PD. Thread safe. *DEK is to be ended by xrdma_dek_destroy().
 * Returns 0 or -EINVAL (KEY_SIZE, KEY_PURPOSE or HAS_KEYTAG is none of those above, the two keys
 * are the same, COMP_MASK is not 0), -E2BIG (ATTR), -ENOMEM.
 */
XRDMA_API int xrdma_dek_create(struct xrdma_pd *pd, const struct xrdma_dek_init_attr *attr,
			       struct xrdma_dek **dek);

/* Numbered as enum mlx5dv_dek_state. */
enum xrdma_dek_state {
	XRDMA_DEK_STATE_READY,
	XRDMA_DEK_STATE_ERROR, /* of devices: never */
};

struct xrdma_dek_attr {
	size_t sz;	 /* of this struct */
	__u32 state;	 /* enum xrdma_dek_state */
	__u8 opaque[8];	 /* as at its creation */
	__u64 comp_mask; /* for fields to come: 0 */
};

/* Thread safe. Returns 0 or -EINVAL (ATTR->sz). */
XRDMA_API int xrdma_dek_query(const struct xrdma_dek *dek, struct xrdma_dek_attr *attr);

/*
 * An mkey that was configured with it keeps a copy until it is configured with another, or ends; a
 * request until it was carried out, or its queue pair ends. Thread safe. Returns 0.
 */
XRDMA_API int xrdma_dek_destroy(struct xrdma_dek *dek);

/* Numbered as enum mlx5dv_crypto_standard. */
enum xrdma_crypto_standard {
	XRDMA_CRYPTO_STANDARD_AES_XTS, /* IEEE Std 1619-2007 */
};

/* Numbered as enum mlx5dv_signature_crypto_order. On RX the order is the other one. */
enum xrdma_signature_crypto_order {
	XRDMA_SIGNATURE_AFTER_CRYPTO_ON_TX,  /* what is encrypted or decrypted is memory's */
	XRDMA_SIGNATURE_BEFORE_CRYPTO_ON_TX, /* what is encrypted or decrypted is the wire's */
};

struct xrdma_crypto_attr {
	size_t sz;		      /* of this struct */
	__u32 crypto_standard;	      /* enum xrdma_crypto_standard */
	__u32 encrypt_on_tx;	      /* 1: ciphertext on the wire; 0: in memory */
	__u32 signature_crypto_order; /* enum xrdma_signature_crypto_order; if it has signatures */
	__u32 data_unit_size;	      /* enum xrdma_block_size */
	__u8 initial_tweak[16];	      /* of a message's first data unit, little-endian */
	const struct xrdma_dek *dek;
	__u8 keytag[8];	 /* that of DEK, if it has one */
	__u64 comp_mask; /* for fields to come: 0 */
};

/*
 * Setter: what goes through the mkey, which was created with XRDMA_MKEY_INIT_CRYPTO, is encrypted
 * and decrypted as ATTR says, in place of what was said before. Before it was, or after an
 * XRDMA_WR_LOCAL_INV, nothing may go through the mkey. Errors: -EINVAL (the mkey was created
 * without; a standard, order, size or encrypt_on_tx is none of those above; DEK is NULL, of another
 * protection domain, or has another tag; COMP_MASK is not 0; the setter is one too many, or comes
 * twice), -E2BIG (ATTR).
 */
XRDMA_API void xrdma_wr_set_mkey_crypto(struct xrdma_qp *qp, const struct xrdma_crypto_attr *attr);

#ifdef __cplusplus
}
#endif
#endif
