// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "xform/crypto.h"

#include <errno.h>
#include <openssl/evp.h>
#include <string.h>

#include "lib/error.h"
#include "xform/sig.h"

enum { SMALLEST_UNIT = 16 }; /* IEEE 1619, 5.1: one block of AES */

int xrdma_crypto_read_key(const struct xrdma_dek_init_attr *attr, struct xrdma_crypto_key *key)
{
	const __u32 half = attr->key_size == XRDMA_CRYPTO_KEY_SIZE_128 ? 16 : 32;

	if (attr->key_size > XRDMA_CRYPTO_KEY_SIZE_256)
		return xrdma_fail(EINVAL, "key_size %u is unknown", attr->key_size);
	if (attr->key_purpose != XRDMA_CRYPTO_KEY_PURPOSE_AES_XTS)
		return xrdma_fail(EINVAL, "key_purpose %u is unknown", attr->key_purpose);
	if (attr->has_keytag > 1)
		return xrdma_fail(EINVAL, "has_keytag %u: 0 or 1", attr->has_keytag);
	if (attr->comp_mask)
		return xrdma_fail(EINVAL, "comp_mask 0x%llx: must be 0", attr->comp_mask);
	if (!memcmp(attr->key, attr->key + half, half))
		return xrdma_fail(EINVAL, "the key for the data and that for the tweaks are the "
					  "same");
	*key = (struct xrdma_crypto_key){ .size = 2 * half, .has_tag = attr->has_keytag };
	memcpy(key->bytes, attr->key, key->size);
	if (key->has_tag)
		memcpy(key->tag, attr->key + key->size, sizeof(key->tag));
	return 0;
}

int xrdma_crypto_read(const struct xrdma_crypto_attr *attr, const struct xrdma_crypto_key *key,
		      struct xrdma_crypto *crypto)
{
	if (attr->crypto_standard != XRDMA_CRYPTO_STANDARD_AES_XTS)
		return xrdma_fail(EINVAL, "crypto_standard %u is unknown", attr->crypto_standard);
	if (attr->encrypt_on_tx > 1)
		return xrdma_fail(EINVAL, "encrypt_on_tx %u: 0 or 1", attr->encrypt_on_tx);
	if (attr->signature_crypto_order > XRDMA_SIGNATURE_BEFORE_CRYPTO_ON_TX)
		return xrdma_fail(EINVAL, "signature_crypto_order %u is unknown",
				  attr->signature_crypto_order);
	if (attr->comp_mask)
		return xrdma_fail(EINVAL, "comp_mask 0x%llx: must be 0", attr->comp_mask);
	if (key->has_tag && memcmp(key->tag, attr->keytag, sizeof(key->tag)))
		return xrdma_fail(EINVAL, "the key has another keytag");
	*crypto = (struct xrdma_crypto){
		.kind = XRDMA_CRYPTO_DECRYPTS_ON_TX + attr->encrypt_on_tx,
		.after_signature =
			attr->signature_crypto_order == XRDMA_SIGNATURE_BEFORE_CRYPTO_ON_TX,
		.unit = xrdma_block_bytes(attr->data_unit_size),
		.key = *key,
	};
	memcpy(crypto->tweak, attr->initial_tweak, sizeof(crypto->tweak));
	if (!crypto->unit)
		return xrdma_fail(EINVAL, "data_unit_size %u is unknown", attr->data_unit_size);
	return 0;
}

bool xrdma_crypto_takes(const struct xrdma_crypto *crypto, __u64 len)
{
	switch (crypto->kind) {
	case XRDMA_CRYPTO_NONE:
		return true;
	case XRDMA_CRYPTO_MISSING:
		return false;
	default:
		return len % crypto->unit == 0 || len % crypto->unit >= SMALLEST_UNIT;
	}
}

/* Increment the tweak, a number of 128 bits, lowest byte first. */
static void increment(__u8 *tweak, size_t size)
{
	for (size_t i = 0; i < size && !++tweak[i]; i++)
		;
}

/* Encrypt or decrypt data units. CONTEXT has the key. */
static bool run(const struct xrdma_crypto *crypto, EVP_CIPHER_CTX *context, __u8 *bytes, __u64 len)
{
	__u8 tweak[sizeof(crypto->tweak)];
	int here, done;

	memcpy(tweak, crypto->tweak, sizeof(tweak));
	for (; len; len -= here, bytes += here) {
		here = len < crypto->unit ? len : crypto->unit;
		if (!EVP_CipherInit_ex(context, NULL, NULL, NULL, tweak, -1) ||
		    !EVP_CipherUpdate(context, bytes, &done, bytes, here) || done != here)
			return false;
		increment(tweak, sizeof(tweak));
	}
	return true;
}

bool xrdma_crypto_run(const struct xrdma_crypto *crypto, bool on_tx, __u8 *bytes, __u64 len)
{
	const EVP_CIPHER *cipher = crypto->key.size == 32 ? EVP_aes_128_xts() : EVP_aes_256_xts();
	bool encrypts = on_tx == (crypto->kind == XRDMA_CRYPTO_ENCRYPTS_ON_TX), done;
	EVP_CIPHER_CTX *context;

	if (crypto->kind == XRDMA_CRYPTO_NONE)
		return true;
	context = EVP_CIPHER_CTX_new();
	done = context &&
	       EVP_CipherInit_ex(context, cipher, NULL, crypto->key.bytes, NULL, encrypts) &&
	       run(crypto, context, bytes, len);
	EVP_CIPHER_CTX_free(context);
	return done;
}
