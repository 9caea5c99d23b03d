// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* RDMA WRITE over the wire; tests/net/write.sh runs it. */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdint.h>

#include "support/pair.h"

static struct pair p;
static struct xrdma_sge sge;
static struct xrdma_send_wr wr;
static const struct xrdma_send_wr *bad;
static struct xrdma_wc wc[8];

static void start(void)
{
	pair_open(&p);
	pair_connect(&p, 4, 1024);
	wr = pair_write(&p, &sge, 64, 256);
}

static void stop(void)
{
	pair_close(&p);
}

TestSuite(write, .init = start, .fini = stop);

/* The LEN bytes at OFFSET of the target are the source's, and all others 0. */
static void expect_written(__u32 offset, __u32 len)
{
	cr_expect(!memcmp(p.target + offset, p.source + offset, len), "%u bytes differ", len);
	memset(p.target + offset, 0, len);
	for (int i = 0; i < PAIR_BYTES; i++)
		cr_assert(!p.target[i], "byte %d was written, of %u at %u", i, len, offset);
}

static void expect_states(enum xrdma_qp_state a, enum xrdma_qp_state b)
{
	cr_expect_eq(side_state(&p.a), a);
	cr_expect_eq(side_state(&p.b), b);
}

static int post(void)
{
	return xrdma_qp_post_send(p.a.qp, &wr, &bad);
}

/* What ends a queue pair: the WRITE fails with STATUS, a second is flushed, and no byte changes. */
static void expect_failure(enum xrdma_wc_status status)
{
	struct xrdma_send_wr next = wr;

	next.wr_id = 2;
	next.flags = 0;
	wr.next = &next;
	cr_assert_eq(post(), 0, "%s", xrdma_error());
	pair_poll(&p, 2, wc);
	cr_expect(wc[0].status == status, "'%s'", xrdma_wc_status_str(wc[0].status));
	cr_expect_eq(wc[0].wr_id, 1);
	cr_expect_eq(wc[1].status, XRDMA_WC_WR_FLUSH_ERR);
	cr_expect_eq(wc[1].wr_id, 2);
	cr_expect_eq(xrdma_cq_poll(p.a.cq, 1, wc), 0);
	wr.next = NULL;
	expect_written(0, 0);
}

static void write_sizes(int mtu)
{
	const __u32 sizes[] = {
		0, 1, 2, 3, 4, mtu - 1, mtu, mtu + 1, 2 * mtu, 5 * mtu + 7, 200001
	};

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		wr = pair_write(&p, &sge, 64 + i, sizes[i]);
		wr.wr_id = i;
		pair_expect(&p, &wr, XRDMA_WC_SUCCESS);
		expect_written(64 + i, sizes[i]);
	}
}

/* Both families, every MTU, lengths around the bounds of packets; PSNs wrap. */
Test(write, every_size)
{
	for (int mtu = XRDMA_MTU_MIN; mtu <= XRDMA_MTU_MAX; mtu *= 2)
		for (int ip_version = 4; ip_version <= 6; ip_version += 2) {
			pair_connect(&p, ip_version, mtu);
			write_sizes(mtu);
		}
}

Test(write, completion_says_what_was_done)
{
	cr_assert_eq(post(), 0);
	pair_poll(&p, 1, wc);
	cr_expect_eq(wc[0].opcode, XRDMA_WC_RDMA_WRITE);
	cr_expect_eq(wc[0].byte_len, 256);
	cr_expect_eq(xrdma_cq_poll(p.a.cq, 8, wc), 0);
	cr_expect_eq(xrdma_cq_poll(p.a.cq, -1, wc), -EINVAL);
	cr_expect_eq(xrdma_cq_poll(p.b.cq, 8, wc), 0);
}

/* Three pieces that do not end where packets do. */
Test(write, gathers_pieces)
{
	struct xrdma_sge pieces[3] = { sge, sge, sge };
	__u8 expected[3000];

	pieces[0].length = 1500;
	pieces[1].addr += 100000;
	pieces[1].length = 1;
	pieces[2].addr += 3;
	pieces[2].length = 1499;
	wr.sg_list = pieces;
	wr.num_sge = 3;
	pair_expect(&p, &wr, XRDMA_WC_SUCCESS);
	memcpy(expected, p.source + 64, 1500);
	expected[1500] = p.source[100064];
	memcpy(expected + 1501, p.source + 67, 1499);
	cr_expect(!memcmp(p.target + 64, expected, sizeof(expected)));
}

/* Of any memory, which may change as soon as the call returns. */
Test(write, takes_bytes_inline)
{
	__u8 bytes[64];

	memcpy(bytes, p.source + 64, sizeof(bytes));
	sge = (struct xrdma_sge){ .addr = (uintptr_t)bytes, .length = sizeof(bytes) };
	wr.flags |= XRDMA_SEND_INLINE;
	p.b.qp->row->state = XRDMA_QP_INIT; /* the first transmission is lost */
	cr_assert_eq(post(), 0);
	p.b.qp->row->state = XRDMA_QP_RTS;
	memset(bytes, 0, sizeof(bytes));
	pair_poll(&p, 1, wc);
	expect_written(64, sizeof(bytes));
}

/* ibv_post_send(3): without SIGNALED a request completes in silence, and its place is free. */
Test(write, unsignalled)
{
	for (int i = 0; i < 20; i++) {
		wr.wr_id = i;
		wr.flags = i % 4 == 3 ? XRDMA_SEND_SIGNALED : 0;
		cr_assert_eq(post(), 0, "%s", xrdma_error());
		if (!wr.flags)
			continue;
		pair_poll(&p, 1, wc);
		cr_expect_eq(wc[0].wr_id, i);
	}
	cr_expect_eq(xrdma_cq_poll(p.a.cq, 8, wc), 0);
}

Test(write, every_request_signals_when_the_queue_pair_says_so)
{
	p.a.qp->init.sq_sig_all = 1;
	wr.flags = 0;
	pair_expect(&p, &wr, XRDMA_WC_SUCCESS);
}

/* Requests that the call refuses; those before them in the chain are carried out. */
Test(write, refuses_requests)
{
	struct xrdma_sge four[4] = { sge, sge, sge, sge }, huge[2] = { sge, sge };
	const struct {
		int err;
		const char *text;
		struct xrdma_send_wr wr;
	} rows[] = {
		{ EOPNOTSUPP, "opcode 2", { .opcode = 2 } },
		{ EINVAL, "0x10 is unknown", { .flags = 0x11 } },
		{ EINVAL, "num_sge is 4", { .sg_list = four, .num_sge = 4 } },
		{ EINVAL, "2147483649 bytes", { .sg_list = huge, .num_sge = 2 } },
		{ EINVAL, "inline", { .flags = XRDMA_SEND_INLINE, .sg_list = &sge, .num_sge = 1 } },
	};

	huge[0].length = 1U << 31;
	huge[1].length = 1;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct xrdma_send_wr after = wr, refused = rows[i].wr;

		refused.next = &after;
		wr.next = &refused;
		expect_error(post(), rows[i].err, rows[i].text);
		cr_expect_eq(bad, &refused);
		pair_poll(&p, 1, wc);
		cr_expect_eq(wc[0].status, XRDMA_WC_SUCCESS);
		cr_expect_eq(xrdma_cq_poll(p.a.cq, 8, wc), 0);
		expect_written(64, 256);
	}
	expect_states(XRDMA_QP_RTS, XRDMA_QP_RTS);
}

Test(write, full_queue)
{
	for (int i = 0; i < 4; i++)
		cr_assert_eq(post(), 0);
	expect_error(post(), ENOMEM, "no room for more than 4 requests");
	cr_expect_eq(bad, &wr);
	pair_poll(&p, 1, wc);
	cr_expect_eq(post(), 0);
	pair_poll(&p, 4, wc);
}

Test(write, needs_a_queue_pair_in_RTS)
{
	for (enum xrdma_qp_state state = XRDMA_QP_RESET; state <= XRDMA_QP_RTR; state++) {
		side_bring_to(&p.b, state);
		expect_error(xrdma_qp_post_send(p.b.qp, &wr, &bad), EINVAL, "not in RTS");
	}
}

/* 10.3.1: in ERR what is posted is flushed. */
Test(write, flushed_in_ERR)
{
	cr_assert_eq(side_modify(&p.a, XRDMA_QP_ERR, XRDMA_QP_STATE), 0);
	pair_expect(&p, &wr, XRDMA_WC_WR_FLUSH_ERR);
	wr.flags = 0;
	pair_expect(&p, &wr, XRDMA_WC_WR_FLUSH_ERR);
}

/* 10.3.1: what is under way when the queue pair is reset leaves no completion. */
Test(write, forgotten_in_RESET)
{
	cr_assert_eq(post(), 0);
	cr_assert_eq(side_modify(&p.a, XRDMA_QP_RESET, XRDMA_QP_STATE), 0);
	cr_expect(xrdma_sq_is_empty(&p.a.qp->sq));
	cr_expect_eq(xrdma_cq_poll(p.a.cq, 8, wc), 0);
	pair_connect(&p, 4, 1024);
	pair_expect(&p, &wr, XRDMA_WC_SUCCESS);
}

/* A local key that does not fit fails its request, when those before it are complete. */
Test(write, local_keys)
{
	struct xrdma_sge wrong = sge;
	struct xrdma_send_wr second = wr;
	struct xrdma_pd *pd;
	struct xrdma_mr *mr;
	__u32 other_key;

	cr_assert_eq(xrdma_pd_alloc(p.a.owner.context, &pd), 0);
	cr_assert_eq(xrdma_mr_reg(pd, p.source, PAIR_BYTES, 0, &mr), 0);
	other_key = xrdma_mr_key(mr);
	const struct {
		__u32 key;
		__u64 addr;
		__u32 length;
		enum xrdma_verdict verdict;
	} rows[] = {
		{ p.lkey ^ 1, sge.addr, 8, XRDMA_V_KEY },
		{ other_key, sge.addr, 8, XRDMA_V_KEY_PD },
		{ p.lkey, (uintptr_t)p.source - 1, 8, XRDMA_V_KEY_RANGE },
		{ p.lkey, (uintptr_t)p.source + PAIR_BYTES - 2000, 2001, XRDMA_V_KEY_RANGE },
		{ p.lkey, UINT64_MAX, 8, XRDMA_V_KEY_RANGE },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		pair_connect(&p, 4, 1024);
		wrong = (struct xrdma_sge){ rows[i].addr, rows[i].length, rows[i].key };
		second.sg_list = &wrong;
		second.wr_id = 2;
		wr.next = &second;
		cr_assert_eq(post(), 0);
		pair_poll(&p, 2, wc);
		cr_expect_eq(wc[0].status, XRDMA_WC_SUCCESS);
		cr_expect_eq(wc[1].status, XRDMA_WC_LOC_PROT_ERR);
		cr_expect_eq(wc[1].vendor_err, rows[i].verdict, "row %zu", i);
		expect_written(64, 256);
		expect_states(XRDMA_QP_ERR, XRDMA_QP_RTS);
		wr.next = NULL;
		pair_expect(&p, &wr, XRDMA_WC_WR_FLUSH_ERR);
	}
	cr_expect_eq(xrdma_mr_dereg(mr), 0);
	cr_expect_eq(xrdma_pd_dealloc(pd), 0);
}

/* What has failed is not sent, even when its key has become valid meanwhile. */
Test(write, local_key_that_comes_late)
{
	struct xrdma_mkey_row *rows = p.a.owner.context->tables.mkeys.rows;
	struct xrdma_mkey_row *row = &rows[p.lkey >> XRDMA_KEY_INDEX_SHIFT & 15];
	struct xrdma_send_wr second = wr;

	p.b.qp->row->state = XRDMA_QP_INIT; /* the first is lost, and waits for the timer */
	cr_assert_eq(post(), 0);
	row->state = XRDMA_MKEY_FREE;
	cr_assert_eq(xrdma_qp_post_send(p.a.qp, &second, &bad), 0);
	row->state = XRDMA_MKEY_VALID;
	p.b.qp->row->state = XRDMA_QP_RTS;
	pair_poll(&p, 2, wc);
	cr_expect_eq(wc[0].status, XRDMA_WC_SUCCESS);
	cr_expect_eq(wc[1].status, XRDMA_WC_LOC_PROT_ERR);
	cr_expect_eq(wc[1].vendor_err, XRDMA_V_KEY_STATE);
}

Test(write, wrong_remote_key)
{
	wr.rkey ^= 1;
	expect_failure(XRDMA_WC_REM_ACCESS_ERR);
	expect_states(XRDMA_QP_ERR, XRDMA_QP_ERR);
}

Test(write, remote_range)
{
	wr.remote_addr = (uintptr_t)p.target + PAIR_BYTES - 255;
	expect_failure(XRDMA_WC_REM_ACCESS_ERR);
	pair_connect(&p, 4, 1024);
	wr.remote_addr = (uintptr_t)p.target - 1;
	expect_failure(XRDMA_WC_REM_ACCESS_ERR);
}

Test(write, region_without_remote_write)
{
	struct xrdma_mr *mr;

	cr_assert_eq(xrdma_mr_reg(p.b.owner.pd, p.target, PAIR_BYTES,
				  XRDMA_ACCESS_LOCAL_WRITE | XRDMA_ACCESS_REMOTE_READ, &mr),
		     0);
	wr.rkey = xrdma_mr_key(mr);
	expect_failure(XRDMA_WC_REM_ACCESS_ERR);
	cr_expect_eq(xrdma_mr_dereg(mr), 0);
}

/* When xrdma_mr_dereg() has returned, no packet changes a byte. */
Test(write, region_that_is_gone)
{
	cr_assert_eq(xrdma_mr_dereg(p.target_mr), 0);
	p.target_mr = NULL;
	expect_failure(XRDMA_WC_REM_ACCESS_ERR);
}

Test(write, queue_pair_without_remote_write)
{
	p.b.attr.access = XRDMA_ACCESS_REMOTE_READ;
	pair_connect(&p, 4, 1024);
	expect_failure(XRDMA_WC_REM_INV_REQ_ERR);
}

/* The responder misses packets, reports the first gap, and gets them again (9.7.5.2, 9.9.2.2). */
Test(write, lost_requests)
{
	p.a.attr.timeout = 0; /* only the NAK helps */
	pair_connect(&p, 4, 1024);
	p.b.qp->row->state = XRDMA_QP_INIT;
	wr = pair_write(&p, &sge, 64, 5000);
	cr_assert_eq(post(), 0);
	p.b.qp->row->state = XRDMA_QP_RTS;
	wr.wr_id = 2;
	cr_assert_eq(post(), 0);
	pair_poll(&p, 2, wc);
	cr_expect_eq(wc[0].status, XRDMA_WC_SUCCESS);
	cr_expect_eq(wc[1].status, XRDMA_WC_SUCCESS);
	cr_expect_eq(wc[1].wr_id, 2);
	expect_written(64, 5000);
}

/* The acknowledgement is lost: the timer sends the request again, and its duplicate is acknowledged (9.7.5.1). */
Test(write, lost_answers)
{
	p.a.qp->row->state = XRDMA_QP_RTR;
	wr = pair_write(&p, &sge, 64, 5000);
	cr_assert_eq(post(), 0);
	expect_written(64, 5000);
	p.a.qp->row->state = XRDMA_QP_RTS;
	pair_poll(&p, 1, wc);
	cr_expect_eq(wc[0].status, XRDMA_WC_SUCCESS);
	expect_written(0, 0); /* a duplicate is not carried out */
}

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec + now.tv_nsec / 1e9;
}

/* 4.096 us * 2^14 = 67 ms, once and twice more. */
Test(write, silent_peer)
{
	double before = seconds();

	p.a.attr.retry_cnt = 2;
	pair_connect(&p, 4, 1024);
	side_bring_to(&p.b, XRDMA_QP_RESET);
	sge.length = 200000;
	expect_failure(XRDMA_WC_RETRY_EXC_ERR);
	cr_expect_eq(p.a.qp->row->sent_psn, (0xfffff0 + 128) & XRDMA_PSN_MASK);
	cr_expect(seconds() - before > 3 * 0.067);
	expect_states(XRDMA_QP_ERR, XRDMA_QP_RESET);
}

/* More packets than may be under way, in messages of which none is signalled but the last. */
Test(write, more_than_a_window)
{
	struct xrdma_send_wr all[4];

	p.a.attr.timeout = 0; /* acknowledged as it goes, not at a second attempt */
	pair_connect(&p, 4, 1024);
	for (int i = 0; i < 4; i++) {
		all[i] = pair_write(&p, &sge, 0, PAIR_BYTES);
		all[i].next = i < 3 ? &all[i + 1] : NULL;
		all[i].flags = i == 3 ? XRDMA_SEND_SIGNALED : 0;
	}
	cr_assert_eq(xrdma_qp_post_send(p.a.qp, all, &bad), 0);
	pair_poll(&p, 1, wc);
	expect_written(0, PAIR_BYTES);
}

/* Retries count from the last sign of the peer: three losses, of which retry_cnt would allow one in a row. */
Test(write, losses_with_progress)
{
	p.a.attr.retry_cnt = 1;
	pair_connect(&p, 4, 1024);
	for (int i = 0; i < 3; i++) {
		p.b.qp->row->state = XRDMA_QP_INIT;
		cr_assert_eq(post(), 0);
		p.b.qp->row->state = XRDMA_QP_RTS;
		pair_poll(&p, 1, wc);
		cr_expect_eq(wc[0].status, XRDMA_WC_SUCCESS);
	}
}

/* A NAK in the row of what is acknowledged, or not sent, changes nothing. */
Test(write, stale_naks)
{
	struct xrdma_requester *req = &p.a.qp->row->req;

	req->nak = (__u32)XRDMA_AETH_NAK_REMOTE_ACCESS << 24 | req->acked_psn;
	req->naks++;
	pair_expect(&p, &wr, XRDMA_WC_SUCCESS);
	p.b.qp->row->state = XRDMA_QP_INIT;
	cr_assert_eq(post(), 0);
	req->nak = (__u32)XRDMA_AETH_NAK_REMOTE_ACCESS << 24 | (req->acked_psn - 1);
	req->naks++;
	cr_expect_eq(xrdma_cq_poll(p.a.cq, 1, wc), 0);
	p.b.qp->row->state = XRDMA_QP_RTS;
	pair_poll(&p, 1, wc);
	cr_expect_eq(wc[0].status, XRDMA_WC_SUCCESS);
}

/* A row that holds nonsense ends nothing but its own queue pair. */
Test(write, nonsense_in_the_row)
{
	p.a.attr.retry_cnt = 0;
	pair_connect(&p, 4, 1024);
	side_bring_to(&p.b, XRDMA_QP_RESET);
	cr_assert_eq(post(), 0);
	p.a.qp->row->req.acked_psn = 0x123456;
	p.a.qp->row->req.nak = 0xff123456;
	p.a.qp->row->req.naks = 77;
	pair_poll(&p, 1, wc);
	cr_expect_eq(wc[0].status, XRDMA_WC_RETRY_EXC_ERR);
}
