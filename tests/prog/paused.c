// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Packets that arrive while the process forks. Its memory and its keys are not read. No peer uses
 * up a retry: a request that needs memory gets an RNR NAK, and any other packet is handled.
 */
#include <linux/bpf.h>

#include "support/case.h"
#include "lib/clock.h"
#include "lib/frame.h"

#define CASE_STAGE prog_paused
TestSuite(prog_paused, .once = target_load, .in_one_process = true);

static void set_paused_since(struct run *run, __u64 since)
{
	const struct xrdma_context_row context = { .state = XRDMA_CONTEXT_PAUSED,
						   .mkey_mask = TARGET_ROWS - 1,
						   .paused_since = since };

	target_set_context(&run->target, run->target.slot, &context);
}

/*
 * Pause the context now. The RNR timer is the longest, so that an interruption of the test does not
 * change the NAK. After 0.1 s the verdict would be another one.
 */
static void set_paused(struct run *run)
{
	run->qp->rnr_timer = 0;
	set_paused_since(run, xrdma_now());
}

CASE(paused, PAUSED)
{
	set_paused(run);
}

CASE(paused_for_long, PAUSED_LOST)
{
	set_paused_since(run, xrdma_now() - 100000000);
}

CASE(paused_with_bad_key, PAUSED)
{
	run->mkey->pd++;
	set_paused(run);
}

CASE(paused_send, PAUSED)
{
	case_set_send(run);
	set_paused(run);
}

CASE(paused_read, PAUSED)
{
	case_set_read(run);
	set_paused(run);
}

CASE(paused_atomic, PAUSED)
{
	case_set_fetch_add(run);
	set_paused(run);
}

CASE(paused_ahead, PSN_AHEAD)
{
	run->packet.psn++;
	set_paused(run);
}

CASE(paused_from_another, SOURCE)
{
	run->qp->peer_addr[3] ^= 1;
	set_paused(run);
}

CASE(paused_write_again, DUPLICATE)
{
	run->packet.psn--;
	set_paused(run);
}

CASE(paused_read_again, GONE)
{
	case_set_read(run);
	case_set_made(run, 3);
	run->packet.psn = CASE_PSN - 3;
	set_paused(run);
}

CASE(paused_ack, ACKED)
{
	case_set_ack(run, 0, CASE_ACKED_PSN);
	set_paused(run);
}

CASE(paused_response, PAUSED_LOST)
{
	case_set_response(run);
	set_paused(run);
}

/* Returns the timer field of the RNR NAK. */
static __u32 timer_of(const struct target_result *result)
{
	static struct xrdma_frame frame;
	struct xrdma_pkt pkt;

	expect_int(result->action, ==, XDP_TX);
	expect_int(xrdma_frame_parse(&frame, result->frame, result->len, &pkt), ==, XRDMA_V_OK);
	expect_int(pkt.syndrome & XRDMA_AETH_KIND_MASK, ==, XRDMA_AETH_RNR_NAK);
	return pkt.syndrome & XRDMA_AETH_VALUE_MASK;
}

/*
 * A peer waits as long as the fork has lasted, or as long as the queue pair's timer says (IBA table
 * 45).
 */
Test(prog_paused, waits_longer_each_time)
{
	static const struct {
		__u32 ms, timer, least, most;
	} rows[] = {
		{ 0, 12, 16, 18 },  { 3, 12, 18, 20 }, { 30, 12, 24, 26 },
		{ 60, 12, 26, 28 }, { 0, 25, 25, 25 }, { 0, 0, 0, 0 },
	};
	static struct target_result result;
	struct run run;

	case_open(&run);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		run.qp->rnr_timer = rows[i].timer;
		set_paused_since(&run, xrdma_now() - rows[i].ms * 1000000ULL);
		case_send(&run, &result);
		expect_int(timer_of(&result), >=, rows[i].least);
		expect_int(timer_of(&result), <=, rows[i].most);
	}
}
