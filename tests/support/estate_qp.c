// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "estate_qp.h"

#include <arpa/inet.h>
#include <string.h>

#include "lib/frame.h"
#include "test.h"

enum {
	FIRST_QP = 5, /* rows */
	RQ = 2,
	CQ = 3,
	SEND_CQ = 4,
	RING = 4,      /* receives, and completions */
	RECEIVES = 60, /* row of the ring */
	FIRST_RECEIVE = 64,
	FIRST_READ = 128, /* segments for a READ, of each queue pair */
	FIRST_CQE = 16,
	PSN = 0xfffff0, /* near the wrap */
	SENT = 4096,	/* requests that are not acknowledged */
};

const struct estate_piece estate_pieces[] = { { 100, 4099 }, { 4400, 3001 } };

static struct xrdma_qp_row rows[ESTATE_QPS];

__u32 estate_qpn(enum estate_qp qp)
{
	return ESTATE_SLOT << XRDMA_QPN_INDEX_BITS | (FIRST_QP + qp);
}

struct xrdma_qp_row *estate_row(enum estate_qp qp)
{
	return &estate_target.qps[FIRST_QP + qp];
}

static void set_pieces(__u32 first, enum estate_place place)
{
	for (int p = 0; p < ESTATE_PIECES; p++)
		estate_target.sges[first + p] =
			(struct xrdma_sge){ estate_address(place) + estate_pieces[p].at,
					    estate_pieces[p].len, estate_key(place) };
}

static void open_queues(void)
{
	estate_target.queues[RQ] = (struct xrdma_queue_row){
		.kind = XRDMA_QUEUE_RQ,
		.first = FIRST_RECEIVE,
		.mask = RING - 1,
		.stride = ESTATE_PIECES,
		.ring = RECEIVES + 1,
	};
	for (int i = CQ; i <= SEND_CQ; i++)
		estate_target.queues[i] = (struct xrdma_queue_row){
			.kind = XRDMA_QUEUE_CQ,
			.first = FIRST_CQE + (i - CQ) * RING,
			.mask = RING - 1,
			.stride = 1,
		};
	for (int i = 0; i < RING; i++) {
		((__u32 *)&estate_target.sges[RECEIVES])[i] = RING - 1 - i;
		set_pieces(FIRST_RECEIVE + i * ESTATE_PIECES, ESTATE_RECEIVE);
	}
	for (int i = 0; i < ESTATE_QPS; i++)
		set_pieces(FIRST_READ + i * ESTATE_PIECES, ESTATE_RESULT);
}

static void open_qp(enum estate_qp qp)
{
	static const __u16 mtus[ESTATE_QPS] = { [ESTATE_MTU_256] = 256, [ESTATE_MTU_4096] = 4096 };
	struct xrdma_qp_row *row = &rows[qp];

	*row = (struct xrdma_qp_row){
		.state = qp == ESTATE_INIT ? XRDMA_QPS_INIT : XRDMA_QPS_RTS,
		.transport = qp == ESTATE_UC ? XRDMA_TRANSPORT_UC : XRDMA_TRANSPORT_RC,
		.access = qp == ESTATE_NO_ACCESS ? 0 : ESTATE_ANY_REMOTE,
		.mtu = mtus[qp] ? mtus[qp] : 1024,
		.pkey = 0xffff,
		.pd = qp == ESTATE_OTHER_PD ? ESTATE_OTHER : ESTATE_PD,
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
	inet_pton(AF_INET6, qp == ESTATE_IPV6 ? "fd66::3" : "::ffff:10.66.0.3", row->peer_addr);
	inet_pton(AF_INET6, qp == ESTATE_IPV6 ? "fd66::2" : "::ffff:10.66.0.2", row->addr);
	row->ack_icrc = xrdma_frame_ack_icrc(row);
	*estate_row(qp) = *row;
}

void estate_open_qps(void)
{
	open_queues();
	for (enum estate_qp qp = 0; qp < ESTATE_QPS; qp++)
		open_qp(qp);
}

__u32 estate_pd_of(__u32 qpn)
{
	return qpn == estate_qpn(ESTATE_OTHER_PD) ? ESTATE_OTHER : ESTATE_PD;
}

static void add_likely(struct mutate_values *values, __u64 value)
{
	values->all[values->count++] = value;
}

const struct mutate_likely *estate_likely(enum estate_qp qp)
{
	static struct mutate_likely likely;
	const struct xrdma_qp_row *row = estate_row(qp);

	memset(&likely, 0, sizeof(likely));
	for (enum estate_qp other = 0; other < ESTATE_QPS; other++)
		add_likely(&likely.qpns, estate_qpn(other));
	for (enum estate_place place = 0; place < ESTATE_PLACES; place++) {
		add_likely(&likely.keys, estate_key(place));
		add_likely(&likely.addresses,
			   estate_address(place) + (place & 1 ? 0 : ESTATE_REGION));
	}
	add_likely(&likely.psns, row->resp.psn);
	add_likely(&likely.psns, row->req.acked_psn);
	add_likely(&likely.psns, row->sent_psn);
	add_likely(&likely.psns, row->resp.psn + (1 << 23));
	add_likely(&likely.lengths, row->mtu);
	add_likely(&likely.lengths, ESTATE_REGION);
	add_likely(&likely.lengths, XRDMA_MESSAGE_MAX);
	return &likely;
}

void estate_await(enum estate_qp qp, __u8 response, __u32 length)
{
	struct xrdma_qp_row *row = estate_row(qp);

	row->rd_atomics = row->req.rd_atomics_done + 1;
	row->rd_atomic[row->req.rd_atomics_done % XRDMA_RD_ATOMIC_MAX] = (struct xrdma_rd_atomic){
		.psn = row->req.acked_psn,
		.length = length,
		.first = FIRST_READ + qp * ESTATE_PIECES,
		.num_sge = ESTATE_PIECES,
		.response = response,
	};
	rows[qp].rd_atomics = row->rd_atomics;
}

void estate_refresh(void)
{
	struct xrdma_queue_row *rq = &estate_target.queues[RQ], *cq = &estate_target.queues[CQ];
	struct xrdma_qp_row *row;

	rq->user_index = rq->xdp_index + (mutate_chance(16) ? 0 : RING - 1);
	cq->user_index = cq->xdp_index - (mutate_chance(16) ? RING : 0);
	for (enum estate_qp qp = 0; qp < ESTATE_QPS; qp++) {
		row = estate_row(qp);
		if (row->resp.error || row->resp.pending || row->resp.handed_over ||
		    row->req.error ||
		    ((row->sent_psn - row->req.acked_psn) & XRDMA_PSN_MASK) < SENT / 2)
			open_qp(qp);
	}
}

void estate_expect_qps(void)
{
	const size_t of_user = offsetof(struct xrdma_qp_row, resp);

	for (enum estate_qp qp = 0; qp < ESTATE_QPS; qp++)
		expect_msg(!memcmp(&rows[qp], estate_row(qp), of_user), "queue pair %d", qp);
	for (int i = 0; i < TARGET_ROWS; i++)
		expect(i == RQ || i == CQ || i == SEND_CQ || !estate_target.queues[i].kind);
}
