/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Encryption of data units (xrdma/crypto.h): AES-XTS, by OpenSSL. */
#ifndef XRDMA_USER_XFORM_CRYPTO_H
#define XRDMA_USER_XFORM_CRYPTO_H

#include <stdbool.h>
#include <xrdma/crypto.h>

struct xrdma_crypto_key {
	__u8 bytes[64]; /* data key and tweak key */
	__u8 size;	/* of both: 32 or 64 */
	bool has_tag;
	__u8 tag[8];
};

enum xrdma_crypto_kind {
	XRDMA_CRYPTO_NONE,
	XRDMA_CRYPTO_MISSING, /* nothing is transferred until it is set */
	XRDMA_CRYPTO_DECRYPTS_ON_TX,
	XRDMA_CRYPTO_ENCRYPTS_ON_TX,
};

struct xrdma_crypto {
	__u8 kind;	      /* enum xrdma_crypto_kind */
	bool after_signature; /* on TX */
	__u16 unit;	      /* bytes */
	__u8 tweak[16];	      /* of the first unit */
	struct xrdma_crypto_key key;
};

/* Check and convert ATTR, of this library's size. Returns 0 or -EINVAL, like xrdma_dek_create(). */
int xrdma_crypto_read_key(const struct xrdma_dek_init_attr *attr, struct xrdma_crypto_key *key);

/*
 * Check the attributes of xrdma_wr_set_mkey_crypto(), and convert them. KEY is the key of
 * ATTR->dek.
 */
int xrdma_crypto_read(const struct xrdma_crypto_attr *attr, const struct xrdma_crypto_key *key,
		      struct xrdma_crypto *crypto);

/* Returns whether a message may have LEN bytes. */
bool xrdma_crypto_takes(const struct xrdma_crypto *crypto, __u64 len);

/*
 * Encrypt or decrypt the LEN bytes of a message, on their way to the wire (ON_TX) or from it.
 * Returns false if OpenSSL failed; BYTES are undefined then.
 */
bool xrdma_crypto_run(const struct xrdma_crypto *crypto, bool on_tx, __u8 *bytes, __u64 len);

#endif
