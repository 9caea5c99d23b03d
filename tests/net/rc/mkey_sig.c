// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Block signatures of an mkey of B (xrdma/sig.h): B sends, receives, reads and writes with it. The
 * expected bytes in memory and on the wire come from functions that the unit tests check.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "support/mkey.h"
#include "support/sig.h"
#include "support/test.h"

enum { DATA = 2 * 4096 + 512 + 100, ROOM = 12000 };

static const struct xrdma_sig_t10dif t10 = {
	.app_tag = 0x1234,
	.ref_tag = 7,
	.flags = XRDMA_SIG_T10DIF_FLAG_REF_REMAP,
};
static struct xrdma_sig_block_domain crc, dif, dif_4k;
static __u8 plain[ROOM], in_memory[ROOM], on_wire[ROOM];

static void start(void)
{
	mkey_start();
	mkey_create(XRDMA_MKEY_INIT_BLOCK_SIGNATURE);
	mkey_allow_b();
	crc = domain_of_crc(&crc32c, XRDMA_BLOCK_SIZE_512);
	dif = domain_of_dif(&t10, XRDMA_BLOCK_SIZE_512);
	dif_4k = domain_of_dif(&t10, XRDMA_BLOCK_SIZE_4096);
	arc4random_buf(plain, sizeof(plain));
}

TestSuite(mkey_sig, .once = pair_open, .end = pair_close, .init = start, .fini = mkey_stop);

/*
 * Configure the mkey as the first ROOM bytes of the target, in two parts, with LOCAL_WRITE and
 * signatures.
 */
static void configure(const struct xrdma_sig_block_domain *mem,
		      const struct xrdma_sig_block_domain *wire)
{
	const struct xrdma_sig_block_attr attr = {
		.sz = sizeof(attr),
		.mem = mem,
		.wire = wire,
		.check_mask = 0xff,
	};
	const struct xrdma_sge parts[2] = { mkey_part(0, 1000), mkey_part(1000, ROOM - 1000) };

	mkey_begin(3);
	xrdma_wr_set_mkey_access_flags(pair.b.qp, XRDMA_ACCESS_LOCAL_WRITE | MKEY_REMOTE);
	xrdma_wr_set_mkey_layout_list(pair.b.qp, 2, parts);
	xrdma_wr_set_mkey_sig_block(pair.b.qp, &attr);
	mkey_expect_configured();
}

/* Build DATA bytes for memory and for the wire. *MEMORY_LEN and *WIRE_LEN become their lengths. */
static void make(const struct xrdma_sig_block_domain *mem,
		 const struct xrdma_sig_block_domain *wire, __u32 *memory_len, __u32 *wire_len)
{
	const struct xrdma_sig to_mem = sig_of(mem, NULL, 0), to_wire = sig_of(NULL, wire, 0);

	sig_receive(&to_mem, DATA, plain, in_memory);
	sig_send(&to_wire, DATA, plain, on_wire);
	*memory_len = xrdma_sig_bytes(&to_mem.mem, DATA);
	*wire_len = xrdma_sig_bytes(&to_wire.wire, DATA);
}

static void expect_mkey(enum xrdma_mkey_err_type type, __u64 offset)
{
	struct xrdma_mkey_err err;

	expect_int(xrdma_mkey_check(mkey.mkey, &err), ==, 0);
	expect_int(err.err_type, ==, type);
	if (type != XRDMA_MKEY_NO_ERR)
		expect_int(err.err.sig.offset, ==, offset);
}

static void expect_both_ways(const struct xrdma_sig_block_domain *mem,
			     const struct xrdma_sig_block_domain *wire)
{
	__u32 memory_len, wire_len;

	configure(mem, wire);
	make(mem, wire, &memory_len, &wire_len);
	mkey_expect_both_ways(in_memory, memory_len, on_wire, wire_len);
	expect_mkey(XRDMA_MKEY_NO_ERR, 0);
}

Test(mkey_sig, of_memory)
{
	expect_both_ways(&crc, NULL);
	expect_both_ways(&dif, NULL);
}

Test(mkey_sig, of_the_wire)
{
	expect_both_ways(NULL, &crc);
	expect_both_ways(NULL, &dif_4k);
}

Test(mkey_sig, of_both)
{
	expect_both_ways(&crc, &dif_4k);
	expect_both_ways(&dif, &dif);
}

static struct xrdma_sge at_a;

/* Post a receive of LEN bytes at the beginning of A's source. */
static void post_receive_of_a(__u32 len)
{
	struct xrdma_recv_wr receive = { .wr_id = 5, .sg_list = &at_a, .num_sge = 1 };

	at_a = (struct xrdma_sge){ (uintptr_t)pair.source, len, xrdma_mr_key(mkey.local) };
	expect_int(xrdma_qp_post_recv(pair.a.qp, &receive, &recv_bad), ==, 0);
}

/* Send in the chain that configures the mkey, as in the example of mlx5dv_wr_mkey_configure(3). */
Test(mkey_sig, sent_in_the_same_chain)
{
	const struct xrdma_sig_block_attr attr = { .sz = sizeof(attr), .wire = &dif };
	const struct xrdma_sge part = mkey_part(0, 1024);
	struct xrdma_sge all = { 0, 2 * 520, mkey.key };
	const struct xrdma_send_wr send = {
		.sg_list = &all,
		.num_sge = 1,
		.opcode = XRDMA_WR_SEND,
		.flags = XRDMA_SEND_SIGNALED,
	};
	const struct xrdma_sig to_wire = sig_of(NULL, &dif, 0);

	post_receive_of_a(2 * 520);
	memcpy(pair.target, plain, 1024);
	sig_send(&to_wire, 1024, plain, on_wire);
	mkey_begin(2);
	xrdma_wr_set_mkey_layout_list(pair.b.qp, 1, &part);
	xrdma_wr_set_mkey_sig_block(pair.b.qp, &attr);
	xrdma_wr_add(pair.b.qp, &send);
	expect_int(xrdma_wr_complete(pair.b.qp), ==, 0);
	pair_poll_recv(2);
	expect_int(recv_wc[1].status, ==, XRDMA_WC_SUCCESS);
	pair_poll(1);
	expect_int(send_wc[0].byte_len, ==, 2 * 520);
	expect(!memcmp(pair.source, on_wire, 2 * 520));
	memset(pair.target, 0, 1024);
}

/* A message has memory of the mkey, from its second block on, and other memory. */
Test(mkey_sig, beside_other_memory)
{
	struct xrdma_sge parts[3] = { mkey_part(20000, 50),
				      { 516, 516 + 100, mkey.key },
				      mkey_part(30000, 70) };
	const struct xrdma_sig to_wire = sig_of(NULL, &crc, 0);

	configure(NULL, &crc);
	sig_send(&to_wire, 612, plain, on_wire);
	memcpy(pair.source, plain + 1000, 50);
	memcpy(pair.source + 50, on_wire, 616);
	memcpy(pair.source + 666, plain + 2000, 70);
	pair_set_send(0, 736);
	recv_wr.sg_list = parts;
	recv_wr.num_sge = 3;
	pair_send_once();
	expect(!memcmp(pair.target + 20000, plain + 1000, 50));
	expect(!memcmp(pair.target + 512, plain, 612));
	expect(!memcmp(pair.target + 30000, plain + 2000, 70));
	memset(pair.target + 20000, 0, 50);
	memset(pair.target + 512, 0, 612);
	memset(pair.target + 30000, 0, 70);
	pair_expect_written(0, 0);
	expect_mkey(XRDMA_MKEY_NO_ERR, 0);
}

/* A message is shorter than its receive. Its bytes are copied. */
Test(mkey_sig, less_than_the_receive_has_room_for)
{
	configure(&crc, NULL);
	memcpy(pair.source, plain, 600);
	pair_set_send(0, 600);
	recv_sge = (struct xrdma_sge){ 0, 5000, mkey.key };
	pair_send_once();
	expect(!memcmp(pair.target, plain, 512) && !memcmp(pair.target + 516, plain + 512, 88));
	memset(pair.target, 0, 604);
	pair_expect_written(0, 0);
}

/* A packet is sent again with its original bytes, whatever the memory contains by then. */
Test(mkey_sig, sent_again)
{
	struct xrdma_sge all = { 0, 1024 + 8, mkey.key };
	const struct xrdma_send_wr request = {
		.sg_list = &all,
		.num_sge = 1,
		.opcode = XRDMA_WR_RDMA_WRITE,
		.flags = XRDMA_SEND_SIGNALED,
		.rkey = xrdma_mr_key(mkey.local),
		.remote_addr = (uintptr_t)pair.source,
	};
	const struct xrdma_sig to_wire = sig_of(NULL, &crc, 0);

	configure(NULL, &crc);
	memcpy(pair.target, plain, 1024);
	sig_send(&to_wire, 1024, plain, on_wire);
	link_cut(&pair.a);
	expect_int(xrdma_qp_post_send(pair.b.qp, &request, &send_bad), ==, 0);
	link_restore(&pair.a);
	memset(pair.target, 0, 1024);
	pair_poll_recv(1);
	expect_int(recv_wc[0].status, ==, XRDMA_WC_SUCCESS);
	expect(!memcmp(pair.source, on_wire, 1024 + 8));
}

/* Two transfers have errors. The first error is kept until it is read (mlx5dv_mkey_check). */
Test(mkey_sig, first_error_is_kept)
{
	const struct xrdma_sig to_wire = sig_of(NULL, &dif, 0);

	configure(NULL, &dif);
	sig_send(&to_wire, 1536, plain, pair.source);
	pair.source[520 + 100] ^= 1;
	pair.source[2 * 520 + 514] ^= 1;
	pair_set_send(0, 3 * 520);
	recv_sge = (struct xrdma_sge){ 0, 3 * 520, mkey.key };
	pair_send_once(); /* no error */
	pair.source[519] ^= 1;
	pair_send_once();
	expect_mkey(XRDMA_MKEY_SIG_BLOCK_BAD_GUARD, 520);
	expect_mkey(XRDMA_MKEY_NO_ERR, 0);
	pair.source[520 + 100] ^= 1;
	pair_send_once();
	expect_mkey(XRDMA_MKEY_SIG_BLOCK_BAD_REFTAG, 0);
	memset(pair.target, 0, 1536);
}

/* A wrong integrity field in memory is found when the data are sent. */
Test(mkey_sig, wrong_in_memory)
{
	const struct xrdma_sig to_mem = sig_of(&dif, NULL, 0);
	struct xrdma_sge all = { 0, 1024, mkey.key };

	configure(&dif, NULL);
	sig_receive(&to_mem, 1024, plain, pair.target);
	pair.target[520 + 515] ^= 1;
	mkey_post(XRDMA_WR_RDMA_WRITE, &all, XRDMA_WC_SUCCESS);
	expect(!memcmp(pair.source, plain, 1024));
	expect_mkey(XRDMA_MKEY_SIG_BLOCK_BAD_APPTAG, 520);
	memset(pair.target, 0, 1040);
}

/* A peer cannot access the mkey in any way. */
Test(mkey_sig, refused_to_a_peer)
{
	configure(NULL, &crc);
	pair_set_write(0, 516);
	send_wr.rkey = mkey.key;
	send_wr.remote_addr = 0;
	pair_expect_failure(XRDMA_WC_REM_OP_ERR);
	expect_int(pair.b.qp->row->resp.error, ==, XRDMA_V_TRANSFORM);
	mkey_allow_b();
	pair_set_read(0, 516);
	send_sge = (struct xrdma_sge){ (uintptr_t)pair.source, 516, xrdma_mr_key(mkey.local) };
	send_wr.rkey = mkey.key;
	send_wr.remote_addr = 0;
	pair_expect_failure(XRDMA_WC_REM_OP_ERR);
}

/* B's own atomics cannot use the mkey either. */
Test(mkey_sig, not_for_atomics)
{
	struct xrdma_sge result = { 0, 8, mkey.key };

	configure(NULL, &crc);
	mkey_post(XRDMA_WR_ATOMIC_FETCH_AND_ADD, &result, XRDMA_WC_LOC_PROT_ERR);
	expect_int(recv_wc[0].vendor_err, ==, XRDMA_V_TRANSFORM);
}

/*
 * Expect that a segment is refused. Segments must consist of whole blocks, but the last may end
 * earlier.
 */
static void expect_bad_part(__u64 at, __u32 len, enum xrdma_verdict why)
{
	struct xrdma_sge part = { at, len, mkey.key };

	mkey_post(XRDMA_WR_RDMA_READ, &part, XRDMA_WC_LOC_PROT_ERR);
	expect_int(recv_wc[0].vendor_err, ==, why);
	mkey_allow_b();
	mkey_post(XRDMA_WR_RDMA_WRITE, &part, XRDMA_WC_LOC_PROT_ERR);
	expect_int(recv_wc[0].vendor_err, ==, why);
	mkey_allow_b();
	pair_expect_written(0, 0);
}

Test(mkey_sig, parts)
{
	configure(&crc, &dif_4k);
	expect_bad_part(512, 100, XRDMA_V_TRANSFORM);	   /* begins within a block */
	expect_bad_part(4104 + 8, 100, XRDMA_V_TRANSFORM); /* begins within a block */
	expect_bad_part(4100, 100, XRDMA_V_TRANSFORM);	   /* begins within a field */
	expect_bad_part(0, 4100, XRDMA_V_TRANSFORM);	   /* ends within a field */
	expect_bad_part(0, 4096, XRDMA_V_TRANSFORM);	   /* ends before a field */
	expect_bad_part(8208, ROOM, XRDMA_V_KEY_RANGE);	   /* exceeds the mkey */
	expect_bad_part(3 * 4104, 1, XRDMA_V_KEY_RANGE);
	configure(&dif_4k, &crc);
	expect_bad_part(516, 100, XRDMA_V_TRANSFORM); /* begins within a block of memory */
}

/* The length of an mkey is the length on the wire of all its memory. */
Test(mkey_sig, length)
{
	configure(&crc, &dif_4k);
	expect_int(side_key(&pair.b, mkey.key)->len, ==, ROOM - ROOM / 516 * 4 + 2 * 8);
	expect_int(side_key(&pair.b, mkey.key)->transform, ==, 1);
	configure(NULL, NULL);
	expect_int(side_key(&pair.b, mkey.key)->len, ==, ROOM);
	expect_int(side_key(&pair.b, mkey.key)->transform, ==, 0);
}

static void expect_signed(bool is)
{
	memcpy(pair.source, plain, 1024);
	pair_set_send(0, 1024);
	recv_sge = (struct xrdma_sge){ 0, 1024, mkey.key };
	pair_send_once();
	expect(!memcmp(pair.target, plain, 512));
	expect_int(!memcmp(pair.target + 512, plain + 512, 512), ==, !is);
	memset(pair.target, 0, 1024 + 8);
}

/* An error remains until it is read or reset. */
Test(mkey_sig, kept_and_reset)
{
	const struct xrdma_sge part = mkey_part(0, 2000);

	configure(&crc, NULL);
	mkey_set_list(&part, 1);
	expect_signed(true);
	mkey.attr.conf_flags = XRDMA_MKEY_CONF_RESET_SIG_ATTR;
	mkey_begin(0);
	mkey_expect_configured();
	expect_signed(false);
	mkey.attr.conf_flags = 0;
	configure(&crc, NULL);
	mkey_invalidate();
	mkey_begin(2);
	xrdma_wr_set_mkey_access_flags(pair.b.qp, XRDMA_ACCESS_LOCAL_WRITE);
	xrdma_wr_set_mkey_layout_list(pair.b.qp, 1, &part);
	mkey_expect_configured();
	expect_signed(false);
}

/* One request can reset the signature and set it: the new one counts. */
Test(mkey_sig, reset_and_set)
{
	mkey.attr.conf_flags = XRDMA_MKEY_CONF_RESET_SIG_ATTR;
	configure(&crc, NULL);
	expect_signed(true);
}
