// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "window.h"

#include <stdint.h>

#include "test.h"

struct window window;

void window_start(void)
{
	pair_start();
	expect_int(xrdma_mr_reg(pair.a.owner.pd, pair.source, PAIR_BYTES,
				XRDMA_ACCESS_LOCAL_WRITE | XRDMA_ACCESS_REMOTE_READ, &window.local),
		   ==, 0);
	window.mw = NULL;
	window.region = NULL;
	window_set_region(XRDMA_ACCESS_LOCAL_WRITE | XRDMA_ACCESS_MW_BIND);
}

void window_stop(void)
{
	window_dealloc();
	expect_int(xrdma_mr_close(window.region), ==, 0);
	expect_int(xrdma_mr_close(window.local), ==, 0);
	pair_stop();
}

void window_set_region(unsigned int access)
{
	window_dealloc();
	if (window.region)
		expect_int(xrdma_mr_close(window.region), ==, 0);
	expect_int(xrdma_mr_reg(pair.b.owner.pd, pair.target, PAIR_BYTES, access, &window.region),
		   ==, 0);
}

void window_alloc(enum xrdma_mw_type type)
{
	window_dealloc();
	expect_int(xrdma_mw_alloc(pair.b.owner.pd, type, &window.mw), ==, 0);
	window.type = type;
	window.key = xrdma_mw_key(window.mw);
	window_bind_of(64, 256, XRDMA_ACCESS_REMOTE_WRITE);
}

void window_dealloc(void)
{
	if (window.mw)
		expect_int(xrdma_mw_dealloc(window.mw), ==, 0);
	window.mw = NULL;
}

void window_bind_of(__u32 offset, __u64 length, unsigned int access)
{
	window.bind = (struct xrdma_mw_bind){
		.wr_id = 9,
		.flags = XRDMA_SEND_SIGNALED,
		.info = {
			.mr = window.region,
			.addr = (uintptr_t)pair.target + offset,
			.length = length,
			.access = access,
		},
	};
}

struct xrdma_send_wr window_bind_request(void)
{
	return (struct xrdma_send_wr){
		.wr_id = window.bind.wr_id,
		.opcode = XRDMA_WR_BIND_MW,
		.flags = window.bind.flags,
		.rkey = xrdma_inc_rkey(window.key),
		.mw = window.mw,
		.bind_info = window.bind.info,
	};
}

int window_post(void)
{
	struct xrdma_send_wr request = window_bind_request();
	int err;

	if (window.type == XRDMA_MW_TYPE_1) {
		err = xrdma_mw_bind(pair.b.qp, window.mw, &window.bind);
		window.key = xrdma_mw_key(window.mw);
		return err;
	}
	err = xrdma_qp_post_send(pair.b.qp, &request, &send_bad);
	if (!err)
		window.key = request.rkey;
	return err;
}

void window_expect_executed(void)
{
	__u32 before = window.key;

	expect_msg(window_post() == 0, "%s", xrdma_error());
	expect_int(window.key, !=, before);
	pair_poll_recv(1);
	expect_msg(recv_wc[0].status == XRDMA_WC_SUCCESS, "%s",
		   xrdma_wc_status_str(recv_wc[0].status));
	expect_int(recv_wc[0].opcode, ==, XRDMA_WC_BIND_MW);
	expect_int(recv_wc[0].wr_id, ==, 9);
}

void window_expect_bound(__u32 offset, __u64 length, unsigned int access)
{
	window_bind_of(offset, length, access);
	window_expect_executed();
	expect_int(side_key(&pair.b, window.key)->key, ==, window.key);
	expect_int(side_key(&pair.b, window.key)->state, ==, XRDMA_MKEY_STATE_VALID);
	expect_int(side_key(&pair.b, window.key)->parent, ==, xrdma_mr_lkey(window.region));
	expect_int(side_key(&pair.b, window.key)->qpn, ==,
		   window.type == XRDMA_MW_TYPE_1 ? 0 : pair.b.qp->qpn);
}

void window_expect_bind_fails(enum xrdma_verdict verdict)
{
	const struct xrdma_mkey_row before = *side_key(&pair.b, window.key);

	expect_msg(window_post() == 0, "%s", xrdma_error());
	pair_poll_recv(1);
	expect_int(recv_wc[0].status, ==, XRDMA_WC_MW_BIND_ERR);
	expect_int(recv_wc[0].vendor_err, ==, verdict);
	expect_int(recv_wc[0].wr_id, ==, 9);
	expect_int(side_key(&pair.b, window.key)->state, ==, before.state);
	expect_int(side_key(&pair.b, window.key)->key, ==, before.key);
	expect_int(side_state(&pair.b), ==, XRDMA_QPS_ERR);
	pair_connect(4, 1024);
}

void window_expect_not_bound(unsigned int access, enum xrdma_verdict verdict)
{
	window_bind_of(64, 256, access);
	window_expect_bind_fails(verdict);
}

void window_invalidate(__u32 key)
{
	const struct xrdma_send_wr request = {
		.wr_id = 10,
		.opcode = XRDMA_WR_LOCAL_INV,
		.flags = XRDMA_SEND_SIGNALED,
		.invalidate_key = key,
	};

	expect_msg(xrdma_qp_post_send(pair.b.qp, &request, &send_bad) == 0, "%s", xrdma_error());
	pair_poll_recv(1);
	expect_msg(recv_wc[0].status == XRDMA_WC_SUCCESS, "%s",
		   xrdma_wc_status_str(recv_wc[0].status));
	expect_int(recv_wc[0].opcode, ==, XRDMA_WC_LOCAL_INV);
	expect_int(recv_wc[0].wr_id, ==, 10);
	expect_int(side_key(&pair.b, key)->state, ==, XRDMA_MKEY_STATE_FREE);
}

void window_invalidate_by_peer(__u32 key)
{
	pair_set_send(64, 256);
	send_wr.opcode = XRDMA_WR_SEND_WITH_INV;
	send_wr.invalidate_key = key;
	pair_send_once();
	expect_int(recv_wc[0].invalidated_key, ==, key);
	expect_int(side_key(&pair.b, key)->state, ==, XRDMA_MKEY_STATE_FREE);
	pair_expect_written(64, 256);
}

void window_end_key(void)
{
	if (window.type != XRDMA_MW_TYPE_1) {
		window_invalidate(window.key);
		return;
	}
	window_bind_of(0, 0, 0);
	window.bind.info.mr = NULL;
	window_expect_executed();
	expect_int(side_key(&pair.b, window.key)->state, ==, XRDMA_MKEY_STATE_INVALID);
}

void window_write(__u32 offset, __u32 len)
{
	pair_set_write(offset, len);
	send_wr.rkey = window.key;
	pair_expect(XRDMA_WC_SUCCESS);
	pair_expect_written(offset, len);
}

void window_expect_refused(__u32 offset, __u32 len)
{
	pair_set_write(offset, len);
	send_wr.rkey = window.key;
	pair_expect_failure(XRDMA_WC_REM_ACCESS_ERR);
	if (window.mw && window.type == XRDMA_MW_TYPE_2A)
		window_dealloc();
	pair_connect(4, 1024);
}
