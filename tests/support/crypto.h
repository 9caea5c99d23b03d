/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Encryption keys, and attributes of mkeys that have them. */
#ifndef XRDMA_TESTS_SUPPORT_CRYPTO_H
#define XRDMA_TESTS_SUPPORT_CRYPTO_H

#include "xform/crypto.h"

/* Returns a key of SIZE (enum xrdma_crypto_key_size) made from SEED, with a tag. */
struct xrdma_dek_init_attr dek_of(__u32 size, __u8 seed);

/* Returns attributes for DEK, with data units of SIZE (enum xrdma_block_size). */
struct xrdma_crypto_attr crypto_attr(const struct xrdma_dek *dek, bool encrypt_on_tx, __u32 order,
				     __u32 size);

/* Convert an encryption key and attributes. */
struct xrdma_crypto crypto_of(const struct xrdma_dek_init_attr *dek,
			      const struct xrdma_crypto_attr *attr);

/* Encrypt LEN bytes as one message. */
void crypto_encrypt(const struct xrdma_crypto *crypto, __u8 *bytes, __u64 len);

#endif
