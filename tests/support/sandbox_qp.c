// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "sandbox_qp.h"

#include <arpa/inet.h>
#include <string.h>

#include "lib/frame.h"
#include "test.h"

enum {
	FIRST_QP = 5, /* rows */
	RQ = 2,
	CQ = 3,
	SEND_CQ = 4,
	RING = 4,      /* numbers of receives and of completions */
	RECEIVES = 60, /* row of the ring */
	FIRST_RECEIVE = 64,
	FIRST_READ = 128, /* first segments for a READ, of each queue pair */
	FIRST_CQE = 16,
	PSN = 0xfffff0, /* PSNs wrap soon */
	SENT = 4096,	/* number of requests that are not acknowledged */
};

const struct sandbox_piece sandbox_pieces[] = { { 100, 4099 }, { 4400, 3001 } };

static struct xrdma_qp_row rows[SANDBOX_QPS];

__u32 sandbox_qpn(enum sandbox_qp qp)
{
	return SANDBOX_SLOT << XRDMA_QPN_INDEX_BITS | (FIRST_QP + qp);
}

struct xrdma_qp_row *sandbox_row(enum sandbox_qp qp)
{
	return &sandbox_target.qps[FIRST_QP + qp];
}

static void set_pieces(__u32 first, enum sandbox_place place)
{
	for (int p = 0; p < SANDBOX_PIECES; p++)
		sandbox_target.sges[first + p] =
			(struct xrdma_sge){ sandbox_address(place) + sandbox_pieces[p].at,
					    sandbox_pieces[p].len, sandbox_key(place) };
}

static void open_queues(void)
{
	sandbox_target.queues[RQ] = (struct xrdma_queue_row){
		.kind = XRDMA_QUEUE_RQ,
		.first = FIRST_RECEIVE,
		.mask = RING - 1,
		.stride = SANDBOX_PIECES,
		.ring = RECEIVES + 1,
	};
	for (int i = CQ; i <= SEND_CQ; i++)
		sandbox_target.queues[i] = (struct xrdma_queue_row){
			.kind = XRDMA_QUEUE_CQ,
			.first = FIRST_CQE + (i - CQ) * RING,
			.mask = RING - 1,
			.stride = 1,
		};
	for (int i = 0; i < RING; i++) {
		((__u32 *)&sandbox_target.sges[RECEIVES])[i] = RING - 1 - i;
		set_pieces(FIRST_RECEIVE + i * SANDBOX_PIECES, SANDBOX_RECEIVE);
	}
	for (int i = 0; i < SANDBOX_QPS; i++)
		set_pieces(FIRST_READ + i * SANDBOX_PIECES, SANDBOX_RESULT);
}

static void open_qp(enum sandbox_qp qp)
{
	static const __u16 mtus[SANDBOX_QPS] = {
		[SANDBOX_MTU_256] = 256, [SANDBOX_MTU_4096] = 4096
	};
	struct xrdma_qp_row *row = &rows[qp];

	*row = (struct xrdma_qp_row){
		.state = qp == SANDBOX_INIT ? XRDMA_QPS_INIT : XRDMA_QPS_RTS,
		.transport = qp == SANDBOX_UC ? XRDMA_TRANSPORT_UC : XRDMA_TRANSPORT_RC,
		.access = qp == SANDBOX_NO_ACCESS ? 0 : SANDBOX_ANY_REMOTE,
		.mtu = mtus[qp] ? mtus[qp] : 1024,
		.pkey = 0xffff,
		.pd = qp == SANDBOX_OTHER_PD ? SANDBOX_OTHER : SANDBOX_PD,
		.peer_qpn = 0x222222,
		.rq = RQ,
		.send_cq = SEND_CQ,
		.recv_cq = CQ,
		.rnr_timer = 12,
		.max_dest_rd_atomic = XRDMA_RD_ATOMIC_MAX,
		.sent_psn = (PSN + SENT) & XRDMA_PSN_MASK,
		.udp_sport = 0xd001,
		.resp = { .psn = PSN },
		.req = { .acked_psn = PSN },
	};
	inet_pton(AF_INET6, qp == SANDBOX_IPV6 ? "fd66::3" : "::ffff:10.66.0.3", row->peer_addr);
	inet_pton(AF_INET6, qp == SANDBOX_IPV6 ? "fd66::2" : "::ffff:10.66.0.2", row->addr);
	row->ack_icrc = xrdma_frame_ack_icrc(row);
	*sandbox_row(qp) = *row;
}

void sandbox_open_qps(void)
{
	open_queues();
	for (enum sandbox_qp qp = 0; qp < SANDBOX_QPS; qp++)
		open_qp(qp);
}

__u32 sandbox_pd_of(__u32 qpn)
{
	return qpn == sandbox_qpn(SANDBOX_OTHER_PD) ? SANDBOX_OTHER : SANDBOX_PD;
}

static void add_likely(struct mutate_values *values, __u64 value)
{
	values->all[values->count++] = value;
}

const struct mutate_likely *sandbox_likely(enum sandbox_qp qp)
{
	static struct mutate_likely likely;
	const struct xrdma_qp_row *row = sandbox_row(qp);

	memset(&likely, 0, sizeof(likely));
	for (enum sandbox_qp other = 0; other < SANDBOX_QPS; other++)
		add_likely(&likely.qpns, sandbox_qpn(other));
	for (enum sandbox_place place = 0; place < SANDBOX_PLACES; place++) {
		add_likely(&likely.keys, sandbox_key(place));
		add_likely(&likely.addresses,
			   sandbox_address(place) + (place & 1 ? 0 : SANDBOX_REGION));
	}
	add_likely(&likely.psns, row->resp.psn);
	add_likely(&likely.psns, row->req.acked_psn);
	add_likely(&likely.psns, row->sent_psn);
	add_likely(&likely.psns, row->resp.psn + (1 << 23));
	add_likely(&likely.lengths, row->mtu);
	add_likely(&likely.lengths, SANDBOX_REGION);
	add_likely(&likely.lengths, XRDMA_MESSAGE_MAX);
	return &likely;
}

void sandbox_await(enum sandbox_qp qp, __u8 response, __u32 length)
{
	struct xrdma_qp_row *row = sandbox_row(qp);

	row->rd_atomics = row->req.rd_atomics_done + 1;
	row->rd_atomic[row->req.rd_atomics_done % XRDMA_RD_ATOMIC_MAX] = (struct xrdma_rd_atomic){
		.psn = row->req.acked_psn,
		.length = length,
		.first = FIRST_READ + qp * SANDBOX_PIECES,
		.num_sge = SANDBOX_PIECES,
		.response = response,
	};
	rows[qp].rd_atomics = row->rd_atomics;
}

void sandbox_refresh(void)
{
	struct xrdma_queue_row *rq = &sandbox_target.queues[RQ], *cq = &sandbox_target.queues[CQ];
	struct xrdma_qp_row *row;

	rq->user_index = rq->xdp_index + (mutate_chance(16) ? 0 : RING - 1);
	cq->user_index = cq->xdp_index - (mutate_chance(16) ? RING : 0);
	for (enum sandbox_qp qp = 0; qp < SANDBOX_QPS; qp++) {
		row = sandbox_row(qp);
		if (row->resp.error || row->resp.pending || row->resp.handed_over ||
		    row->req.error ||
		    ((row->sent_psn - row->req.acked_psn) & XRDMA_PSN_MASK) < SENT / 2)
			open_qp(qp);
	}
}

void sandbox_expect_qps(void)
{
	const size_t of_user = offsetof(struct xrdma_qp_row, resp);

	for (enum sandbox_qp qp = 0; qp < SANDBOX_QPS; qp++)
		expect_msg(!memcmp(&rows[qp], sandbox_row(qp), of_user), "queue pair %d", qp);
	for (int i = 0; i < TARGET_ROWS; i++)
		expect(i == RQ || i == CQ || i == SEND_CQ || !sandbox_target.queues[i].kind);
}
