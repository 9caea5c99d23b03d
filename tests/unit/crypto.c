// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Encryption of data units (mlx5dv_wr_set_mkey_crypto(3)), and keys (mlx5dv_dek_create(3)). */
#include <errno.h>
#include <string.h>

#include "support/crypto.h"
#include "support/owner.h"
#include "support/sig.h"
#include "support/test.h"

enum { MOST = 4 * 4160 };

static __u8 plain[MOST], there[MOST], again[MOST];

static void fill(void)
{
	for (size_t i = 0; i < sizeof(plain); i++)
		plain[i] = i * 7 + (i >> 8) + 1;
}

TestSuite(crypto, .init = fill);

/* Vectors of IEEE Std 1619-2007, annex B, for data unit NUMBER. Some have only a part of a unit. */
struct vector {
	__u32 key_size;
	__u8 key[64];
	__u64 number;
	__u32 len;
	__u8 plain[32];
	__u8 cipher[32];
};

static const struct vector vectors[] = {
	{ /* vector 2 */
	  .key_size = XRDMA_CRYPTO_KEY_SIZE_128,
	  .key = { [0 ... 15] = 0x11, [16 ... 31] = 0x22 },
	  .number = 0x3333333333,
	  .len = 32,
	  .plain = { [0 ... 31] = 0x44 },
	  .cipher = { 0xc4, 0x54, 0x18, 0x5e, 0x6a, 0x16, 0x93, 0x6e, 0x39, 0x33, 0x40,
		      0x38, 0xac, 0xef, 0x83, 0x8b, 0xfb, 0x18, 0x6f, 0xff, 0x74, 0x80,
		      0xad, 0xc4, 0x28, 0x93, 0x82, 0xec, 0xd6, 0xd3, 0x94, 0xf0 } },
	{ /* vector 15: its end is shorter than a block of AES */
	  .key_size = XRDMA_CRYPTO_KEY_SIZE_128,
	  .key = { 0xff, 0xfe, 0xfd, 0xfc, 0xfb, 0xfa, 0xf9, 0xf8, 0xf7, 0xf6, 0xf5,
		   0xf4, 0xf3, 0xf2, 0xf1, 0xf0, 0xbf, 0xbe, 0xbd, 0xbc, 0xbb, 0xba,
		   0xb9, 0xb8, 0xb7, 0xb6, 0xb5, 0xb4, 0xb3, 0xb2, 0xb1, 0xb0 },
	  .number = 0x123456789a,
	  .len = 17,
	  .plain = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16 },
	  .cipher = { 0x6c, 0x16, 0x25, 0xdb, 0x46, 0x71, 0x52, 0x2d, 0x3d, 0x75, 0x99, 0x60, 0x1d,
		      0xe7, 0xca, 0x09, 0xed } },
};

/* The first bytes of vector 10. The plain text has 512 bytes that count up from 0, twice. */
static const struct vector long_one = {
	.key_size = XRDMA_CRYPTO_KEY_SIZE_256,
	.key = { 0x27, 0x18, 0x28, 0x18, 0x28, 0x45, 0x90, 0x45, 0x23, 0x53, 0x60, 0x28, 0x74,
		 0x71, 0x35, 0x26, 0x62, 0x49, 0x77, 0x57, 0x24, 0x70, 0x93, 0x69, 0x99, 0x59,
		 0x57, 0x49, 0x66, 0x96, 0x76, 0x27, 0x31, 0x41, 0x59, 0x26, 0x53, 0x58, 0x97,
		 0x93, 0x23, 0x84, 0x62, 0x64, 0x33, 0x83, 0x27, 0x95, 0x02, 0x88, 0x41, 0x97,
		 0x16, 0x93, 0x99, 0x37, 0x51, 0x05, 0x82, 0x09, 0x74, 0x94, 0x45, 0x92 },
	.number = 0xff,
	.cipher = { 0x1c, 0x3b, 0x3a, 0x10, 0x2f, 0x77, 0x03, 0x86, 0xe4, 0x83, 0x6c,
		    0x99, 0xe3, 0x70, 0xcf, 0x9b, 0xea, 0x00, 0x80, 0x3f, 0x5e, 0x48,
		    0x23, 0x57, 0xa4, 0xae, 0x12, 0xd4, 0x14, 0xa3, 0xe6, 0x3b },
};

static struct xrdma_crypto crypto_of_vector(const struct vector *v, bool encrypt_on_tx)
{
	struct xrdma_dek_init_attr dek = { .sz = sizeof(dek), .key_size = v->key_size };
	struct xrdma_crypto_attr attr = crypto_attr(NULL, encrypt_on_tx, 0, XRDMA_BLOCK_SIZE_512);

	memcpy(dek.key, v->key, sizeof(v->key));
	memset(attr.initial_tweak, 0, sizeof(attr.initial_tweak));
	for (int i = 0; i < 8; i++)
		attr.initial_tweak[i] = v->number >> 8 * i;
	return crypto_of(&dek, &attr);
}

/*
 * Expect that V's data are encrypted on the way to the wire and decrypted from there, and the
 * reverse.
 */
static void expect_cipher(const struct vector *v, const __u8 *clear, __u32 len, __u32 compared)
{
	for (int on_tx = 0; on_tx < 2; on_tx++) {
		struct xrdma_crypto crypto = crypto_of_vector(v, on_tx);

		memcpy(there, clear, len);
		expect(xrdma_crypto_run(&crypto, on_tx, there, len));
		expect(!memcmp(there, v->cipher, compared));
		expect(xrdma_crypto_run(&crypto, !on_tx, there, len));
		expect(!memcmp(there, clear, len));
	}
}

Test(crypto, vectors_of_the_standard)
{
	for (size_t i = 0; i < sizeof(vectors) / sizeof(*vectors); i++)
		expect_cipher(&vectors[i], vectors[i].plain, vectors[i].len, vectors[i].len);
	for (int i = 0; i < 512; i++)
		plain[i] = i;
	expect_cipher(&long_one, plain, 512, sizeof(long_one.cipher));
}

static const __u32 sizes[] = { 512, 520, 4048, 4096, 4160 };

/*
 * Expect that each unit is encrypted by itself. The tweak is incremented for each, with a carry
 * between bytes. The last unit may be shorter.
 */
static void expect_units(struct xrdma_crypto crypto, __u32 unit, const __u8 tweaks[4][16])
{
	const __u32 len = 3 * unit + 16;

	memcpy(crypto.tweak, tweaks[0], 16);
	memcpy(there, plain, len);
	crypto_encrypt(&crypto, there, len);
	memcpy(again, plain, len);
	for (int i = 0; i < 4; i++) {
		memcpy(crypto.tweak, tweaks[i], 16);
		crypto_encrypt(&crypto, again + i * unit, i < 3 ? unit : 16);
	}
	expect(!memcmp(there, again, len));
}

Test(crypto, data_units)
{
	static const __u8 carried[4][16] = {
		{ 0xfe, 0xff, 7 }, { 0xff, 0xff, 7 }, { 0, 0, 8 }, { 1, 0, 8 }
	};
	static const __u8 wrapped[4][16] = { { [0 ... 15] = 0xff }, { 0 }, { 1 }, { 2 } };
	const struct xrdma_dek_init_attr dek = dek_of(XRDMA_CRYPTO_KEY_SIZE_256, 1);

	for (__u32 size = 0; size < sizeof(sizes) / sizeof(*sizes); size++) {
		const struct xrdma_crypto_attr attr = crypto_attr(NULL, true, 0, size);
		const struct xrdma_crypto crypto = crypto_of(&dek, &attr);

		expect_units(crypto, sizes[size], carried);
		expect_units(crypto, sizes[size], wrapped);
	}
}

/* IEEE 1619, 5.1: a data unit has at least the length of an AES block. */
Test(crypto, how_much_can_be)
{
	const struct xrdma_dek_init_attr dek = dek_of(XRDMA_CRYPTO_KEY_SIZE_128, 1);
	const struct xrdma_crypto_attr attr = crypto_attr(NULL, true, 0, XRDMA_BLOCK_SIZE_520);
	struct xrdma_crypto crypto = crypto_of(&dek, &attr);

	expect(xrdma_crypto_takes(&crypto, 16));
	expect(xrdma_crypto_takes(&crypto, 520));
	expect(xrdma_crypto_takes(&crypto, 2 * 520 + 16));
	expect(!xrdma_crypto_takes(&crypto, 15));
	expect(!xrdma_crypto_takes(&crypto, 520 + 1));
	expect(!xrdma_crypto_takes(&crypto, 520 + 15));
	crypto.kind = XRDMA_CRYPTO_MISSING;
	expect(!xrdma_crypto_takes(&crypto, 520));
	crypto.kind = XRDMA_CRYPTO_NONE;
	expect(xrdma_crypto_takes(&crypto, 1));
}

static void expect_bad_key(const struct xrdma_dek_init_attr *attr, const char *text)
{
	struct xrdma_crypto_key key;

	expect_error(xrdma_crypto_read_key(attr, &key), EINVAL, text);
}

Test(crypto, bad_keys)
{
	struct xrdma_dek_init_attr good = dek_of(XRDMA_CRYPTO_KEY_SIZE_128, 1), dek;
	const struct xrdma_crypto_attr attr = crypto_attr(NULL, true, 0, 0);

	dek = good, dek.key_size = 2;
	expect_bad_key(&dek, "key_size 2");
	dek = good, dek.key_purpose = 1;
	expect_bad_key(&dek, "key_purpose 1");
	dek = good, dek.has_keytag = 2;
	expect_bad_key(&dek, "has_keytag 2");
	dek = good, dek.comp_mask = 1;
	expect_bad_key(&dek, "comp_mask 0x1");
	dek = good, memcpy(dek.key + 16, dek.key, 16);
	expect_bad_key(&dek, "the same");
	dek = dek_of(XRDMA_CRYPTO_KEY_SIZE_256, 1), memcpy(dek.key + 32, dek.key, 32);
	expect_bad_key(&dek, "the same");
	dek.key[63] ^= 1;
	crypto_of(&dek, &attr);
}

static void expect_bad(const struct xrdma_dek_init_attr *dek, const struct xrdma_crypto_attr *attr,
		       const char *text)
{
	struct xrdma_crypto_key key;
	struct xrdma_crypto crypto;

	expect_int(xrdma_crypto_read_key(dek, &key), ==, 0);
	expect_error(xrdma_crypto_read(attr, &key, &crypto), EINVAL, text);
}

Test(crypto, bad_attributes)
{
	const struct xrdma_dek_init_attr dek = dek_of(XRDMA_CRYPTO_KEY_SIZE_128, 1);
	const struct xrdma_crypto_attr good = crypto_attr(NULL, true, 0, 0);
	struct xrdma_crypto_attr attr;

	attr = good, attr.crypto_standard = 1;
	expect_bad(&dek, &attr, "crypto_standard 1");
	attr = good, attr.encrypt_on_tx = 2;
	expect_bad(&dek, &attr, "encrypt_on_tx 2");
	attr = good, attr.signature_crypto_order = 2;
	expect_bad(&dek, &attr, "signature_crypto_order 2");
	attr = good, attr.data_unit_size = 5;
	expect_bad(&dek, &attr, "data_unit_size 5");
	attr = good, attr.comp_mask = 1;
	expect_bad(&dek, &attr, "comp_mask 0x1");
}

/*
 * If the key has a tag, it is compared. It comes after a key of either size. If the key has none,
 * nothing is compared.
 */
Test(crypto, key_tags)
{
	const struct xrdma_crypto_attr good = crypto_attr(NULL, true, 0, 0);
	struct xrdma_crypto_attr other = good;

	other.keytag[7] ^= 1;
	for (__u32 size = 0; size < 2; size++) {
		struct xrdma_dek_init_attr dek = dek_of(size, 1);

		crypto_of(&dek, &good);
		expect_bad(&dek, &other, "keytag");
		dek.has_keytag = 0;
		crypto_of(&dek, &other);
	}
}
