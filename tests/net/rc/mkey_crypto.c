// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Encryption by an mkey of B (xrdma/crypto.h): B sends, receives, reads and writes with it. The
 * expected bytes in memory and on the wire come from functions that the unit tests check.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "support/crypto.h"
#include "support/mkey.h"
#include "support/sig.h"
#include "support/test.h"

enum {
	AFTER = XRDMA_SIGNATURE_AFTER_CRYPTO_ON_TX,
	BEFORE = XRDMA_SIGNATURE_BEFORE_CRYPTO_ON_TX,
	SMALL = XRDMA_BLOCK_SIZE_512,
	DATA = 2 * 4096 + 512 + 100,
	ROOM = 12000,
};

static struct xrdma_dek_init_attr init;
static struct xrdma_dek *dek;
static __u8 plain[ROOM], in_memory[ROOM], on_wire[ROOM];

static void start(void)
{
	mkey_start();
	mkey_create(XRDMA_MKEY_INIT_CRYPTO | XRDMA_MKEY_INIT_BLOCK_SIGNATURE);
	mkey_allow_b();
	init = dek_of(XRDMA_CRYPTO_KEY_SIZE_256, 1);
	expect_int(xrdma_dek_create(pair.b.owner.pd, &init, &dek), ==, 0);
	arc4random_buf(plain, sizeof(plain));
}

static void stop(void)
{
	if (dek)
		expect_int(xrdma_dek_destroy(dek), ==, 0);
	mkey_stop();
}

TestSuite(mkey_crypto, .once = pair_open, .end = pair_close, .init = start, .fini = stop);

/*
 * Configure the mkey as the first ROOM bytes of the target, in two parts, with encryption as ATTR
 * says, or without if it is NULL.
 */
static void configure(const struct xrdma_crypto_attr *attr)
{
	const struct xrdma_sge parts[2] = { mkey_part(0, 1000), mkey_part(1000, ROOM - 1000) };

	mkey_begin(2 + !!attr);
	xrdma_wr_set_mkey_access_flags(pair.b.qp, XRDMA_ACCESS_LOCAL_WRITE | MKEY_REMOTE);
	xrdma_wr_set_mkey_layout_list(pair.b.qp, 2, parts);
	if (attr)
		xrdma_wr_set_mkey_crypto(pair.b.qp, attr);
	mkey_expect_configured();
}

/* Encrypt LEN bytes of the plain text to INTO. */
static void encrypt(const struct xrdma_crypto_attr *attr, __u8 *into, __u32 len)
{
	struct xrdma_crypto crypto = crypto_of(&init, attr);

	memcpy(into, plain, len);
	crypto_encrypt(&crypto, into, len);
}

Test(mkey_crypto, on_the_wire)
{
	struct xrdma_crypto_attr attr = crypto_attr(dek, true, AFTER, SMALL);

	for (attr.signature_crypto_order = AFTER; attr.signature_crypto_order <= BEFORE;
	     attr.signature_crypto_order++) {
		configure(&attr);
		encrypt(&attr, on_wire, DATA);
		mkey_expect_both_ways(plain, DATA, on_wire, DATA);
	}
}

Test(mkey_crypto, in_memory)
{
	struct xrdma_crypto_attr attr = crypto_attr(dek, false, AFTER, XRDMA_BLOCK_SIZE_4096);

	for (attr.signature_crypto_order = AFTER; attr.signature_crypto_order <= BEFORE;
	     attr.signature_crypto_order++) {
		configure(&attr);
		encrypt(&attr, in_memory, DATA);
		mkey_expect_both_ways(in_memory, DATA, plain, DATA);
	}
}

static void sign(const struct xrdma_sig_block_domain *wire)
{
	const struct xrdma_sig_block_attr attr = {
		.sz = sizeof(attr),
		.wire = wire,
		.check_mask = 0xff,
	};

	mkey_begin(1);
	xrdma_wr_set_mkey_sig_block(pair.b.qp, &attr);
	mkey_expect_configured();
}

/* Row C of the table in the manual page: the signature fields are encrypted, too. */
Test(mkey_crypto, with_signatures)
{
	const struct xrdma_sig_block_domain crc = domain_of_crc(&crc32c, SMALL);
	struct xrdma_crypto_attr attr = crypto_attr(dek, true, BEFORE, XRDMA_BLOCK_SIZE_520);
	const struct xrdma_sig sig = sig_of(NULL, &crc, 0);
	struct xrdma_crypto crypto = crypto_of(&init, &attr);
	const __u32 len = xrdma_sig_bytes(&sig.wire, DATA);
	struct xrdma_mkey_err err;

	configure(&attr);
	sign(&crc);
	sig_send(&sig, DATA, plain, on_wire);
	crypto_encrypt(&crypto, on_wire, len);
	mkey_expect_both_ways(plain, DATA, on_wire, len);
	expect_int(xrdma_mkey_check(mkey.mkey, &err), ==, 0);
	expect_int(err.err_type, ==, XRDMA_MKEY_NO_ERR);
	on_wire[600] ^= 1;
	memcpy(pair.source, on_wire, len);
	mkey_post(XRDMA_WR_RDMA_READ, &(struct xrdma_sge){ 0, len, mkey.key }, XRDMA_WC_SUCCESS);
	expect_int(xrdma_mkey_check(mkey.mkey, &err), ==, 0);
	expect_int(err.err_type, ==, XRDMA_MKEY_SIG_BLOCK_BAD_GUARD);
	expect_int(err.err.sig.offset, ==, 516);
	memset(pair.target, 0, DATA);
}

/* Let B read LEN bytes of WIRE by the mkey, and expect CLEAR in the target. */
static void expect_read(const __u8 *wire, const __u8 *clear, __u32 len)
{
	struct xrdma_sge all = { 0, len, mkey.key };

	memcpy(pair.source, wire, len);
	mkey_post(XRDMA_WR_RDMA_READ, &all, XRDMA_WC_SUCCESS);
	expect(!memcmp(pair.target, clear, len));
	memset(pair.target, 0, len);
}

/* A setter replaces the one before. A configuration without the setter keeps it. */
Test(mkey_crypto, overrides)
{
	struct xrdma_crypto_attr first = crypto_attr(dek, true, AFTER, SMALL), second = first;
	const struct xrdma_sge part = mkey_part(0, 2000);

	second.data_unit_size = XRDMA_BLOCK_SIZE_520;
	configure(&first);
	configure(&second);
	encrypt(&second, on_wire, 2000);
	expect_read(on_wire, plain, 2000);
	mkey_set_list(&part, 1);
	expect_read(on_wire, plain, 2000);
}

/* Expect that neither B nor a peer can use the mkey. */
static void expect_unusable(void)
{
	struct xrdma_sge all = { 0, 512, mkey.key };

	mkey_post(XRDMA_WR_RDMA_WRITE, &all, XRDMA_WC_LOC_PROT_ERR);
	expect_int(recv_wc[0].vendor_err, ==, XRDMA_V_TRANSFORM);
	mkey_allow_b();
	mkey_post(XRDMA_WR_RDMA_READ, &all, XRDMA_WC_LOC_PROT_ERR);
	mkey_allow_b();
	pair_set_write(0, 512);
	send_wr.rkey = mkey.key;
	send_wr.remote_addr = 0;
	pair_expect_failure(XRDMA_WC_REM_OP_ERR);
	expect_int(pair.b.qp->row->resp.error, ==, XRDMA_V_TRANSFORM);
	mkey_allow_b();
}

/*
 * An mkey for encryption is not usable before it is configured, so that nothing is sent in plain
 * text by mistake.
 */
Test(mkey_crypto, is_to_be_configured)
{
	struct xrdma_crypto_attr attr = crypto_attr(dek, true, AFTER, SMALL);

	configure(NULL);
	expect_unusable();
	configure(&attr);
	mkey_invalidate();
	configure(NULL);
	expect_unusable();
	mkey.attr.conf_flags = XRDMA_MKEY_CONF_RESET_SIG_ATTR;
	configure(NULL);
	expect_unusable();
	pair_expect_written(0, 0);
}

Test(mkey_crypto, refused_to_a_peer)
{
	struct xrdma_crypto_attr attr = crypto_attr(dek, true, AFTER, SMALL);

	configure(&attr);
	pair_set_write(0, 512);
	send_wr.rkey = mkey.key;
	send_wr.remote_addr = 0;
	pair_expect_failure(XRDMA_WC_REM_OP_ERR);
	expect_int(pair.b.qp->row->resp.error, ==, XRDMA_V_TRANSFORM);
}

/* Each segment begins with the initial tweak, wherever it is in the mkey. */
Test(mkey_crypto, segments)
{
	struct xrdma_crypto_attr attr = crypto_attr(dek, true, AFTER, SMALL);
	struct xrdma_sge parts[2] = { { 0, 1024, mkey.key }, { 2001, 600, mkey.key } };

	configure(&attr);
	encrypt(&attr, on_wire, 1024);
	encrypt(&attr, on_wire + 1024, 600);
	memcpy(pair.source, on_wire, 1624);
	pair_set_send(0, 1624);
	recv_wr.sg_list = parts;
	recv_wr.num_sge = 2;
	pair_send_once();
	expect(!memcmp(pair.target, plain, 1024));
	expect(!memcmp(pair.target + 2001, plain, 600));
	memset(pair.target, 0, 1024);
	memset(pair.target + 2001, 0, 600);
	pair_expect_written(0, 0);
}

/* The last data unit is shorter than a block of AES. */
Test(mkey_crypto, rest_that_is_too_short)
{
	struct xrdma_crypto_attr attr = crypto_attr(dek, true, AFTER, SMALL);
	struct xrdma_sge part = { 0, 512 + 15, mkey.key };

	configure(&attr);
	mkey_post(XRDMA_WR_RDMA_WRITE, &part, XRDMA_WC_LOC_PROT_ERR);
	expect_int(recv_wc[0].vendor_err, ==, XRDMA_V_TRANSFORM);
	mkey_allow_b();
	encrypt(&attr, on_wire, 512 + 16);
	expect_read(on_wire, plain, 512 + 16);
}

/* An mkey keeps the key that it was configured with, and so does a request that configures one. */
Test(mkey_crypto, key_is_destroyed)
{
	struct xrdma_crypto_attr attr = crypto_attr(dek, true, AFTER, SMALL);

	mkey_begin(1);
	xrdma_wr_set_mkey_crypto(pair.b.qp, &attr);
	expect_int(xrdma_dek_destroy(dek), ==, 0);
	dek = NULL;
	mkey_expect_configured();
	configure(NULL);
	encrypt(&attr, on_wire, 1024);
	expect_read(on_wire, plain, 1024);
}

static void expect_not_set(const struct xrdma_crypto_attr *attr, const char *text)
{
	mkey_begin(1);
	xrdma_wr_set_mkey_crypto(pair.b.qp, attr);
	expect_error(xrdma_wr_complete(pair.b.qp), EINVAL, text);
}

Test(mkey_crypto, not_set)
{
	const struct xrdma_crypto_attr good = crypto_attr(dek, true, AFTER, SMALL);
	struct xrdma_crypto_attr attr;
	struct xrdma_dek *others;
	struct xrdma_pd *pd;

	attr = good, attr.sz = 4;
	expect_not_set(&attr, "xrdma_crypto_attr");
	attr = good, attr.data_unit_size = 5;
	expect_not_set(&attr, "data_unit_size");
	attr = good, attr.keytag[0] ^= 1;
	expect_not_set(&attr, "keytag");
	attr = good, attr.dek = NULL;
	expect_not_set(&attr, "dek is NULL");
	expect_int(xrdma_pd_alloc(pair.b.owner.context, &pd), ==, 0);
	expect_int(xrdma_dek_create(pd, &init, &others), ==, 0);
	attr = good, attr.dek = others;
	expect_not_set(&attr, "another protection domain");
	expect_error(xrdma_pd_dealloc(pd), EBUSY, "1 regions, windows, mkeys, encryption keys");
	expect_int(xrdma_dek_destroy(others), ==, 0);
	expect_int(xrdma_pd_dealloc(pd), ==, 0);
	mkey_begin(2);
	xrdma_wr_set_mkey_crypto(pair.b.qp, &good);
	xrdma_wr_set_mkey_crypto(pair.b.qp, &good);
	expect_error(xrdma_wr_complete(pair.b.qp), EINVAL, "twice");
	mkey_create(XRDMA_MKEY_INIT_BLOCK_SIGNATURE);
	expect_not_set(&good, "XRDMA_MKEY_INIT_CRYPTO");
}

Test(mkey_crypto, keys)
{
	struct xrdma_dek_init_attr attr = init;
	struct xrdma_dek_attr state = { .sz = sizeof(state) };
	struct xrdma_dek *other;

	expect_int(xrdma_dek_query(dek, &state), ==, 0);
	expect_int(state.state, ==, XRDMA_DEK_STATE_READY);
	expect(!memcmp(state.opaque, "opaque", 7));
	state.sz = 4;
	expect_error(xrdma_dek_query(dek, &state), EINVAL, "xrdma_dek_attr");
	attr.sz = 4;
	expect_error(xrdma_dek_create(pair.b.owner.pd, &attr, &other), EINVAL,
		     "xrdma_dek_init_attr");
	attr = init, attr.key_size = 2;
	expect_error(xrdma_dek_create(pair.b.owner.pd, &attr, &other), EINVAL, "key_size");
}
