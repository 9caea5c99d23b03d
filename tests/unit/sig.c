// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Signatures of blocks (mlx5dv_wr_set_mkey_sig_block(3)): layout of data in both domains. */
#include <string.h>

#include "support/sig.h"
#include "support/test.h"

enum { BLOCKS = 3, REST = 100, MOST = 5 * 4160 };

static __u8 plain[MOST], there[MOST], back[MOST];

/* Our reference functions return the check values of the catalogues. */
Test(sig, what_they_are_compared_with)
{
	const __u8 *digits = (const __u8 *)"123456789";

	expect_int(crc_of(CRC32, 0xffffffff, digits, 9), ==, 0xcbf43926);
	expect_int(crc_of(CRC32C, 0xffffffff, digits, 9), ==, 0xe3069283);
	expect_int(crc_of_dif(0, digits, 9), ==, 0xd0db);
}

static const __u32 sizes[] = { 512, 520, 4048, 4096, 4160 };

static void fill(void)
{
	for (size_t i = 0; i < sizeof(plain); i++)
		plain[i] = i * 7 + (i >> 8) + 1;
}

/*
 * Expect that the CRC is added after each whole block, and removed again, for each size and kind.
 */
static void expect_crc(const struct xrdma_sig_crc *crc, __u32 poly)
{
	for (__u32 size = 0; size < sizeof(sizes) / sizeof(*sizes); size++) {
		const struct xrdma_sig_block_domain wire = domain_of_crc(crc, size);
		struct xrdma_sig sig = sig_of(NULL, &wire, XRDMA_SIG_MASK_CRC32);
		const __u32 block = sizes[size], data = BLOCKS * block + REST;
		const __u8 *at = there;

		expect_int(sig_send(&sig, data, plain, there).err_type, ==, XRDMA_MKEY_NO_ERR);
		for (int i = 0; i < BLOCKS; i++, at += block + 4) {
			__u32 right = crc_of(poly, crc->seed, plain + i * block, block);

			expect(!memcmp(at, plain + i * block, block));
			expect_int(at[block] | at[block + 1] << 8 | at[block + 2] << 16 |
					   (__u32)at[block + 3] << 24,
				   ==, right);
		}
		expect(!memcmp(at, plain + BLOCKS * block, REST));
		expect_int(sig_receive(&sig, data, there, back).err_type, ==, XRDMA_MKEY_NO_ERR);
		expect(!memcmp(back, plain, data));
	}
}

Test(sig, crcs_of_each_block)
{
	fill();
	expect_crc(&crc32, CRC32);
	expect_crc(&crc32_of_0, CRC32);
	expect_crc(&crc32c, CRC32C);
	expect_crc(&crc32c_of_0, CRC32C);
}

static void expect_dif(const struct xrdma_sig_t10dif *dif)
{
	const struct xrdma_sig_block_domain mem = domain_of_dif(dif, XRDMA_BLOCK_SIZE_512);
	struct xrdma_sig sig = sig_of(&mem, NULL, 0xff);
	const __u8 *at = there;

	expect_int(sig_receive(&sig, BLOCKS * 512, plain, there).err_type, ==, XRDMA_MKEY_NO_ERR);
	for (int i = 0; i < BLOCKS; i++, at += 520) {
		const __u8 *data = plain + i * 512, *field = at + 512;
		__u32 guard = dif->bg_type == XRDMA_SIG_T10DIF_CRC ? crc_of_dif(dif->bg, data, 512)
								   : ip_sum_of(dif->bg, data, 512);
		__u32 ref = dif->ref_tag;

		if (dif->flags & XRDMA_SIG_T10DIF_FLAG_REF_REMAP)
			ref += i;
		expect(!memcmp(at, data, 512));
		expect_int(field[0] << 8 | field[1], ==, guard);
		expect_int(field[2] << 8 | field[3], ==, dif->app_tag);
		expect_int((__u32)field[4] << 24 | field[5] << 16 | field[6] << 8 | field[7], ==,
			   ref);
	}
	expect_int(sig_send(&sig, BLOCKS * 512, there, back).err_type, ==, XRDMA_MKEY_NO_ERR);
	expect(!memcmp(back, plain, BLOCKS * 512));
}

Test(sig, t10dif_of_each_block)
{
	const __u8 types[] = { XRDMA_SIG_T10DIF_CRC, XRDMA_SIG_T10DIF_CSUM };

	fill();
	for (int i = 0; i < 8; i++)
		expect_dif(&(struct xrdma_sig_t10dif){
			.bg_type = types[i & 1],
			.bg = i & 2 ? 0xffff : 0,
			.app_tag = 0x1234,
			.ref_tag = 0xfffffffe,
			.flags = i & 4 ? XRDMA_SIG_T10DIF_FLAG_REF_REMAP : 0,
		});
}

/* Both domains have fields, of different kinds and sizes. */
Test(sig, from_one_kind_to_another)
{
	const struct xrdma_sig_t10dif dif = { .app_tag = 1, .ref_tag = 2 };
	const struct xrdma_sig_block_domain mem = domain_of_crc(&crc32c, XRDMA_BLOCK_SIZE_512),
					    wire = domain_of_dif(&dif, XRDMA_BLOCK_SIZE_4096);
	struct xrdma_sig sig = sig_of(&mem, &wire, 0xff), one = sig_of(NULL, &mem, 0xff),
			 other = sig_of(NULL, &wire, 0xff);
	const __u64 data = 2 * 4096 + 512 + REST;
	static __u8 right[MOST];

	fill();
	expect_int(xrdma_sig_bytes(&sig.mem, data), ==, data + 17 * 4);
	expect_int(xrdma_sig_bytes(&sig.wire, data), ==, data + 2 * 8);
	sig_send(&one, data, plain, there);
	sig_send(&other, data, plain, right);
	expect_int(sig_send(&sig, data, there, back).err_type, ==, XRDMA_MKEY_NO_ERR);
	expect(!memcmp(back, right, data + 2 * 8));
	memset(back, 0, sizeof(back));
	expect_int(sig_receive(&sig, data, right, back).err_type, ==, XRDMA_MKEY_NO_ERR);
	expect(!memcmp(back, there, data + 17 * 4));
}

Test(sig, how_much_is_data)
{
	const struct xrdma_sig_block_domain wire = domain_of_crc(&crc32c, XRDMA_BLOCK_SIZE_512);
	struct xrdma_sig sig = sig_of(NULL, &wire, 0);
	__u64 data;

	for (__u64 bytes = 0; bytes < 3 * 516; bytes++) {
		__u64 rest = bytes % 516, missing = rest >= 512 ? rest - 511 : 0;

		expect_int(xrdma_sig_data(&sig.wire, bytes, &data), ==, !missing);
		expect_int(xrdma_sig_bytes(&sig.wire, data), ==, bytes - missing);
		expect(xrdma_sig_data(&sig.mem, bytes, &data) && data == bytes);
	}
}
