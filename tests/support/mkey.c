// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "mkey.h"

#include <stdint.h>
#include <string.h>

#include "test.h"

struct mkey mkey;

void mkey_create(__u32 more_flags)
{
	const struct xrdma_mkey_init_attr init = {
		.sz = sizeof(init),
		.create_flags = XRDMA_MKEY_INIT_INDIRECT | more_flags,
		.max_entries = MKEY_ENTRIES,
	};

	if (mkey.mkey)
		expect_int(xrdma_mkey_destroy(mkey.mkey), ==, 0);
	expect_msg(xrdma_mkey_create(pair.b.owner.pd, &init, &mkey.mkey) == 0, "%s", xrdma_error());
	mkey.key = xrdma_mkey_key(mkey.mkey);
}

void mkey_start(void)
{
	pair_start();
	expect_int(xrdma_mr_reg(pair.a.owner.pd, pair.source, PAIR_BYTES,
				XRDMA_ACCESS_LOCAL_WRITE | MKEY_REMOTE, &mkey.local),
		   ==, 0);
	expect_int(xrdma_mr_reg(pair.b.owner.pd, pair.target, PAIR_BYTES, XRDMA_ACCESS_LOCAL_WRITE,
				&mkey.region),
		   ==, 0);
	mkey.mkey = NULL;
	mkey_create(0);
	mkey.attr = (struct xrdma_mkey_conf_attr){
		.sz = sizeof(mkey.attr),
		.wr_id = 9,
		.send_flags = XRDMA_SEND_SIGNALED | XRDMA_SEND_INLINE,
	};
	pair.b.attr.access = MKEY_REMOTE;
	pair_connect(4, 1024);
}

void mkey_stop(void)
{
	if (mkey.mkey)
		expect_int(xrdma_mkey_destroy(mkey.mkey), ==, 0);
	if (mkey.region)
		expect_int(xrdma_mr_close(mkey.region), ==, 0);
	expect_int(xrdma_mr_close(mkey.local), ==, 0);
	pair_stop();
}

struct xrdma_sge mkey_part(__u32 offset, __u32 len)
{
	return (struct xrdma_sge){ (uintptr_t)pair.target + offset, len,
				   xrdma_mr_key(mkey.region) };
}

struct xrdma_mr_interleaved mkey_block(__u32 offset, __u32 count, __u32 skip)
{
	return (struct xrdma_mr_interleaved){ (uintptr_t)pair.target + offset, count, skip,
					      xrdma_mr_key(mkey.region) };
}

void mkey_begin(__u8 setters)
{
	xrdma_wr_start(pair.b.qp);
	xrdma_wr_mkey_configure(pair.b.qp, mkey.mkey, setters, &mkey.attr);
}

void mkey_expect_configured(void)
{
	expect_msg(xrdma_wr_complete(pair.b.qp) == 0, "%s", xrdma_error());
	pair_poll_recv(1);
	expect_msg(recv_wc[0].status == XRDMA_WC_SUCCESS, "%s",
		   xrdma_wc_status_str(recv_wc[0].status));
	expect_int(recv_wc[0].opcode, ==, XRDMA_WC_DRIVER1);
	expect_int(recv_wc[0].wr_id, ==, 9);
	expect_int(side_key(&pair.b, mkey.key)->state, ==, XRDMA_MKEY_STATE_VALID);
	expect_int(side_key(&pair.b, mkey.key)->key, ==, mkey.key);
}

void mkey_set_access(__u32 access)
{
	mkey_begin(1);
	xrdma_wr_set_mkey_access_flags(pair.b.qp, access);
	mkey_expect_configured();
}

void mkey_set_list(const struct xrdma_sge *sges, __u16 count)
{
	mkey_begin(1);
	xrdma_wr_set_mkey_layout_list(pair.b.qp, count, sges);
	mkey_expect_configured();
}

void mkey_set_parts(__u16 count, __u32 len, __u32 skip, __u32 access)
{
	struct xrdma_sge parts[MKEY_ENTRIES];

	for (__u32 i = 0; i < count; i++)
		parts[i] = mkey_part(i * (len + skip), len);
	mkey_begin(2);
	xrdma_wr_set_mkey_layout_list(pair.b.qp, count, parts);
	xrdma_wr_set_mkey_access_flags(pair.b.qp, access);
	mkey_expect_configured();
}

static void set_write(__u32 offset, __u32 len)
{
	pair_set_write(0, len);
	send_wr.rkey = mkey.key;
	send_wr.remote_addr = offset;
}

void mkey_write(__u32 offset, __u32 len)
{
	set_write(offset, len);
	pair_expect(XRDMA_WC_SUCCESS);
}

void mkey_expect_refused(__u32 offset, __u32 len)
{
	set_write(offset, len);
	pair_expect_failure(XRDMA_WC_REM_ACCESS_ERR);
	pair_connect(4, 1024);
}

void mkey_expect_part(__u32 offset, __u32 len, __u32 from)
{
	expect_msg(!memcmp(pair.target + offset, pair.source + from, len), "%u bytes at %u differ",
		   len, offset);
	memset(pair.target + offset, 0, len);
}

void mkey_allow_b(void)
{
	pair.a.attr.access = MKEY_REMOTE;
	pair.a.attr.max_dest_rd_atomic = 2;
	pair_connect(4, 1024);
}

void mkey_post(enum xrdma_wr_opcode opcode, struct xrdma_sge *memory, enum xrdma_wc_status status)
{
	const struct xrdma_send_wr request = {
		.wr_id = 3,
		.sg_list = memory,
		.num_sge = 1,
		.opcode = opcode,
		.flags = XRDMA_SEND_SIGNALED,
		.rkey = xrdma_mr_key(mkey.local),
		.remote_addr = (uintptr_t)pair.source,
	};

	expect_msg(xrdma_qp_post_send(pair.b.qp, &request, &send_bad) == 0, "%s", xrdma_error());
	pair_poll_recv(1);
	expect_msg(recv_wc[0].status == status, "%s", xrdma_wc_status_str(recv_wc[0].status));
}

/* Expect LEN bytes of MEMORY at the beginning of the target, and 0 after them. Clear the target. */
static void expect_in_memory(const __u8 *memory, __u32 len)
{
	expect(!memcmp(pair.target, memory, len));
	memset(pair.target, 0, len);
	memcpy(pair.source, pair.target, PAIR_BYTES);
	pair_expect_written(0, 0);
}

void mkey_expect_both_ways(const __u8 *memory, __u32 memory_len, const __u8 *wire, __u32 wire_len)
{
	struct xrdma_sge all = { 0, wire_len, mkey.key };

	memcpy(pair.source, wire, wire_len);
	pair_set_send(0, wire_len);
	recv_sge = all;
	pair_send_once();
	expect_in_memory(memory, memory_len);
	memcpy(pair.source, wire, wire_len);
	mkey_post(XRDMA_WR_RDMA_READ, &all, XRDMA_WC_SUCCESS);
	expect_in_memory(memory, memory_len);
	memcpy(pair.target, memory, memory_len);
	mkey_post(XRDMA_WR_RDMA_WRITE, &all, XRDMA_WC_SUCCESS);
	expect(!memcmp(pair.source, wire, wire_len));
	expect_int(pair.source[wire_len], ==, 0);
	memset(pair.target, 0, memory_len);
}

void mkey_invalidate(void)
{
	const struct xrdma_send_wr request = {
		.opcode = XRDMA_WR_LOCAL_INV,
		.flags = XRDMA_SEND_SIGNALED,
		.invalidate_key = mkey.key,
	};

	expect_msg(xrdma_qp_post_send(pair.b.qp, &request, &send_bad) == 0, "%s", xrdma_error());
	pair_poll_recv(1);
	expect_msg(recv_wc[0].status == XRDMA_WC_SUCCESS, "%s",
		   xrdma_wc_status_str(recv_wc[0].status));
	expect_int(side_key(&pair.b, mkey.key)->state, ==, XRDMA_MKEY_STATE_FREE);
}
