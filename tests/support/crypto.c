// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "support/crypto.h"

#include <string.h>

#include "support/test.h"

static const __u8 tag[8] = "keytag";

struct xrdma_dek_init_attr dek_of(__u32 size, __u8 seed)
{
	const size_t bytes = size == XRDMA_CRYPTO_KEY_SIZE_128 ? 32 : 64;
	struct xrdma_dek_init_attr attr = {
		.sz = sizeof(attr),
		.key_size = size,
		.has_keytag = 1,
		.opaque = "opaque",
	};

	for (size_t i = 0; i < bytes; i++)
		attr.key[i] = seed + 3 * i;
	memcpy(attr.key + bytes, tag, sizeof(tag));
	return attr;
}

struct xrdma_crypto_attr crypto_attr(const struct xrdma_dek *dek, bool encrypt_on_tx, __u32 order,
				     __u32 size)
{
	struct xrdma_crypto_attr attr = {
		.sz = sizeof(attr),
		.encrypt_on_tx = encrypt_on_tx,
		.signature_crypto_order = order,
		.data_unit_size = size,
		.initial_tweak = { 0xfe, 0xff, 7 },
		.dek = dek,
	};

	memcpy(attr.keytag, tag, sizeof(tag));
	return attr;
}

struct xrdma_crypto crypto_of(const struct xrdma_dek_init_attr *dek,
			      const struct xrdma_crypto_attr *attr)
{
	struct xrdma_crypto_key key;
	struct xrdma_crypto crypto;

	expect_int(xrdma_crypto_read_key(dek, &key), ==, 0);
	expect_int(xrdma_crypto_read(attr, &key, &crypto), ==, 0);
	return crypto;
}

void crypto_encrypt(const struct xrdma_crypto *crypto, __u8 *bytes, __u64 len)
{
	expect(xrdma_crypto_run(crypto, crypto->kind == XRDMA_CRYPTO_ENCRYPTS_ON_TX, bytes, len));
}
