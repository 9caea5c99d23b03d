// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Signatures of blocks: checking and copying of fields (mlx5dv_wr_set_mkey_sig_block(3),
 * mlx5dv_mkey_check(3)).
 */
#include <errno.h>
#include <string.h>

#include "support/owner.h"
#include "support/sig.h"
#include "support/test.h"

enum { BLOCKS = 3, MOST = 3 * 520 };

static __u8 plain[MOST], there[MOST], back[MOST];

static void fill(void)
{
	for (size_t i = 0; i < sizeof(plain); i++)
		plain[i] = i * 7 + (i >> 8) + 1;
}

/* Invert the fields of blocks 1 and 2. Expect one error of TYPE, for the part that MASK checks. */
static void expect_wrong(const struct xrdma_sig_block_domain *mem, __u8 mask, __u32 type,
			 __u64 actual, __u64 expected)
{
	struct xrdma_sig sig = sig_of(mem, NULL, mask);
	const __u32 field = mem->sig_type == XRDMA_SIG_TYPE_CRC ? 4 : 8, stride = 512 + field;
	struct xrdma_mkey_err err;

	sig_receive(&sig, BLOCKS * 512, plain, there);
	for (__u32 i = 0; i < 2 * field; i++) /* and that of block 2; the first error counts */
		there[(i / field + 1) * stride + 512 + i % field] ^= 0xff;
	err = sig_send(&sig, BLOCKS * 512, there, back);
	expect_int(err.err_type, ==, type);
	if (type != XRDMA_MKEY_NO_ERR) {
		expect_int(err.err.sig.actual_value, ==, actual);
		expect_int(err.err.sig.expected_value, ==, expected);
		expect_int(err.err.sig.offset, ==, stride);
	}
	expect(!memcmp(back, plain, BLOCKS * 512)); /* the rest is converted all the same */
}

Test(sig_check, what_is_checked)
{
	const struct xrdma_sig_t10dif dif = {
		.app_tag = 0x1234,
		.ref_tag = 5,
		.flags = XRDMA_SIG_T10DIF_FLAG_REF_REMAP,
	};
	const struct xrdma_sig_block_domain t10 = domain_of_dif(&dif, XRDMA_BLOCK_SIZE_512),
					    crc = domain_of_crc(&crc32c, XRDMA_BLOCK_SIZE_512);
	__u32 guard, whole;

	fill();
	guard = crc_of_dif(0, plain + 512, 512);
	whole = crc_of(CRC32C, 0xffffffff, plain + 512, 512);
	expect_wrong(&t10, 0xff, XRDMA_MKEY_SIG_BLOCK_BAD_GUARD, guard, guard ^ 0xffff);
	expect_wrong(&t10, 0x80, XRDMA_MKEY_SIG_BLOCK_BAD_GUARD, guard, guard ^ 0xffff);
	expect_wrong(&t10, 0x3f, XRDMA_MKEY_SIG_BLOCK_BAD_APPTAG, 0x1234, 0xedcb);
	expect_wrong(&t10, 0x10, XRDMA_MKEY_SIG_BLOCK_BAD_APPTAG, 0x1234, 0xedcb);
	expect_wrong(&t10, 0x0f, XRDMA_MKEY_SIG_BLOCK_BAD_REFTAG, 6, 6 ^ 0xffffffffULL);
	expect_wrong(&t10, 0, XRDMA_MKEY_NO_ERR, 0, 0);
	expect_wrong(&crc, XRDMA_SIG_MASK_CRC32C, XRDMA_MKEY_SIG_BLOCK_BAD_GUARD, whole, ~whole);
	expect_wrong(&crc, 0x0f, XRDMA_MKEY_NO_ERR, 0, 0);
}

/* Each bit of the mask is for one byte of the field. */
Test(sig_check, bytes_of_a_mask)
{
	const struct xrdma_sig_t10dif dif = { .app_tag = 0x1234, .ref_tag = 5 };
	const struct xrdma_sig_block_domain t10 = domain_of_dif(&dif, XRDMA_BLOCK_SIZE_512),
					    crc = domain_of_crc(&crc32, XRDMA_BLOCK_SIZE_512);
	struct xrdma_sig sig;

	fill();
	for (int bit = 0; bit < 8; bit++)
		for (int byte = 0; byte < 8; byte++) {
			sig = sig_of(&t10, NULL, 1 << bit);
			sig_receive(&sig, 512, plain, there);
			there[512 + byte] ^= 1;
			expect_int(sig_send(&sig, 512, there, back).err_type != XRDMA_MKEY_NO_ERR,
				   ==, byte == 7 - bit);
		}
	for (int bit = 0; bit < 8; bit++)
		for (int byte = 0; byte < 4; byte++) {
			sig = sig_of(&crc, NULL, 1 << bit);
			sig_receive(&sig, 512, plain, there);
			there[512 + byte] ^= 1;
			expect_int(sig_send(&sig, 512, there, back).err_type != XRDMA_MKEY_NO_ERR,
				   ==, byte == bit - 4);
		}
}

/* Returns whether a block is wrong whose field has these tags, with FLAGS. */
static bool is_wrong(__u16 flags, __u16 app_tag, __u32 ref_tag)
{
	const struct xrdma_sig_t10dif has = { .app_tag = app_tag, .ref_tag = ref_tag },
				      dif = { .app_tag = 1, .ref_tag = 2, .flags = flags };
	const struct xrdma_sig_block_domain from = domain_of_dif(&has, XRDMA_BLOCK_SIZE_512),
					    to = domain_of_dif(&dif, XRDMA_BLOCK_SIZE_512);
	struct xrdma_sig add = sig_of(&from, NULL, 0), sig = sig_of(&to, NULL, 0xff);

	sig_receive(&add, 512, plain, there);
	return sig_send(&sig, 512, there, back).err_type != XRDMA_MKEY_NO_ERR;
}

Test(sig_check, escapes)
{
	const __u16 app = XRDMA_SIG_T10DIF_FLAG_APP_ESCAPE,
		    both = XRDMA_SIG_T10DIF_FLAG_APP_REF_ESCAPE;

	fill();
	expect(is_wrong(0, 0xffff, 0xffffffff));
	expect(!is_wrong(app, 0xffff, 7));
	expect(is_wrong(app, 0xfffe, 0xffffffff));
	expect(!is_wrong(both, 0xffff, 0xffffffff));
	expect(is_wrong(both, 0xffff, 7));
	expect(is_wrong(both, 0xfffe, 0xffffffff));
}

/* Convert a field of IN, with its lowest bits flipped, with these domains and COPY. */
static void convert(const struct xrdma_sig_block_domain *mem,
		    const struct xrdma_sig_block_domain *wire, const __u8 *copy, __u8 *in,
		    __u8 *out)
{
	struct xrdma_sig add = sig_of(mem, NULL, 0), sig;
	const struct xrdma_sig_block_attr attr = {
		.sz = sizeof(attr),
		.mem = mem,
		.wire = wire,
		.flags = copy ? XRDMA_SIG_BLOCK_ATTR_FLAG_COPY_MASK : 0,
		.copy_mask = copy ? *copy : 0,
	};

	expect_int(xrdma_sig_read(&attr, &sig), ==, 0);
	sig_receive(&add, 512, plain, there);
	for (int i = 0; i < 8; i++)
		there[512 + i] ^= 1;
	sig_send(&sig, 512, there, back);
	memcpy(in, there + 512, 8);
	memcpy(out, back + 512, 8);
}

Test(sig_check, what_is_copied)
{
	const struct xrdma_sig_t10dif one = { .app_tag = 0x1111, .ref_tag = 0x22222222 },
				      other_app = { .app_tag = 0x3333, .ref_tag = 0x22222222 },
				      other_ref = { .app_tag = 0x1111, .ref_tag = 0x22222225 },
				      other_all = { .bg_type = XRDMA_SIG_T10DIF_CSUM,
						    .app_tag = 0x3333,
						    .ref_tag = 0x22222222,
						    .flags = XRDMA_SIG_T10DIF_FLAG_REF_REMAP };
	const struct xrdma_sig_block_domain mem = domain_of_dif(&one, XRDMA_BLOCK_SIZE_512),
					    app = domain_of_dif(&other_app, XRDMA_BLOCK_SIZE_512),
					    ref = domain_of_dif(&other_ref, XRDMA_BLOCK_SIZE_512),
					    all = domain_of_dif(&other_all, XRDMA_BLOCK_SIZE_512),
					    crc = domain_of_crc(&crc32, XRDMA_BLOCK_SIZE_512),
					    of_0 = domain_of_crc(&crc32_of_0, XRDMA_BLOCK_SIZE_512);
	const __u8 none = 0, guard_and_ref = 0xcf;
	__u8 in[8], out[8];

	fill();
	convert(&mem, &mem, NULL, in, out); /* everything is copied */
	expect(!memcmp(in, out, 8));
	convert(&mem, &app, NULL, in, out); /* everything but the application tag */
	expect(!memcmp(in, out, 2) && !memcmp(in + 4, out + 4, 4));
	expect_int(out[2] << 8 | out[3], ==, 0x3333);
	convert(&mem, &ref, NULL, in, out); /* everything but the reference tag */
	expect(!memcmp(in, out, 4));
	expect_int(out[7], ==, 0x25);
	convert(&mem, &all, NULL, in, out); /* nothing is copied */
	expect_int(out[0] << 8 | out[1], ==, ip_sum_of(0, plain, 512));
	expect_int(out[7], ==, 0x22);
	convert(&mem, &mem, &none, in, out);
	expect_int(out[0] << 8 | out[1], ==, crc_of_dif(0, plain, 512));
	expect_int(out[2], ==, 0x11);
	convert(&mem, &all, &guard_and_ref, in, out);
	expect(!memcmp(in, out, 2) && !memcmp(in + 4, out + 4, 4));
	expect_int(out[2] << 8 | out[3], ==, 0x3333);
	convert(&crc, &crc, NULL, in, out);
	expect(!memcmp(in, out, 4));
	convert(&crc, &of_0, NULL, in, out);
	expect(memcmp(in, out, 4) && memcmp(in + 1, out + 1, 3));
}

/* Nothing is copied between fields of different types, even if their tags are equal. */
Test(sig_check, another_type)
{
	const struct xrdma_sig_t10dif no_tags = { 0 };
	const struct xrdma_sig_block_domain dif = domain_of_dif(&no_tags, XRDMA_BLOCK_SIZE_512),
					    crc = domain_of_crc(&crc32, XRDMA_BLOCK_SIZE_512);
	__u8 in[8], out[8];
	__u32 right;

	fill();
	convert(&dif, &crc, NULL, in, out);
	right = crc_of(CRC32, 0xffffffff, plain, 512);
	expect(!memcmp(out, &right, 4));
}

/* RFC 1071: adding the carry may cause another carry. */
Test(sig_check, checksum_that_carries_twice)
{
	const struct xrdma_sig_t10dif checksum = { .bg_type = XRDMA_SIG_T10DIF_CSUM };
	const struct xrdma_sig_block_domain wire = domain_of_dif(&checksum, XRDMA_BLOCK_SIZE_512);
	const struct xrdma_sig sig = sig_of(NULL, &wire, 0);

	memset(plain, 0, sizeof(plain));
	memcpy(plain, "\xff\xff\xff\xff\x00\x01", 6); /* 0x1ffff */
	sig_send(&sig, 512, plain, there);
	expect_int(there[512] << 8 | there[513], ==, 0xfffe);
}

static void expect_refused(const struct xrdma_sig_block_attr *attr, const char *text)
{
	struct xrdma_sig sig;

	expect_error(xrdma_sig_read(attr, &sig), EINVAL, text);
}

Test(sig_check, bad_attributes)
{
	const struct xrdma_sig_crc xp10 = { .type = 2 }, odd = { .seed = 1 };
	const struct xrdma_sig_t10dif type = { .bg_type = 2 }, bg = { .bg = 1 },
				      flags = { .flags = 8 }, right = { 0 };
	struct xrdma_sig_block_domain bad = domain_of_crc(&crc32, 5),
				      good = domain_of_crc(&crc32, 0), dif, crc;
	struct xrdma_sig_block_attr attr = { .sz = sizeof(attr), .mem = &good, .wire = &bad };

	expect_refused(&attr, "block_size");
	bad = domain_of_crc(&xp10, 0);
	expect_refused(&attr, "CRC type");
	bad = domain_of_crc(&odd, 0);
	expect_refused(&attr, "seed");
	bad = domain_of_crc(NULL, 0);
	expect_refused(&attr, "sig_type");
	bad = domain_of_crc(&crc32, 0);
	bad.sig_type = 2;
	expect_refused(&attr, "sig_type");
	bad = domain_of_crc(&crc32, 0);
	bad.comp_mask = 1;
	expect_refused(&attr, "comp_mask");
	bad = domain_of_dif(&type, 0);
	expect_refused(&attr, "bg_type");
	bad = domain_of_dif(&bg, 0);
	expect_refused(&attr, "bg 0x1");
	bad = domain_of_dif(&flags, 0);
	expect_refused(&attr, "flags");
	bad = good;
	attr.comp_mask = 1;
	expect_refused(&attr, "comp_mask");
	attr.comp_mask = 0;
	attr.flags = 2;
	expect_refused(&attr, "flags");
	attr.flags = XRDMA_SIG_BLOCK_ATTR_FLAG_COPY_MASK;
	bad = domain_of_crc(&crc32, XRDMA_BLOCK_SIZE_520);
	expect_refused(&attr, "copy_mask");
	bad = domain_of_crc(&crc32c, 0);
	expect_refused(&attr, "copy_mask");
	dif = domain_of_dif(&right, 0);
	attr.wire = &dif;
	expect_refused(&attr, "copy_mask");
	attr.mem = attr.wire = NULL;
	expect_refused(&attr, "copy_mask");
	crc = good;
	attr.mem = attr.wire = &crc;
	expect_int(xrdma_sig_read(&attr, &(struct xrdma_sig){ 0 }), ==, 0);
}
