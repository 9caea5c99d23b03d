// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "queue/flow.h"

#include "lib/clock.h"

/*
 * Limits of the window: at most half of all PSNs (IBA 9.7.1), and at least WINDOW_MIN, however many
 * packets were lost.
 */
enum { WINDOW_MAX = 1 << 23, WINDOW_MIN = 128 };

/* The transport timer is doubled twice at most: IBA 9.7.6.1.3 allows four times its length. */
enum { TIMES_DOUBLED = 2 };

/* Times for the timer field of an RNR NAK, in 10 us (IBA 9.7.5.2.8, table 45). */
/* clang-format off */
static const __u32 rnr_waits[] = {
	65536, 1,    2,    3,     4,     6,     8,     12,
	16,    24,   32,   48,    64,    96,    128,   192,
	256,   384,  512,  768,   1024,  1536,  2048,  3072,
	4096,  6144, 8192, 12288, 16384, 24576, 32768, 49152,
};
/* clang-format on */

void xrdma_flow_start(struct xrdma_flow *flow, __u32 psn)
{
	*flow = (struct xrdma_flow){ .acked = psn, .sent = psn, .window = WINDOW_MAX };
}

/*
 * Take the acknowledgement PSN from the row. XDP accepts only acknowledgements of packets that were
 * sent, but an application can write any PSN into its rows.
 */
bool xrdma_flow_ack(struct xrdma_flow *flow, struct xrdma_sq *sq, __u32 psn)
{
	__u32 acked = (psn - (__u32)flow->acked) & XRDMA_PSN_MASK;

	if (!acked || acked > flow->sent - flow->acked)
		return false;
	flow->acked += acked;
	flow->window = acked < WINDOW_MAX - flow->window ? flow->window + acked : WINDOW_MAX;
	flow->retries = flow->rnr_retries = 0;
	flow->resume = flow->since = 0;
	xrdma_sq_finish(sq, flow->acked);
	if (sq->next < flow->acked) /* packets that are being sent again had arrived before */
		xrdma_flow_rewind(flow, sq);
	return true;
}

void xrdma_flow_pass(struct xrdma_flow *flow, struct xrdma_sq *sq)
{
	flow->acked = flow->sent = sq->next;
	xrdma_sq_finish(sq, flow->acked);
}

void xrdma_flow_rewind(const struct xrdma_flow *flow, struct xrdma_sq *sq)
{
	xrdma_sq_rewind(sq, flow->acked);
}

void xrdma_flow_retry(struct xrdma_flow *flow, struct xrdma_sq *sq)
{
	__u64 half = (sq->next - flow->acked) / 2;

	flow->window = half < WINDOW_MIN ? WINDOW_MIN : half;
	flow->retries++;
	xrdma_flow_rewind(flow, sq);
}

void xrdma_flow_wait(struct xrdma_flow *flow, struct xrdma_sq *sq, __u8 timer)
{
	flow->rnr_retries++;
	flow->retries = 0;
	flow->resume = xrdma_now() + rnr_waits[timer & XRDMA_AETH_VALUE_MASK] * 10000ULL;
	xrdma_flow_rewind(flow, sq);
}

bool xrdma_flow_is_waiting(struct xrdma_flow *flow)
{
	if (flow->resume && xrdma_now() >= flow->resume)
		flow->resume = 0;
	return flow->resume;
}

bool xrdma_flow_is_timed(const struct xrdma_flow *flow, const struct xrdma_sq *sq)
{
	return sq->next > flow->acked || sq->due;
}

/*
 * Returns the end of the transport timer, which lasts 4.096 us * 2^TIMEOUT; 0 means no timer. A
 * silent peer may be busy, so each retry doubles the time, up to a limit. The timer starts when the
 * clock is next read: reading the clock often takes longer than the peer takes to respond.
 */
__u64 xrdma_flow_timer_end(const struct xrdma_flow *flow, const struct xrdma_sq *sq, __u8 timeout)
{
	__u8 doubled = flow->retries < TIMES_DOUBLED ? flow->retries : TIMES_DOUBLED;

	if (!timeout || !xrdma_flow_is_timed(flow, sq))
		return XRDMA_NEVER;
	return flow->since ? flow->since + (4096ULL << timeout << doubled) : XRDMA_SOON;
}

bool xrdma_flow_has_room(const struct xrdma_flow *flow, const struct xrdma_sq *sq)
{
	__u64 under_way = sq->next - flow->acked;

	return !under_way || under_way + xrdma_sq_stride(sq) <= flow->window;
}
