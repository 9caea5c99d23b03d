// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "support/region.h"

#include <stdint.h>
#include <string.h>
#include <xrdma/mkey.h>

#include "support/buffers.h"
#include "support/test.h"

struct region region;

static struct xrdma_pd *verbs_pd; /* the domain of B's owner, which is replaced */

void region_open(__u32 mr_mode)
{
	region_open_with(mr_mode, NULL);
}

void region_open_with(__u32 mr_mode, const char *auth_key)
{
	struct xrdma_pd_attr attr = {
		.sz = sizeof(attr),
		.mr_mode = mr_mode,
		.auth_key = (const __u8 *)auth_key,
		.auth_key_size = auth_key ? strlen(auth_key) : 0,
	};

	pair_open_with(2 * REGION_BUFFERS);
	verbs_pd = pair.b.owner.pd;
	expect_int(xrdma_pd_open(pair.b.owner.context, &attr, &pair.b.owner.pd), ==, 0);
	expect_int(attr.mr_mode, ==, mr_mode);
}

void region_close(void)
{
	expect_int(xrdma_pd_dealloc(pair.b.owner.pd), ==, 0);
	pair.b.owner.pd = verbs_pd;
	pair_close();
}

void region_start(void)
{
	pair_start();
	pair.b.attr.access =
		XRDMA_ACCESS_REMOTE_READ | XRDMA_ACCESS_REMOTE_WRITE | XRDMA_ACCESS_REMOTE_ATOMIC;
	pair_connect(4, 1024);
	region = (struct region){ .key = REGION_KEY, .own_base = (uintptr_t)pair.target };
	expect_int(xrdma_mr_reg(pair.a.owner.pd, pair.source, PAIR_BYTES, XRDMA_ACCESS_LOCAL_WRITE,
				&region.local),
		   ==, 0);
	pair.lkey = xrdma_mr_lkey(region.local);
}

void region_end(void)
{
	if (region.mr)
		expect_int(xrdma_mr_close(region.mr), ==, 0);
	region.mr = NULL;
}

void region_stop(void)
{
	region_end();
	expect_int(xrdma_mr_close(region.local), ==, 0);
	pair_stop();
}

void region_regv(const struct iovec *iov, size_t count, __u64 access)
{
	region_end();
	expect_msg(register_buffers(pair.b.owner.pd, iov, count, access, REGION_KEY, region.flags,
				    &region.mr) == 0,
		   "%s", xrdma_error());
}

void region_reg(__u64 access)
{
	const struct iovec all = { pair.target, PAIR_BYTES };

	region_regv(&all, 1, access);
}

void region_set_write(__u32 offset, __u32 len)
{
	pair_set_write(offset, len);
	send_wr.rkey = region.key;
	send_wr.remote_addr = region.base + offset;
}

void region_write(__u32 offset, __u32 len)
{
	region_set_write(offset, len);
	pair_expect(XRDMA_WC_SUCCESS);
}

/* Let A READ from B's region. */
static void read_one(__u32 offset, __u32 len)
{
	memcpy(pair.target + offset, pair.source + offset, len);
	memset(pair.source + offset, 0, len);
	region_set_write(offset, len);
	send_wr.opcode = XRDMA_WR_RDMA_READ;
	pair_expect(XRDMA_WC_SUCCESS);
}

static void send_one(__u32 offset, __u32 len)
{
	pair_set_send(offset, len);
	recv_sge.lkey = xrdma_mr_lkey(region.mr);
	recv_sge.addr = region.own_base + offset;
	pair_send_once();
}

void region_add(__u32 offset, enum xrdma_wc_status status)
{
	pair_connect(4, 1024);
	region_set_write(0, 8);
	send_wr.opcode = XRDMA_WR_ATOMIC_FETCH_AND_ADD;
	send_wr.compare_add = 1;
	send_wr.remote_addr = region.base + offset;
	pair_expect(status);
}

void region_every_operation(void)
{
	pair_every_size(region_write);
	pair_every_size(send_one);
	pair_every_size(read_one);
	memset(pair.target, 0, 16);
	region_add(8, XRDMA_WC_SUCCESS);
	expect_int(pair.target[8], ==, 1);
	pair.target[8] = 0;
}

void region_expect_sent(__u32 lkey, enum xrdma_wc_status status)
{
	const struct xrdma_sge from = { region.own_base, 64, lkey };
	const struct xrdma_send_wr send = {
		.sg_list = &from,
		.num_sge = 1,
		.opcode = XRDMA_WR_SEND,
		.flags = XRDMA_SEND_SIGNALED,
	};
	const struct xrdma_sge into = { (uintptr_t)pair.source, 64, pair.lkey };
	const struct xrdma_recv_wr receive = { .sg_list = &into, .num_sge = 1 };

	pair_connect(4, 1024);
	expect_int(xrdma_qp_post_recv(pair.a.qp, &receive, &recv_bad), ==, 0);
	expect_int(xrdma_qp_post_send(pair.b.qp, &send, &send_bad), ==, 0);
	pair_poll_recv(1);
	expect_int(recv_wc[0].status, ==, status);
}

void region_expect_received(__u32 lkey, enum xrdma_wc_status status)
{
	pair_connect(4, 1024);
	pair_set_send(0, 64);
	recv_sge = (struct xrdma_sge){ region.own_base, 64, lkey };
	expect_int(pair_post_recv(), ==, 0);
	expect_int(pair_post(), ==, 0);
	pair_poll(1);
	pair_poll_recv(1);
	expect_int(recv_wc[0].status, ==, status);
}

void region_expect_refused(enum xrdma_wr_opcode opcode, __u64 key, __u64 addr, __u32 len)
{
	pair_connect(4, 1024);
	region_set_write(0, len);
	send_wr.opcode = opcode;
	send_wr.rkey = key;
	send_wr.remote_addr = addr;
	pair_expect_failure(XRDMA_WC_REM_ACCESS_ERR);
}

void region_cut(struct iovec *iov)
{
	__u32 at = 0;

	for (__u32 i = 0; i < REGION_BUFFERS; i++) {
		const __u32 len = i < REGION_BUFFERS - 1 ? 1 + i * 211 : PAIR_BYTES - at;

		iov[i] = (struct iovec){ pair.target + at, len };
		at += len;
	}
}

void region_use_signatures(void)
{
	const struct xrdma_mkey_init_attr init = {
		.sz = sizeof(init),
		.create_flags = XRDMA_MKEY_INIT_INDIRECT | XRDMA_MKEY_INIT_BLOCK_SIGNATURE,
		.max_entries = 1,
	};
	struct xrdma_mkey *mkey;

	expect_int(xrdma_mkey_create(pair.b.owner.pd, &init, &mkey), ==, 0);
	expect_int(xrdma_mkey_destroy(mkey), ==, 0);
}
