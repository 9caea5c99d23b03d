// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Bounce buffers for data of an mkey with signatures (user/queue/bounce.h). */
#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "key/key.h"
#include "support/mkey.h"
#include "support/sig.h"
#include "support/test.h"

enum {
	BLOCK = 516, /* a block with its field */
	MORE_THAN_KEYS = 40,
};

static struct xrdma_sge all;
static struct xrdma_send_wr request;
static struct xrdma_recv_wr receive;
static int room;

/* Returns how many blocks can be allocated from the heap of B. */
static int heap_room(void)
{
	static void *blocks[1024];
	int count = 0;

	while (count < 1024 && !xrdma_alloc(pair.b.owner.context, 2048, 64, &blocks[count]))
		count++;
	for (int i = 0; i < count; i++)
		expect_int(xrdma_free(pair.b.owner.context, blocks[i]), ==, 0);
	return count;
}

/* Configure the mkey as 1024 bytes of the target, with CRCs on the wire. */
static void configure(void)
{
	const struct xrdma_sig_block_domain crc = domain_of_crc(&crc32, XRDMA_BLOCK_SIZE_512);
	const struct xrdma_sig_block_attr attr = { .sz = sizeof(attr), .wire = &crc };
	const struct xrdma_sge part = mkey_part(0, 1024);

	mkey_begin(3);
	xrdma_wr_set_mkey_access_flags(pair.b.qp, XRDMA_ACCESS_LOCAL_WRITE);
	xrdma_wr_set_mkey_layout_list(pair.b.qp, 1, &part);
	xrdma_wr_set_mkey_sig_block(pair.b.qp, &attr);
	mkey_expect_configured();
}

static void start(void)
{
	mkey_start();
	mkey_create(XRDMA_MKEY_INIT_BLOCK_SIGNATURE);
	mkey_allow_b();
	configure();
	all = (struct xrdma_sge){ 0, 2 * BLOCK, mkey.key };
	request = (struct xrdma_send_wr){
		.wr_id = 3,
		.sg_list = &all,
		.num_sge = 1,
		.opcode = XRDMA_WR_RDMA_READ,
		.flags = XRDMA_SEND_SIGNALED,
		.rkey = xrdma_mr_key(mkey.local),
		.remote_addr = (uintptr_t)pair.source,
	};
	receive = (struct xrdma_recv_wr){ .wr_id = 7, .sg_list = &all, .num_sge = 1 };
	room = heap_room();
}

TestSuite(mkey_bounce, .once = pair_open, .end = pair_close, .init = start, .fini = mkey_stop);

static void expect_all_given_back(void)
{
	expect_int(pair.b.qp->sq.bounces, ==, 0);
	for (int i = 0; i < MORE_THAN_KEYS; i++) {
		mkey_post(XRDMA_WR_RDMA_WRITE, &all, XRDMA_WC_SUCCESS);
		expect_int(pair.b.qp->sq.bounces, ==, 0);
	}
	expect_int(heap_room(), ==, room);
}

Test(mkey_bounce, given_back_when_done)
{
	for (int i = 0; i < MORE_THAN_KEYS; i++)
		mkey_post(XRDMA_WR_RDMA_READ, &all, XRDMA_WC_SUCCESS);
	for (int i = 0; i < MORE_THAN_KEYS; i++) {
		pair_set_send(0, 2 * BLOCK);
		recv_sge = all;
		pair_send_once();
	}
	expect_all_given_back();
	memset(pair.target, 0, 1024);
}

static void post_both(void)
{
	expect_int(xrdma_qp_post_send(pair.b.qp, &request, &send_bad), ==, 0);
	expect_int(xrdma_qp_post_recv(pair.b.qp, &receive, &recv_bad), ==, 0);
}

/*
 * Bounces are released by ERR and by RESET, which pair_connect() passes through, and so are those
 * of requests that are posted in ERR.
 */
Test(mkey_bounce, given_back_when_flushed)
{
	for (int i = 0; i < MORE_THAN_KEYS; i++) {
		link_cut(&pair.a);
		post_both();
		if (i % 2) {
			expect_int(side_modify(&pair.b, XRDMA_QPS_ERR, XRDMA_QP_STATE), ==, 0);
			expect_int(pair.b.qp->sq.bounces, ==, 0);
			post_both();
			pair_poll_recv(4);
			for (int k = 0; k < 4; k++)
				expect_int(recv_wc[k].status, ==, XRDMA_WC_WR_FLUSH_ERR);
		}
		pair_connect(4, 1024);
	}
	expect_all_given_back();
	pair_expect_written(0, 0);
}

Test(mkey_bounce, given_back_with_the_queue_pair)
{
	for (int i = 0; i < MORE_THAN_KEYS; i++) {
		link_cut(&pair.a);
		post_both();
		side_destroy(&pair.b);
		side_create(&pair.b);
		pair_connect(4, 1024);
	}
	expect_all_given_back();
}

Test(mkey_bounce, given_back_with_the_chain)
{
	for (int i = 0; i < MORE_THAN_KEYS; i++) {
		xrdma_wr_start(pair.b.qp);
		xrdma_wr_add(pair.b.qp, &request);
		xrdma_wr_add(pair.b.qp, &request);
		xrdma_wr_abort(pair.b.qp);
		expect_int(pair.b.qp->sq.bounces, ==, 0);
	}
	expect_all_given_back();
}

/*
 * Received data are not copied if writing to their memory is no longer allowed. The queue pair
 * stops.
 */
Test(mkey_bounce, receive_that_is_not_copied)
{
	expect_int(xrdma_qp_post_recv(pair.b.qp, &receive, &recv_bad), ==, 0);
	expect_int(xrdma_qp_post_recv(pair.b.qp, &receive, &recv_bad), ==, 0);
	mkey_invalidate();
	pair_set_send(0, BLOCK);
	pair_expect(XRDMA_WC_SUCCESS);
	pair_poll_recv(2);
	expect_int(recv_wc[0].status, ==, XRDMA_WC_LOC_PROT_ERR);
	expect_int(recv_wc[0].vendor_err, ==, XRDMA_V_KEY_STATE);
	expect_int(recv_wc[0].wr_id, ==, 7);
	expect_int(recv_wc[1].status, ==, XRDMA_WC_WR_FLUSH_ERR);
	pair_expect_states(XRDMA_QPS_RTS, XRDMA_QPS_ERR);
	pair_expect_written(0, 0);
}

/* Nothing is copied if only a part of the memory is allowed. */
Test(mkey_bounce, receive_of_which_a_part_is_not_allowed)
{
	struct xrdma_sge parts[2] = { mkey_part(2000, 100), all };

	receive.sg_list = parts;
	receive.num_sge = 2;
	expect_int(xrdma_qp_post_recv(pair.b.qp, &receive, &recv_bad), ==, 0);
	mkey_invalidate();
	pair_set_send(0, 200);
	pair_expect(XRDMA_WC_SUCCESS);
	pair_poll_recv(1);
	expect_int(recv_wc[0].status, ==, XRDMA_WC_LOC_PROT_ERR);
	pair_expect_written(0, 0);
}

/* A message that ends within a field is refused. */
Test(mkey_bounce, receive_of_a_length_that_cannot_be)
{
	expect_int(xrdma_qp_post_recv(pair.b.qp, &receive, &recv_bad), ==, 0);
	pair_set_send(0, BLOCK - 1);
	pair_expect(XRDMA_WC_SUCCESS);
	pair_poll_recv(1);
	expect_int(recv_wc[0].status, ==, XRDMA_WC_LOC_PROT_ERR);
	expect_int(recv_wc[0].vendor_err, ==, XRDMA_V_TRANSFORM);
	pair_expect_written(0, 0);
}

/* The region is closed while the response is on its way. Later requests are flushed. */
Test(mkey_bounce, read_that_is_not_copied)
{
	link_cut(&pair.a);
	expect_int(xrdma_qp_post_send(pair.b.qp, &request, &send_bad), ==, 0);
	expect_int(xrdma_qp_post_send(pair.b.qp, &request, &send_bad), ==, 0);
	expect_int(xrdma_mr_close(mkey.region), ==, 0);
	mkey.region = NULL;
	link_restore(&pair.a);
	pair_poll_recv(2);
	expect_int(recv_wc[0].status, ==, XRDMA_WC_LOC_PROT_ERR);
	expect_int(recv_wc[0].vendor_err, ==, XRDMA_V_LAYOUT_KEY);
	expect_int(recv_wc[1].status, ==, XRDMA_WC_WR_FLUSH_ERR);
	pair_expect_states(XRDMA_QPS_RTS, XRDMA_QPS_ERR);
	expect_int(pair.b.qp->sq.bounces, ==, 0);
	pair_expect_written(0, 0);
}

/* A READ fails before anything is sent if writing to its memory is not allowed. */
Test(mkey_bounce, read_that_may_not_begin)
{
	const __u32 psn = pair.a.qp->row->resp.psn;

	mkey_set_access(0);
	mkey_post(XRDMA_WR_RDMA_READ, &all, XRDMA_WC_LOC_PROT_ERR);
	expect_int(recv_wc[0].vendor_err, ==, XRDMA_V_KEY_RIGHTS);
	expect_int(pair.a.qp->row->resp.psn, ==, psn);
}

/* Use up the keys, or the heap. Then nothing can be posted. */
static void expect_no_room(const char *text)
{
	expect_error(xrdma_qp_post_send(pair.b.qp, &request, &send_bad), ENOMEM, text);
	expect(send_bad == &request);
	expect_error(xrdma_qp_post_recv(pair.b.qp, &receive, &recv_bad), ENOMEM, text);
	expect(recv_bad == &receive);
	expect_int(pair.b.qp->sq.bounces, ==, 0);
}

Test(mkey_bounce, no_room)
{
	struct xrdma_mr *more[16];
	int count = 0;

	while (count < 16 && xrdma_mr_reg(pair.b.owner.pd, pair.target, 1, 0, &more[count]) == 0)
		count++;
	expect_no_room("all 16 keys");
	while (count)
		expect_int(xrdma_mr_close(more[--count]), ==, 0);
	all.length = 4 << 20;
	expect_no_room("in the heap");
	all.length = 2 * BLOCK;
	expect_all_given_back();
}

/* Inline data have no key. What the segment says is ignored (ibv_post_send(3)). */
Test(mkey_bounce, inline_is_not)
{
	__u8 bytes[16] = "inline";
	struct xrdma_sge plain = { (uintptr_t)bytes, sizeof(bytes), mkey.key };

	request.opcode = XRDMA_WR_RDMA_WRITE;
	request.flags |= XRDMA_SEND_INLINE;
	request.sg_list = &plain;
	expect_int(xrdma_qp_post_send(pair.b.qp, &request, &send_bad), ==, 0);
	expect_int(pair.b.qp->sq.bounces, ==, 0);
	pair_poll_recv(1);
	expect_int(recv_wc[0].status, ==, XRDMA_WC_SUCCESS);
	expect(!memcmp(pair.source, bytes, sizeof(bytes)));
}

/*
 * A request for no bytes of the mkey needs no bounce buffer, and neither does an mkey without
 * signatures.
 */
Test(mkey_bounce, no_bounce_buffer)
{
	link_cut(&pair.a);
	all.length = 0;
	expect_int(xrdma_qp_post_send(pair.b.qp, &request, &send_bad), ==, 0);
	expect_int(pair.b.qp->sq.bounces, ==, 0);
	all = mkey_part(0, 100);
	expect_int(xrdma_qp_post_send(pair.b.qp, &request, &send_bad), ==, 0);
	expect_int(pair.b.qp->sq.bounces, ==, 0);
	pair_connect(4, 1024);
	mkey_create(0);
	all = (struct xrdma_sge){ 0, 100, mkey.key };
	mkey_set_parts(1, 100, 0, XRDMA_ACCESS_LOCAL_WRITE);
	link_cut(&pair.a);
	expect_int(xrdma_qp_post_send(pair.b.qp, &request, &send_bad), ==, 0);
	expect_int(pair.b.qp->sq.bounces, ==, 0);
}

/* A peer cannot use the key of the bounce buffer. */
Test(mkey_bounce, key_is_not_for_peers)
{
	const struct xrdma_mkey_row *row;

	link_cut(&pair.a);
	expect_int(xrdma_qp_post_send(pair.b.qp, &request, &send_bad), ==, 0);
	row = side_key(&pair.b,
		       pair.b.qp->sq.wqes[pair.b.qp->sq.done & pair.b.qp->sq.ring.mask].sges->lkey);
	expect_int(row->rights, ==, XRDMA_ACCESS_LOCAL);
	expect_int(row->qpn, ==, xrdma_qp_number(pair.b.qp));
	expect_int(row->len, ==, 2 * BLOCK);
}

/* The setter and the check work only for mkeys that were created for them. */
Test(mkey_bounce, created_without)
{
	const struct xrdma_sig_block_domain crc = domain_of_crc(&crc32, XRDMA_BLOCK_SIZE_512);
	struct xrdma_sig_block_attr attr = { .sz = sizeof(attr), .wire = &crc };
	struct xrdma_mkey_err err;

	mkey_create(0);
	mkey_begin(1);
	xrdma_wr_set_mkey_sig_block(pair.b.qp, &attr);
	expect_error(xrdma_wr_complete(pair.b.qp), EINVAL, "XRDMA_MKEY_INIT_BLOCK_SIGNATURE");
	expect_error(xrdma_mkey_check(mkey.mkey, &err), EINVAL, "XRDMA_MKEY_INIT_BLOCK_SIGNATURE");
	mkey_create(XRDMA_MKEY_INIT_BLOCK_SIGNATURE);
	mkey_begin(2);
	xrdma_wr_set_mkey_sig_block(pair.b.qp, &attr);
	xrdma_wr_set_mkey_sig_block(pair.b.qp, &attr);
	expect_error(xrdma_wr_complete(pair.b.qp), EINVAL, "twice");
	attr.flags = 4;
	mkey_begin(1);
	xrdma_wr_set_mkey_sig_block(pair.b.qp, &attr);
	expect_error(xrdma_wr_complete(pair.b.qp), EINVAL, "flags 0x4");
	attr.flags = 0;
	attr.sz = 4;
	mkey_begin(1);
	xrdma_wr_set_mkey_sig_block(pair.b.qp, &attr);
	expect_error(xrdma_wr_complete(pair.b.qp), EINVAL, "xrdma_sig_block_attr");
}
