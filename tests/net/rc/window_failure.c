// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Refusals concerning memory windows of B (IBA 10.6.7). */
#include <errno.h>
#include <stdint.h>

#include "key/user_keys.h"
#include "support/test.h"
#include "support/window.h"

TestSuite(window_failure, .once = pair_open, .end = pair_close, .init = window_start,
	  .fini = window_stop);

/* A valid key must be invalidated before the window is bound again (IBA 10.6.7.2). */
Test(window_failure, type_2_bound_while_it_is)
{
	window_alloc(XRDMA_MW_TYPE_2B);
	window_expect_bound(64, 256, XRDMA_ACCESS_REMOTE_WRITE);
	window_expect_not_bound(XRDMA_ACCESS_REMOTE_WRITE, XRDMA_V_KEY_STATE);
	window.key = (window.key & 0xffffff00) | ((window.key - 1) & 0xff);
	window_write(64, 256);
}

static void refuse(int expected, const char *text)
{
	expect_error(window_post(), expected, text);
	window_bind_of(64, 256, XRDMA_ACCESS_REMOTE_WRITE);
}

/* Errors that are common to all types are reported by the call. */
static void refuse_of_each(enum xrdma_mw_type type)
{
	window_alloc(type);
	window.bind.info.mr = NULL;
	refuse(EINVAL, "bound to a region");
	window.bind.info.access = XRDMA_ACCESS_LOCAL_WRITE;
	refuse(EINVAL, "0x1 is not for windows");
	window.bind.info.access = XRDMA_ACCESS_REMOTE_INVALIDATE | XRDMA_ACCESS_REMOTE_READ;
	refuse(EINVAL, "0x8000 is not for windows");
	window.bind.flags |= XRDMA_SEND_INLINE;
	refuse(EINVAL, "can be inline");
	window.bind.flags |= 1 << 9;
	refuse(EINVAL, "0x200 is unknown");
	window_expect_executed();
	window_write(64, 256);
	window_end_key();
}

Test(window_failure, refused_at_once)
{
	for (enum xrdma_mw_type type = XRDMA_MW_TYPE_1; type <= XRDMA_MW_TYPE_2B; type++)
		refuse_of_each(type);
}

/*
 * Type 1 allows no zero-based addresses, neither its own nor its region's, and is bound only by a
 * call.
 */
Test(window_failure, type_1_refused_at_once)
{
	struct xrdma_send_wr request;

	window_alloc(XRDMA_MW_TYPE_1);
	window.bind.info.access |= XRDMA_ACCESS_ZERO_BASED;
	refuse(EINVAL, "0x20 is not for windows");
	request = window_bind_request();
	expect_error(xrdma_qp_post_send(pair.b.qp, &request, &send_bad), EINVAL, "xrdma_mw_bind()");
	request.mw = NULL;
	expect_error(xrdma_qp_post_send(pair.b.qp, &request, &send_bad), EINVAL, "no window");
	window_set_region(XRDMA_ACCESS_LOCAL_WRITE | XRDMA_ACCESS_MW_BIND |
			  XRDMA_ACCESS_ZERO_BASED);
	window_alloc(XRDMA_MW_TYPE_1);
	refuse(EINVAL, "zero-based");
}

/*
 * Type 2 needs at least one byte, the upper 24 bits of its key, and no data. It is bound only by a
 * request.
 */
Test(window_failure, type_2_refused_at_once)
{
	struct xrdma_send_wr request;

	window_alloc(XRDMA_MW_TYPE_2A);
	window.bind.info.length = 0;
	refuse(EINVAL, "at least 1 byte");
	expect_error(xrdma_mw_bind(pair.b.qp, window.mw, &window.bind), EINVAL, "XRDMA_WR_BIND_MW");
	request = window_bind_request();
	request.rkey ^= 0x100;
	expect_error(xrdma_qp_post_send(pair.b.qp, &request, &send_bad), EINVAL, "upper 24 bits");
	request = window_bind_request();
	request.num_sge = 1;
	request.sg_list = &send_sge;
	expect_error(xrdma_qp_post_send(pair.b.qp, &request, &send_bad), EINVAL, "carries no data");
	expect_error(xrdma_mw_alloc(pair.b.owner.pd, 0, &window.mw), EINVAL, "type 0: a window is");
	expect_error(xrdma_mw_alloc(pair.b.owner.pd, 4, &window.mw), EINVAL, "type 4: a window is");
}

/* Expect that B's request to invalidate KEY fails and changes nothing. */
static void expect_not_invalidated(__u32 key)
{
	const struct xrdma_send_wr request = {
		.wr_id = 10,
		.opcode = XRDMA_WR_LOCAL_INV,
		.invalidate_key = key,
	};
	__u8 before = side_key(&pair.b, key)->state;

	expect_int(xrdma_qp_post_send(pair.b.qp, &request, &send_bad), ==, 0);
	pair_poll_recv(1);
	expect_int(recv_wc[0].status, ==, XRDMA_WC_MW_BIND_ERR);
	expect_int(recv_wc[0].vendor_err, ==, XRDMA_V_INVALIDATE);
	expect_int(side_key(&pair.b, key)->state, ==, before);
	pair_connect(4, 1024);
}

/* Expect that a peer's SEND to invalidate KEY is refused and changes nothing. */
static void expect_not_invalidated_by_peer(__u32 key)
{
	__u8 before = side_key(&pair.b, key)->state;

	pair_set_send(64, 256);
	send_wr.opcode = XRDMA_WR_SEND_WITH_INV;
	send_wr.invalidate_key = key;
	expect_int(pair_post_recv(), ==, 0);
	pair_expect(XRDMA_WC_REM_ACCESS_ERR);
	pair_poll_recv(1);
	expect_int(recv_wc[0].status, ==, XRDMA_WC_REM_INV_REQ_ERR);
	expect_int(side_key(&pair.b, key)->state, ==, before);
	pair_expect_written(0, 0);
	pair_connect(4, 1024);
}

/*
 * A window of type 1 cannot be invalidated in any state, and neither can a region or a number that
 * is no key.
 */
Test(window_failure, not_invalidated)
{
	window_alloc(XRDMA_MW_TYPE_1);
	expect_not_invalidated(window.key);
	expect_not_invalidated_by_peer(window.key);
	window_expect_bound(64, 256, XRDMA_ACCESS_REMOTE_WRITE);
	expect_not_invalidated(window.key);
	expect_not_invalidated_by_peer(window.key);
	window_write(64, 256);
	expect_not_invalidated(xrdma_mr_key(window.region));
	expect_not_invalidated_by_peer(xrdma_mr_key(window.region));
	window_alloc(XRDMA_MW_TYPE_2B);
	expect_not_invalidated(window.key + 1);
	expect_not_invalidated_by_peer(window.key + 1);
	window_dealloc();
	expect_not_invalidated(window.key);
	expect_not_invalidated_by_peer(window.key);
}

/* Neither side can invalidate the key of another queue pair's window. */
Test(window_failure, of_another_queue_pair)
{
	const __u32 other = 1U << 23;
	struct xrdma_mkey_row *row;

	window_alloc(XRDMA_MW_TYPE_2B);
	window_expect_bound(64, 256, XRDMA_ACCESS_REMOTE_WRITE);
	row = side_key(&pair.b, window.key);
	row->qpn ^= other; /* not 0, which would mean any queue pair */
	expect_not_invalidated(window.key);
	expect_not_invalidated_by_peer(window.key);
	window_expect_refused(64, 256);
	row->qpn ^= other;
	window_write(64, 256);
}

/* A user key of a region cannot be invalidated either. */
Test(window_failure, requested_key)
{
	struct xrdma_context *context = pair.b.owner.context;

	window_alloc(XRDMA_MW_TYPE_2B);
	expect_int(xrdma_user_keys_add(&context->keys->user_keys, 1, xrdma_inc_rkey(window.key)),
		   ==, 0);
	window_expect_bind_fails(XRDMA_V_KEY);
	xrdma_user_keys_remove(&context->keys->user_keys, 1, xrdma_inc_rkey(window.key));
	window_expect_bound(64, 256, XRDMA_ACCESS_REMOTE_WRITE);
}
