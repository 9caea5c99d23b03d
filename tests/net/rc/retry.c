// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * How often, and when, a requester sends again (IBA 9.7.5.2.8, 9.7.6.1, 9.9.2; ibv_modify_qp(3)).
 * tests/net/rc.sh runs it.
 */
#include <stdint.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "lib/clock.h"
#include "lib/order.h"
#include "support/pair.h"
#include "support/test.h"

enum { TIMEOUT = 12 }; /* 16.8 ms */

#define DEADLINE 10000000000ULL /* ns */

static const __u64 time_out = 4096ULL << TIMEOUT; /* ns */

static void start(void)
{
	pair_start();
	pair.a.attr.timeout = TIMEOUT;
	pair_connect(4, 1024);
}

TestSuite(retry, .once = pair_open, .init = start, .fini = pair_stop, .end = pair_close);

/* Returns the number of packets that reached B while its link was cut. */
static __u64 count_undelivered(void)
{
	struct xrdma_counters counters;

	expect_int(xrdma_device_counters("xb", &counters, sizeof(counters)), ==, 0);
	return counters.verdicts.QP_STATE;
}

/* Expect that polling for NS nanoseconds finds nothing. */
static void expect_no_completion(__u64 ns)
{
	for (__u64 end = xrdma_now() + ns; xrdma_now() < end;)
		expect_int(xrdma_cq_poll(pair.a.cq, 1, send_wc), ==, 0);
}

/* retry_cnt is the number of transmissions after the first. 7 has no special meaning. */
Tests(retry, as_often_as_retry_cnt_says, 4)
{
	const __u8 count = (const __u8[]){ 0, 1, 3, 7 }[i];
	__u64 before;

	pair.a.attr.retry_cnt = count;
	pair.a.attr.timeout = 6; /* 262 us */
	pair_connect(4, 1024);
	before = count_undelivered();
	link_cut(&pair.b);
	pair_expect(XRDMA_WC_RETRY_EXC_ERR);
	expect_int(count_undelivered() - before, ==, count + 1);
	pair_expect_states(XRDMA_QPS_ERR, XRDMA_QPS_RTS);
}

/*
 * IBA 9.7.6.1.3: a request is not sent again before the timeout, and at the latest after four times
 * the timeout.
 */
Test(retry, less_often_with_time)
{
	__u64 begin = xrdma_now();

	pair.a.attr.retry_cnt = 3;
	pair_connect(4, 1024);
	link_cut(&pair.b);
	pair_expect(XRDMA_WC_RETRY_EXC_ERR);
	expect_int(xrdma_now() - begin, >=, (1 + 2 + 4 + 4) * time_out);
}

/* When the peer responds, the next wait begins with the normal timeout. */
Test(retry, soon_after_progress)
{
	link_cut(&pair.b);
	expect_int(pair_post(), ==, 0);
	expect_no_completion(12 * time_out);
	expect_int(pair.a.qp->flow.retries, >=, 3);
	link_restore(&pair.b);
	pair_poll(1);
	expect_int(send_wc[0].status, ==, XRDMA_WC_SUCCESS);
	expect_int(pair.a.qp->flow.retries, ==, 0);
}

/* ibv_modify_qp(3): a timeout of 0 means for ever. */
Test(retry, never)
{
	__u64 before = count_undelivered();

	pair.a.attr.timeout = 0;
	pair_connect(4, 1024);
	link_cut(&pair.b);
	expect_int(pair_post(), ==, 0);
	expect_no_completion(4 * time_out);
	expect_int(count_undelivered() - before, ==, 1);
	link_restore(&pair.b);
	expect_int(pair_post(), ==, 0); /* the peer reports the gap */
	pair_poll(2);
	expect_int(send_wc[1].status, ==, XRDMA_WC_SUCCESS);
}

/*
 * A program that waits for a response may poll for receives alone. A lost request is sent again all
 * the same, because an RDMA NIC needs no polls for that. The program polls without a pause, or only
 * now and then.
 */
Tests(retry, polled_for_receives_alone, 2)
{
	const struct timespec pause = { .tv_nsec = 20000000 };
	const __u32 most = i ? 8 : UINT32_MAX;
	const __u64 end = xrdma_now() + 5000000000ULL;
	struct xrdma_cq *receives;

	expect_int(xrdma_cq_create(pair.a.owner.context, 1, &receives), ==, 0);
	expect_int(xrdma_qp_destroy(pair.a.qp), ==, 0);
	pair.a.init.recv_cq = receives;
	expect_int(xrdma_qp_create(pair.a.owner.pd, &pair.a.init, &pair.a.qp), ==, 0);
	pair_connect(4, 1024);
	pair_lose_request();
	for (__u32 n = 0; pair.a.qp->sq.done < pair.a.qp->sq.ring.tail && n < most; n++) {
		expect(xrdma_now() < end);
		expect_int(xrdma_cq_poll(receives, 1, recv_wc), ==, 0);
		if (i)
			nanosleep(&pause, NULL);
	}
	expect_int(xrdma_cq_poll(pair.a.cq, 1, send_wc), ==, 1);
	expect_int(send_wc[0].status, ==, XRDMA_WC_SUCCESS);
	pair_expect_written(64, 256);
	expect_int(xrdma_qp_destroy(pair.a.qp), ==, 0);
	expect_int(xrdma_cq_destroy(receives), ==, 0);
	pair.a.init.recv_cq = pair.a.cq;
	expect_int(xrdma_qp_create(pair.a.owner.pd, &pair.a.init, &pair.a.qp), ==, 0);
}

/* Change the row as if B had sent a NAK for the oldest packet. */
static void nak(struct xrdma_nak *nak, __u8 syndrome)
{
	nak->last = (__u32)syndrome << 24 | pair.a.qp->row->req.acked_psn;
	nak->count++;
}

/* Let A send a request that does not reach B. No timer runs, so only NAKs make A send it again. */
static void post_undelivered(int retry_cnt)
{
	pair.a.attr.timeout = 0;
	pair.a.attr.retry_cnt = retry_cnt;
	pair_connect(4, 1024);
	link_cut(&pair.b);
	expect_int(pair_post(), ==, 0);
}

/* IBA 9.9.2.1: packets that a peer reports as lost are sent again as often as after a timeout. */
Test(retry, reported_losses_count)
{
	post_undelivered(2);
	for (int i = 0; i < 2; i++) {
		nak(&pair.a.qp->row->req.nak, XRDMA_AETH_NAK_PSN_SEQ);
		expect_int(pair_post(), ==, 0);
		expect_int(xrdma_cq_poll(pair.a.cq, 1, send_wc), ==, 0);
	}
	nak(&pair.a.qp->row->req.nak, XRDMA_AETH_NAK_PSN_SEQ);
	expect_int(pair_post(), ==, 0);
	pair_poll(1);
	expect_int(send_wc[0].status, ==, XRDMA_WC_RETRY_EXC_ERR);
}

/*
 * An RNR NAK shows that the peer is alive, so losses before it and after it do not add up. A peer
 * without a receive may report the packets after the message as missing, each time that the message
 * arrives. Otherwise this would end the connection.
 */
Test(retry, losses_around_what_was_not_received)
{
	post_undelivered(1);
	nak(&pair.a.qp->row->req.nak, XRDMA_AETH_NAK_PSN_SEQ);
	expect_int(pair_post(), ==, 0);
	nak(&pair.a.qp->row->req.rnr_nak, XRDMA_AETH_RNR_NAK | 1); /* 10 us */
	expect_int(pair_post(), ==, 0);
	expect_no_completion(time_out);
	link_restore(&pair.b);
	nak(&pair.a.qp->row->req.nak, XRDMA_AETH_NAK_PSN_SEQ);
	expect_int(pair_post(), ==, 0);
	pair_poll(4);
	for (int n = 0; n < 4; n++)
		expect_int(send_wc[n].status, ==, XRDMA_WC_SUCCESS);
}

/* The requester converts each NAK to a status of IBA 11.6.2. */
Test(retry, naks)
{
	static const struct {
		__u8 syndrome;
		enum xrdma_wc_status status;
	} rows[] = {
		{ XRDMA_AETH_NAK_INVALID_REQUEST, XRDMA_WC_REM_INV_REQ_ERR },
		{ XRDMA_AETH_NAK_REMOTE_ACCESS, XRDMA_WC_REM_ACCESS_ERR },
		{ XRDMA_AETH_NAK_REMOTE_OPERATION, XRDMA_WC_REM_OP_ERR },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		pair_connect(4, 1024);
		link_cut(&pair.b);
		expect_int(pair_post(), ==, 0);
		nak(&pair.a.qp->row->req.nak, rows[i].syndrome);
		expect_int(pair_post(), ==, 0);
		pair_poll(2);
		expect_int(send_wc[0].status, ==, rows[i].status);
		expect_int(send_wc[1].status, ==, XRDMA_WC_WR_FLUSH_ERR);
	}
}

/* IBA 9.7.5.2.8, table 45: the time in ms for each code of the timer field. */
Test(retry, rnr_timers)
{
	static const double ms[] = {
		655.36, 0.01,  0.02,  0.03,  0.04,  0.06,   0.08,   0.12,   0.16,   0.24,   0.32,
		0.48,	0.64,  0.96,  1.28,  1.92,  2.56,   3.84,   5.12,   7.68,   10.24,  15.36,
		20.48,	30.72, 40.96, 61.44, 81.92, 122.88, 163.84, 245.76, 327.68, 491.52,
	};

	for (int code = 0; code < 32; code++) {
		__u64 before = xrdma_now();

		pair_connect(4, 1024);
		link_cut(&pair.b);
		expect_int(pair_post(), ==, 0);
		nak(&pair.a.qp->row->req.rnr_nak, XRDMA_AETH_RNR_NAK | code);
		link_cut_responses(&pair.a); /* so that A gets no other NAK */
		expect_int(pair_post(), ==, 0);
		expect_int(pair.a.qp->flow.resume, >=, before + (__u64)(ms[code] * 1e6));
		expect_int(pair.a.qp->flow.resume, <=, xrdma_now() + (__u64)(ms[code] * 1e6));
	}
}

/* rnr_retry limits RNR NAKs in a row without progress. */
Test(retry, rnr_with_progress)
{
	pair.a.attr.rnr_retry = 1;
	pair.a.attr.retry_cnt = 0;
	pair.b.attr.min_rnr_timer = 14; /* 1.28 ms */
	pair_connect(4, 1024);
	pair_set_send(64, 256);
	for (int i = 0; i < 3; i++) {
		expect_int(pair_post(), ==, 0);
		expect_int(pair_post_recv(), ==, 0);
		pair_poll(1);
		expect_int(send_wc[0].status, ==, XRDMA_WC_SUCCESS);
		expect_int(pair.a.qp->row->req.rnr_nak.count, ==, i + 1);
		pair_expect_received(XRDMA_WC_RECV, 256);
	}
}

static void pause_of(const struct side *side)
{
	xrdma_slot_pause(&side->owner.context->slots, side->owner.context->slot);
}

static void resume_of(const struct side *side)
{
	xrdma_slot_resume(&side->owner.context->slots, side->owner.context->slot);
}

/*
 * While its process forks, a peer sends RNR NAKs with growing times, so that six of them are
 * enough.
 */
Tests(retry, peer_that_forks, 2)
{
	pair.a.attr.retry_cnt = 0;
	pair_connect(4, 1024);
	if (i) {
		pair_set_send(64, 256);
		expect_int(pair_post_recv(), ==, 0);
	}
	pause_of(&pair.b);
	expect_int(pair_post(), ==, 0);
	expect_no_completion(4 * time_out);
	expect_int(pair.a.qp->row->req.rnr_nak.count, >=, 1);
	resume_of(&pair.b);
	pair_poll(1);
	expect_int(send_wc[0].status, ==, XRDMA_WC_SUCCESS);
}

/* A process that is being forked receives acknowledgements, too. */
Test(retry, acknowledged_while_forking)
{
	pair.a.attr.retry_cnt = 0;
	pair_connect(4, 1024);
	pause_of(&pair.a);
	expect_int(pair_post(), ==, 0);
	pair_poll(1);
	expect_int(send_wc[0].status, ==, XRDMA_WC_SUCCESS);
	resume_of(&pair.a);
}

/* The receiver may change its timer while it receives. */
Test(retry, rnr_timer_that_changes)
{
	__u64 begin;

	pair.b.attr.min_rnr_timer = 24; /* 40.96 ms */
	expect_int(side_modify(&pair.b, XRDMA_QPS_RTS, XRDMA_QP_MIN_RNR_TIMER), ==, 0);
	pair_set_send(64, 256);
	begin = xrdma_now();
	expect_int(pair_post(), ==, 0);
	expect_int(pair_post_recv(), ==, 0);
	pair_poll(1);
	expect_int(send_wc[0].status, ==, XRDMA_WC_SUCCESS);
	expect_int(xrdma_now() - begin, >=, 40960000);
	pair_expect_received(XRDMA_WC_RECV, 256);
}

/* If no thread polls, the context's dispatcher sends again (user/obj/dispatch.h). */

/* Sleep until wr has written its bytes. */
static void sleep_until_written(void)
{
	const __u64 deadline = xrdma_now() + DEADLINE;
	const __u32 at = send_wr.remote_addr - (uintptr_t)pair.target;

	while (memcmp(pair.target + at, (const void *)(uintptr_t)send_sge.addr, send_sge.length)) {
		expect_msg(xrdma_now() < deadline, "nothing was sent again");
		usleep(1000);
	}
}

Test(retry, while_nobody_polls)
{
	pair_lose_request();
	sleep_until_written();
	pair_poll(1);
	expect_int(send_wc[0].status, ==, XRDMA_WC_SUCCESS);
}

/* The program has polled shortly before, so the dispatcher waits a little longer. */
Test(retry, after_the_last_poll)
{
	expect_no_completion(time_out);
	pair_lose_request();
	expect_int(xrdma_cq_poll(pair.a.cq, 1, send_wc), ==, 0);
	sleep_until_written();
	pair_poll(1);
	expect_int(send_wc[0].status, ==, XRDMA_WC_SUCCESS);
}

Test(retry, until_it_fails_while_nobody_polls)
{
	const __u64 deadline = xrdma_now() + DEADLINE;
	__u64 before = count_undelivered();

	pair.a.attr.retry_cnt = 2;
	pair_connect(4, 1024);
	link_cut(&pair.b);
	expect_int(pair_post(), ==, 0);
	while (XRDMA_OBSERVE(pair.a.qp->row->state) != XRDMA_QPS_ERR) {
		expect_msg(xrdma_now() < deadline, "the queue pair did not fail");
		usleep(1000);
	}
	expect_int(count_undelivered() - before, ==, 3);
	pair_poll(1);
	expect_int(send_wc[0].status, ==, XRDMA_WC_RETRY_EXC_ERR);
}

/* The peer has no receive at first, and one later. */
Test(retry, after_an_rnr_nak_while_nobody_polls)
{
	const __u64 deadline = xrdma_now() + DEADLINE;

	pair.a.attr.rnr_retry = 7; /* for ever */
	pair_connect(4, 1024);
	pair_set_send(64, 256);
	expect_int(pair_post(), ==, 0);
	usleep(2 * time_out / 1000);
	expect_int(pair_post_recv(), ==, 0);
	while (memcmp(pair.target + 64, pair.source + 64, 256)) {
		expect_msg(xrdma_now() < deadline, "the SEND was not sent again");
		usleep(1000);
	}
	pair_expect_received(XRDMA_WC_RECV, 256);
}
