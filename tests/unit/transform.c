// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Signatures and encryption of one mkey: layout of data in memory and on the wire, by the rows of
 * the table in mlx5dv_wr_set_mkey_crypto(3), and their lengths.
 */
#include <string.h>

#include "support/crypto.h"
#include "support/sig.h"
#include "support/test.h"
#include "xform/transform.h"

enum {
	AFTER = XRDMA_SIGNATURE_AFTER_CRYPTO_ON_TX,
	BEFORE = XRDMA_SIGNATURE_BEFORE_CRYPTO_ON_TX,
	EITHER,
	DATA = 4 * 512 + 100,
	ROOM = DATA + 4 * 8,
};

enum field { NO, SIG1, SIG2 };

/* Columns of the table: enc(data)+SIG is { INNER, SIG }, enc(data+SIG) is { OUTER, SIG }. */
struct column {
	enum { CLEAR, INNER, OUTER } encrypted;
	enum field field;
};

struct row {
	char name;
	struct column memory, wire;
	bool encrypt_on_tx;
	int order;
	__u32 unit;
};

static const struct row rows[] = {
	{ 'A', { CLEAR, NO }, { OUTER, NO }, true, EITHER, XRDMA_BLOCK_SIZE_512 },
	{ 'B', { CLEAR, NO }, { INNER, SIG1 }, true, AFTER, XRDMA_BLOCK_SIZE_512 },
	{ 'C', { CLEAR, NO }, { OUTER, SIG1 }, true, BEFORE, XRDMA_BLOCK_SIZE_520 },
	{ 'D', { CLEAR, SIG1 }, { OUTER, NO }, true, BEFORE, XRDMA_BLOCK_SIZE_512 },
	{ 'E', { CLEAR, SIG1 }, { OUTER, SIG2 }, true, BEFORE, XRDMA_BLOCK_SIZE_520 },
	{ 'F', { OUTER, NO }, { CLEAR, NO }, false, EITHER, XRDMA_BLOCK_SIZE_512 },
	{ 'G', { OUTER, NO }, { CLEAR, SIG1 }, false, AFTER, XRDMA_BLOCK_SIZE_512 },
	{ 'H', { OUTER, SIG1 }, { CLEAR, NO }, false, AFTER, XRDMA_BLOCK_SIZE_520 },
	{ 'I', { OUTER, SIG1 }, { CLEAR, SIG2 }, false, AFTER, XRDMA_BLOCK_SIZE_520 },
	{ 'J', { INNER, SIG1 }, { CLEAR, NO }, false, BEFORE, XRDMA_BLOCK_SIZE_512 },
};

static const struct xrdma_sig_t10dif t10 = {
	.app_tag = 0x1234,
	.ref_tag = 7,
	.flags = XRDMA_SIG_T10DIF_FLAG_REF_REMAP,
};
static struct xrdma_sig_block_domain domains[3];
static __u8 data[ROOM], memory[ROOM], wire[ROOM], scratch[ROOM], out[ROOM];

static const struct xrdma_sig_block_domain *domain(enum field field)
{
	return field == NO ? NULL : &domains[field];
}

/* Build the data for COLUMN. Returns their length. */
static __u64 make(const struct column *column, const struct xrdma_crypto *crypto, __u8 *bytes)
{
	const struct xrdma_sig sig = sig_of(NULL, domain(column->field), 0);
	const __u64 len = xrdma_sig_bytes(&sig.wire, DATA);

	memcpy(scratch, data, DATA);
	if (column->encrypted == INNER)
		crypto_encrypt(crypto, scratch, DATA);
	sig_send(&sig, DATA, scratch, bytes);
	if (column->encrypted == OUTER)
		crypto_encrypt(crypto, bytes, len);
	return len;
}

static struct xrdma_transform transform_of(const struct row *row, int order)
{
	const struct xrdma_dek_init_attr dek = dek_of(XRDMA_CRYPTO_KEY_SIZE_128, 1);
	const struct xrdma_crypto_attr attr =
		crypto_attr(NULL, row->encrypt_on_tx, order, row->unit);

	return (struct xrdma_transform){
		.sig = sig_of(domain(row->memory.field), domain(row->wire.field), 0xff),
		.crypto = crypto_of(&dek, &attr),
	};
}

static void expect_row(const struct row *row, int order)
{
	const struct xrdma_transform transform = transform_of(row, order);
	const __u64 memory_len = make(&row->memory, &transform.crypto, memory),
		    wire_len = make(&row->wire, &transform.crypto, wire);
	struct xrdma_mkey_err err = { 0 };
	struct xrdma_mkey_part all;

	expect(xrdma_transform_part(&transform, 0, wire_len, &all));
	expect_int(all.memory_len, ==, memory_len);
	expect_int(xrdma_transform_wire(&transform, memory_len), ==, wire_len);
	memcpy(scratch, memory, memory_len);
	expect(xrdma_transform_send(&transform, &all, scratch, out, &err));
	expect_msg(!memcmp(out, wire, wire_len), "row %c, to the wire", row->name);
	memcpy(scratch, wire, wire_len);
	expect(xrdma_transform_receive(&transform, &all, scratch, out, &err));
	expect_msg(!memcmp(out, memory, memory_len), "row %c, from the wire", row->name);
	expect_msg(!err.err_type, "row %c", row->name);
}

Test(transform, rows_of_the_table)
{
	domains[SIG1] = domain_of_dif(&t10, XRDMA_BLOCK_SIZE_512);
	domains[SIG2] = domain_of_crc(&crc32c, XRDMA_BLOCK_SIZE_512);
	for (size_t i = 0; i < sizeof(data); i++)
		data[i] = i * 7 + (i >> 8) + 1;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		if (rows[i].order != BEFORE)
			expect_row(&rows[i], AFTER);
		if (rows[i].order != AFTER)
			expect_row(&rows[i], BEFORE);
	}
}

/* Data units are those of the encrypted side: memory, or the wire. */
Test(transform, rest_of_a_message)
{
	const struct row row = { 0, { CLEAR, NO }, { CLEAR, SIG1 }, true, 0, XRDMA_BLOCK_SIZE_520 };
	struct xrdma_transform transform;
	struct xrdma_mkey_part all;

	domains[SIG1] = domain_of_dif(&t10, XRDMA_BLOCK_SIZE_512);
	transform = transform_of(&row, BEFORE);
	expect(xrdma_transform_part(&transform, 0, 520, &all));
	expect(xrdma_transform_part(&transform, 0, 520 + 16, &all));
	expect(!xrdma_transform_part(&transform, 0, 520 + 8, &all));
	transform = transform_of(&row, AFTER);
	expect(xrdma_transform_part(&transform, 0, 520, &all));
	expect(xrdma_transform_part(&transform, 0, 520 + 24, &all));
	expect(!xrdma_transform_part(&transform, 0, 520 + 16, &all));
	transform.crypto.kind = XRDMA_CRYPTO_MISSING;
	expect(!xrdma_transform_part(&transform, 0, 520, &all));
}

/* A part of the data is found in memory after the fields of all earlier data. */
Test(transform, parts)
{
	struct xrdma_transform transform = { 0 };
	struct xrdma_mkey_part part;

	domains[SIG1] = domain_of_dif(&t10, XRDMA_BLOCK_SIZE_512);
	transform.sig = sig_of(&domains[SIG1], NULL, 0);
	expect(xrdma_transform_part(&transform, 2 * 512, 512 + 5, &part));
	expect_int(part.memory_at, ==, 2 * 520);
	expect_int(part.memory_len, ==, 520 + 5);
	expect_int(part.data, ==, 512 + 5);
}
