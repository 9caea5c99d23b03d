// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Building requests that configure mkeys, and requests that are not posted (mkey.h). */
#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <xrdma/mw.h>

#include "support/mkey.h"
#include "support/test.h"

TestSuite(mkey_builder, .once = pair_open, .end = pair_close, .init = mkey_start,
	  .fini = mkey_stop);

static struct xrdma_sge parts[XRDMA_LAYOUT_ENTRIES_MAX];
static struct xrdma_mr_interleaved blocks[XRDMA_LAYOUT_ENTRIES_MAX];

static void set_entries(void)
{
	for (__u32 i = 0; i < XRDMA_LAYOUT_ENTRIES_MAX; i++) {
		parts[i] = mkey_part(100 * i, 50);
		blocks[i] = mkey_block(100 * i, 10, 5);
	}
}

/* Expect that the chain was not posted: a configuration without setters works afterwards. */
static void expect_not_posted(int error, const char *text)
{
	const struct xrdma_mkey_row before = *side_key(&pair.b, mkey.key);

	expect_error(xrdma_wr_complete(pair.b.qp), error, text);
	expect_int(xrdma_cq_poll(pair.b.cq, 1, recv_wc), ==, 0);
	expect(!memcmp(side_key(&pair.b, mkey.key), &before, sizeof(before)));
	mkey.attr.send_flags = XRDMA_SEND_SIGNALED | XRDMA_SEND_INLINE;
	mkey.attr.conf_flags = mkey.attr.comp_mask = 0;
	mkey_begin(0);
	mkey_expect_configured();
	mkey_invalidate();
}

Test(mkey_builder, as_many_setters_as_were_said)
{
	set_entries();
	mkey_begin(2);
	xrdma_wr_set_mkey_access_flags(pair.b.qp, MKEY_REMOTE);
	expect_not_posted(EINVAL, "1 setters of the request are missing");
	mkey_begin(1);
	xrdma_wr_set_mkey_access_flags(pair.b.qp, MKEY_REMOTE);
	xrdma_wr_set_mkey_layout_list(pair.b.qp, 1, parts);
	expect_not_posted(EINVAL, "more setters");
	mkey_begin(0);
	xrdma_wr_set_mkey_access_flags(pair.b.qp, MKEY_REMOTE);
	expect_not_posted(EINVAL, "more setters");
	xrdma_wr_start(pair.b.qp);
	xrdma_wr_set_mkey_access_flags(pair.b.qp, MKEY_REMOTE);
	expect_not_posted(EINVAL, "more setters");
	mkey_begin(1);
	xrdma_wr_mkey_configure(pair.b.qp, mkey.mkey, 0, &mkey.attr);
	expect_not_posted(EINVAL, "1 setters of the request are missing");
	mkey_begin(1);
	xrdma_wr_add(pair.b.qp, &send_wr); /* too late: the chain has an error already */
	xrdma_wr_set_mkey_access_flags(pair.b.qp, MKEY_REMOTE);
	expect_not_posted(EINVAL, "1 setters of the request are missing");
}

Test(mkey_builder, each_setter_once)
{
	set_entries();
	mkey_begin(2);
	xrdma_wr_set_mkey_access_flags(pair.b.qp, MKEY_REMOTE);
	xrdma_wr_set_mkey_access_flags(pair.b.qp, MKEY_REMOTE);
	expect_not_posted(EINVAL, "twice");
	mkey_begin(2);
	xrdma_wr_set_mkey_layout_list(pair.b.qp, 1, parts);
	xrdma_wr_set_mkey_layout_list(pair.b.qp, 1, parts);
	expect_not_posted(EINVAL, "twice");
}

Test(mkey_builder, one_layout)
{
	set_entries();
	mkey_begin(2);
	xrdma_wr_set_mkey_layout_list(pair.b.qp, 1, parts);
	xrdma_wr_set_mkey_layout_interleaved(pair.b.qp, 1, 1, blocks);
	expect_not_posted(EINVAL, "twice");
}

Test(mkey_builder, flags_and_masks)
{
	mkey.attr.send_flags = XRDMA_SEND_SIGNALED;
	mkey_begin(0);
	expect_not_posted(EINVAL, "XRDMA_SEND_INLINE");
	mkey.attr.send_flags |= 1 << 9;
	mkey_begin(0);
	expect_not_posted(EINVAL, "0x200 is unknown");
	mkey.attr.conf_flags = 2;
	mkey_begin(0);
	expect_not_posted(EINVAL, "0x2 is unknown");
	mkey.attr.comp_mask = 1;
	mkey_begin(0);
	expect_not_posted(EINVAL, "comp_mask");
	mkey_begin(1);
	xrdma_wr_set_mkey_access_flags(pair.b.qp, XRDMA_ACCESS_MW_BIND | MKEY_REMOTE);
	expect_not_posted(EINVAL, "0x10 is not for mkeys");
	xrdma_wr_start(pair.b.qp);
	xrdma_wr_mkey_configure(pair.b.qp, mkey.mkey, 0, NULL);
	expect_not_posted(EINVAL, "XRDMA_SEND_INLINE");
}

/* Requests of the builder cannot be posted in any other way, whatever else they contain. */
Test(mkey_builder, only_by_the_builder)
{
	const struct xrdma_send_wr request = {
		.opcode = XRDMA_WR_DRIVER1,
		.flags = XRDMA_SEND_INLINE,
		.rkey = mkey.key,
	};

	expect_error(xrdma_qp_post_send(pair.b.qp, &request, &send_bad), EOPNOTSUPP,
		     "xrdma_wr_mkey_configure");
	xrdma_wr_start(pair.b.qp);
	xrdma_wr_add(pair.b.qp, &request);
	expect_not_posted(EOPNOTSUPP, "xrdma_wr_mkey_configure");
}

static void begin_list(__u16 count)
{
	mkey_begin(1);
	xrdma_wr_set_mkey_layout_list(pair.b.qp, count, parts);
}

static void begin_interleaved(__u32 repeat, __u16 count)
{
	mkey_begin(1);
	xrdma_wr_set_mkey_layout_interleaved(pair.b.qp, repeat, count, blocks);
}

/* A request has room for 4 entries, or for 3 and a repeat count. */
Test(mkey_builder, default_room)
{
	set_entries();
	begin_list(5);
	expect_not_posted(ENOMEM, "5 entries: at most 4");
	begin_interleaved(2, 4);
	expect_not_posted(ENOMEM, "4 entries: at most 3");
	begin_list(4);
	mkey_expect_configured();
	begin_interleaved(2, 3);
	mkey_expect_configured();
}

/* With a larger max_inline there is more room. Then the mkey's own room is the limit. */
Test(mkey_builder, more_room)
{
	struct side other = pair.b;
	struct xrdma_qp *first = pair.b.qp;

	set_entries();
	other.init.max_inline = 16 * (MKEY_ENTRIES + 1);
	expect_int(xrdma_qp_create(other.owner.pd, &other.init, &other.qp), ==, 0);
	pair.b.attr.dest_qpn = other.attr.dest_qpn = 7;
	side_bring_to(&other, XRDMA_QPS_RTS);
	pair.b.qp = other.qp;
	begin_list(MKEY_ENTRIES + 1);
	expect_not_posted(ENOMEM, "max_entries is 8");
	begin_interleaved(2, MKEY_ENTRIES);
	expect_not_posted(ENOMEM, "at most 7");
	begin_list(MKEY_ENTRIES);
	mkey_expect_configured();
	begin_interleaved(2, MKEY_ENTRIES - 1);
	mkey_expect_configured();
	expect_int(side_key(&pair.b, mkey.key)->len, ==, 2 * 10 * (MKEY_ENTRIES - 1));
	pair.b.qp = first;
	expect_int(xrdma_qp_destroy(other.qp), ==, 0);
}

Test(mkey_builder, queue_pair_without)
{
	struct side other = pair.b;

	other.init.send_ops = 0;
	expect_int(xrdma_qp_create(other.owner.pd, &other.init, &other.qp), ==, 0);
	side_bring_to(&other, XRDMA_QPS_RTS);
	xrdma_wr_start(other.qp);
	xrdma_wr_mkey_configure(other.qp, mkey.mkey, 0, &mkey.attr);
	expect_error(xrdma_wr_complete(other.qp), EOPNOTSUPP, "XRDMA_QP_WITH_MKEY_CONFIGURE");
	expect_int(xrdma_qp_destroy(other.qp), ==, 0);
	other.init.send_ops = 1;
	expect_error(xrdma_qp_create(other.owner.pd, &other.init, &other.qp), EOPNOTSUPP,
		     "0x1 is unknown");
}

Test(mkey_builder, mkey_of_another_domain)
{
	struct xrdma_mkey_init_attr init = {
		.sz = sizeof(init),
		.create_flags = XRDMA_MKEY_INIT_INDIRECT,
		.max_entries = 1,
	};
	struct xrdma_mkey *other;
	struct xrdma_pd *pd;

	expect_int(xrdma_pd_alloc(pair.b.owner.context, &pd), ==, 0);
	expect_int(xrdma_mkey_create(pd, &init, &other), ==, 0);
	xrdma_wr_start(pair.b.qp);
	xrdma_wr_mkey_configure(pair.b.qp, other, 0, &mkey.attr);
	expect_not_posted(EINVAL, "another protection domain");
	expect_int(xrdma_mkey_destroy(other), ==, 0);
	expect_int(xrdma_pd_dealloc(pd), ==, 0);
}

static void expect_bad_list(int error, const char *text)
{
	begin_list(2);
	expect_not_posted(error, text);
	set_entries();
}

static void expect_bad_interleaved(__u32 repeat, __u16 count, int error, const char *text)
{
	begin_interleaved(repeat, count);
	expect_not_posted(error, text);
	set_entries();
}

/* A layout that no access could use is refused at once. */
Test(mkey_builder, bad_layouts)
{
	set_entries();
	begin_list(0);
	expect_not_posted(EINVAL, "a layout needs at least one entry");
	expect_bad_interleaved(2, 0, EINVAL, "a layout needs at least one entry");
	expect_bad_interleaved(0, 1, EINVAL, "a layout needs at least one entry");
	parts[1].length = 0;
	expect_bad_list(EINVAL, "entry 1 has no bytes");
	blocks[0].bytes_count = 0;
	expect_bad_interleaved(2, 1, EINVAL, "entry 0 has no bytes");
	blocks[0].bytes_count = 1;
	blocks[1].bytes_count = 6;
	expect_bad_interleaved(
		2, 2, EINVAL,
		"7 bytes in 2 entries, repeated: the entries must have at least 4 bytes");
	parts[1].lkey = mkey.key;
	expect_bad_list(EINVAL, "is an mkey's");
	blocks[1].lkey = mkey.key;
	expect_bad_interleaved(2, 2, EINVAL, "is an mkey's");
	parts[0].addr = -49ULL;
	expect_bad_list(EINVAL, "beyond 64 bits");
	blocks[0].addr = -(3 * 15 + 9ULL);
	expect_bad_interleaved(4, 1, EINVAL, "beyond 64 bits");
	blocks[0] = (struct xrdma_mr_interleaved){ 0, -1, 0, 0 };
	blocks[1] = blocks[2] = blocks[0];
	expect_bad_interleaved(-1, 3, EINVAL, "less than 2^63");
	parts[0].addr = -50ULL;
	begin_list(1);
	mkey_expect_configured();
	blocks[0].addr = -(3 * 15 + 10ULL);
	begin_interleaved(4, 1);
	mkey_expect_configured();
}

/* Later requests of the same chain can use the new configuration. */
Test(mkey_builder, used_in_the_same_chain)
{
	struct xrdma_sge into = { 0, 100, mkey.key };
	const struct xrdma_send_wr read = {
		.wr_id = 4,
		.sg_list = &into,
		.num_sge = 1,
		.opcode = XRDMA_WR_RDMA_READ,
		.flags = XRDMA_SEND_SIGNALED,
		.rkey = xrdma_mr_key(mkey.local),
		.remote_addr = (uintptr_t)pair.source,
	};

	set_entries();
	pair.a.attr.access = MKEY_REMOTE;
	pair.a.attr.max_dest_rd_atomic = 2;
	pair_connect(4, 1024);
	mkey.attr.send_flags = XRDMA_SEND_INLINE;
	mkey_begin(2);
	xrdma_wr_set_mkey_layout_list(pair.b.qp, 2, parts);
	xrdma_wr_set_mkey_access_flags(pair.b.qp, XRDMA_ACCESS_LOCAL_WRITE);
	xrdma_wr_add(pair.b.qp, &read);
	expect_msg(xrdma_wr_complete(pair.b.qp) == 0, "%s", xrdma_error());
	pair_poll_recv(1);
	expect_int(recv_wc[0].wr_id, ==, 4); /* the other one was not signalled */
	expect_msg(recv_wc[0].status == XRDMA_WC_SUCCESS, "%s",
		   xrdma_wc_status_str(recv_wc[0].status));
	mkey_expect_part(0, 50, 0);
	mkey_expect_part(100, 50, 50);
}

/* The chain is posted as a whole, or not at all. */
Test(mkey_builder, all_or_nothing)
{
	struct xrdma_send_wr send = {
		.wr_id = 5,
		.opcode = XRDMA_WR_RDMA_WRITE,
		.flags = XRDMA_SEND_SIGNALED,
	};
	__u32 first = pair.b.qp->row->sent_psn;

	xrdma_wr_start(pair.b.qp);
	xrdma_wr_add(pair.b.qp, &send);
	xrdma_wr_add(pair.b.qp, &send);
	expect_int(pair.b.qp->row->sent_psn, ==, first);
	send.flags = 1 << 9;
	xrdma_wr_add(pair.b.qp, &send);
	xrdma_wr_add(pair.b.qp, &(struct xrdma_send_wr){ .opcode = 99 });
	expect_not_posted(EINVAL, "0x200 is unknown");
	send.flags = XRDMA_SEND_SIGNALED;
	xrdma_wr_start(pair.b.qp);
	xrdma_wr_add(pair.b.qp, &send);
	xrdma_wr_mkey_configure(pair.b.qp, mkey.mkey, 0, &mkey.attr);
	xrdma_wr_abort(pair.b.qp);
	expect_int(pair.b.qp->row->sent_psn, ==, first);
	expect_int(xrdma_cq_poll(pair.b.cq, 1, recv_wc), ==, 0);
	xrdma_wr_start(pair.b.qp);
	for (int i = 0; i < 5; i++) /* more than the queue has room for */
		xrdma_wr_add(pair.b.qp, &send);
	expect_not_posted(ENOMEM, "poll its completion queue");
	xrdma_wr_start(pair.b.qp);
	for (int i = 0; i < 4; i++)
		xrdma_wr_add(pair.b.qp, &send);
	expect_int(xrdma_wr_complete(pair.b.qp), ==, 0);
	pair_poll_recv(4);
	expect_int((pair.b.qp->row->sent_psn - first) & XRDMA_PSN_MASK, ==, 4);
	xrdma_wr_start(pair.b.qp);
	expect_int(xrdma_wr_complete(pair.b.qp), ==, 0);
}

/* Post a configuration that must wait, because a READ before it gets no response. */
static void configure_after_a_read(void)
{
	pair_read_unanswered(mkey.local, xrdma_mr_key(mkey.region));
	mkey.attr.send_flags |= XRDMA_SEND_FENCE;
	mkey_begin(0);
	expect_int(xrdma_wr_complete(pair.b.qp), ==, 0);
}

/* Let the READ complete when the mkey is gone. Another mkey that exists by then is not changed. */
static void expect_not_configured(void)
{
	pair_answer_read();
	pair_poll_recv(1);
	expect_int(recv_wc[0].status, ==, XRDMA_WC_MW_BIND_ERR);
	expect_int(recv_wc[0].vendor_err, ==, XRDMA_V_KEY);
	expect_int(side_key(&pair.b, mkey.key)->state, ==, XRDMA_MKEY_STATE_FREE);
	expect_int(side_key(&pair.b, mkey.key)->key, ==, mkey.key);
}

Test(mkey_builder, destroyed_before_its_turn)
{
	configure_after_a_read();
	mkey_create(0);
	expect_not_configured();
}

/* The mkey is destroyed, and another one is in its row: there is no other row. */
Test(mkey_builder, destroyed_and_another_in_its_place)
{
	struct xrdma_mw *others[16];
	const __u32 before = mkey.key;
	int count = 0;

	while (!xrdma_mw_alloc(pair.b.owner.pd, XRDMA_MW_TYPE_1, &others[count]))
		count++;
	configure_after_a_read();
	mkey_create(0);
	expect(side_key(&pair.b, mkey.key) == side_key(&pair.b, before));
	expect_not_configured();
	while (count)
		expect_int(xrdma_mw_dealloc(others[--count]), ==, 0);
}

Test(mkey_builder, not_created)
{
	struct xrdma_mkey_init_attr init = {
		.sz = sizeof(init),
		.create_flags = XRDMA_MKEY_INIT_INDIRECT,
		.max_entries = XRDMA_LAYOUT_ENTRIES_MAX + 1,
	};
	struct xrdma_mkey *mkey;

	expect_error(xrdma_mkey_create(pair.b.owner.pd, &init, &mkey), EINVAL, "1 to 64");
	init.max_entries = 0;
	expect_error(xrdma_mkey_create(pair.b.owner.pd, &init, &mkey), EINVAL, "1 to 64");
	init.max_entries = 4;
	init.create_flags = 0;
	expect_error(xrdma_mkey_create(pair.b.owner.pd, &init, &mkey), EINVAL, "INDIRECT");
	init.create_flags = XRDMA_MKEY_INIT_INDIRECT | 0x80;
	expect_error(xrdma_mkey_create(pair.b.owner.pd, &init, &mkey), EINVAL, "0x80 is unknown");
}
