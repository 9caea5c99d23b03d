// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "estate.h"

#include <arpa/inet.h>
#include <string.h>

#include "lib/frame.h"
#include "test.h"

enum {
	SLOT = 1,
	PD = 3,
	OTHER_PD = 4,
	FIRST_QP = 5, /* rows */
	FIRST_KEY = 17,
	FIRST_ENTRY = 8,
	RQ = 2,
	CQ = 3,
	SEND_CQ = 4,
	RING = 4, /* receives, and completions */
	FIRST_RECEIVE = 64,
	FIRST_READ = 128, /* segments for a READ, of each queue pair */
	FIRST_CQE = 16,
	PIECES = 2,
	GUARD = 512, /* bytes between places */
	BYTES = ESTATE_LIST * (ESTATE_REGION + GUARD) + GUARD,
	FIRST_BYTE = XRDMA_HEAP_ELEMENT - 3 * ESTATE_REGION - 192,
	SPANS_MAX = 64,
	PSN = 0xfffff0, /* near the wrap */
	SENT = 4096,	/* requests that are not acknowledged */
	ENTRIES = 4,
	ENTRY_LEN = 640,
	ANY_REMOTE =
		XRDMA_ACCESS_REMOTE_WRITE | XRDMA_ACCESS_REMOTE_READ | XRDMA_ACCESS_REMOTE_ATOMIC,
};

static const struct place {
	__u32 pd;
	__u16 rights;
	__u8 kind;
	__u8 state;
	bool of_one; /* queue pair */
} places[ESTATE_PLACES] = {
	[ESTATE_WRITABLE] = { PD, XRDMA_ACCESS_REMOTE_WRITE, XRDMA_MKEY_MR, XRDMA_MKEY_VALID },
	[ESTATE_READABLE] = { PD, XRDMA_ACCESS_REMOTE_READ, XRDMA_MKEY_MR, XRDMA_MKEY_VALID },
	[ESTATE_ATOMIC] = { PD, XRDMA_ACCESS_REMOTE_ATOMIC, XRDMA_MKEY_MR, XRDMA_MKEY_VALID },
	[ESTATE_ALL] = { PD, ANY_REMOTE, XRDMA_MKEY_MR, XRDMA_MKEY_VALID },
	[ESTATE_RECEIVE] = { PD, XRDMA_ACCESS_RECV, XRDMA_MKEY_MR, XRDMA_MKEY_VALID },
	[ESTATE_RESULT] = { PD, XRDMA_ACCESS_READ, XRDMA_MKEY_MR, XRDMA_MKEY_VALID },
	[ESTATE_OF_OTHER_PD] = { OTHER_PD, ANY_REMOTE, XRDMA_MKEY_MR, XRDMA_MKEY_VALID },
	[ESTATE_INVALID] = { PD, ANY_REMOTE, XRDMA_MKEY_MR, XRDMA_MKEY_INVALID },
	[ESTATE_WINDOW] = { PD, ANY_REMOTE | XRDMA_ACCESS_REMOTE_INVALIDATE, XRDMA_MKEY_MW2B,
			    XRDMA_MKEY_VALID, true },
	[ESTATE_LISTED] = { PD, XRDMA_ACCESS_LOCAL, XRDMA_MKEY_MR, XRDMA_MKEY_VALID },
	[ESTATE_LIST] = { PD, XRDMA_ACCESS_REMOTE_WRITE | XRDMA_ACCESS_REMOTE_READ, XRDMA_MKEY_LIST,
			  XRDMA_MKEY_VALID },
};

/* Bytes for which the same holds. */
static struct span {
	__u32 at; /* in the heap */
	__u32 len;
	__u16 rights;
	__u32 pd;
	__u32 qpn; /* 0: any */
} spans[SPANS_MAX];
static int span_count;

struct target estate_target;
static __u8 shadow[BYTES];
static struct xrdma_mkey_row keys[TARGET_ROWS];
static struct xrdma_sge segments[TARGET_RECEIVE_ROWS];
static struct xrdma_layout_row layouts[TARGET_LAYOUT_ROWS];
static struct xrdma_qp_row rows[ESTATE_QPS];

static __u32 place_at(enum estate_place place)
{
	return FIRST_BYTE + GUARD + place * (ESTATE_REGION + GUARD);
}

__u32 estate_qpn(enum estate_qp qp)
{
	return SLOT << XRDMA_QPN_INDEX_BITS | (FIRST_QP + qp);
}

struct xrdma_qp_row *estate_row(enum estate_qp qp)
{
	return &estate_target.qps[FIRST_QP + qp];
}

__u32 estate_key(enum estate_place place)
{
	return 0x5ab000 << XRDMA_KEY_INDEX_SHIFT | (FIRST_KEY + place) << XRDMA_KEY_INDEX_SHIFT |
	       (0x30 + place);
}

__u64 estate_address(enum estate_place place)
{
	return place == ESTATE_LIST ? 0 : 0x7f0000001100 + ((__u64)place << 20);
}

__u32 estate_len(enum estate_place place)
{
	return place == ESTATE_LIST ? ENTRIES * ENTRY_LEN : ESTATE_REGION;
}

/* Of what is before it no byte may change, from where the last span ends. */
static void add_span(__u32 at, __u32 len, const struct place *place, __u16 rights)
{
	const struct span *last = span_count ? &spans[span_count - 1] : NULL;
	__u32 end = last ? last->at + last->len : FIRST_BYTE;

	if (at > end)
		spans[span_count++] = (struct span){ .at = end, .len = at - end };
	spans[span_count++] = (struct span){
		.at = at,
		.len = len,
		.rights = rights,
		.pd = place ? place->pd : 0,
		.qpn = place && place->of_one ? estate_qpn(ESTATE_MTU_1024) : 0,
	};
}

/* Receives are of two pieces, and so is the memory for the responses to a READ. */
static const struct piece {
	__u32 at, len;
} pieces[PIECES] = { { 100, 4099 }, { 4400, 3001 } };

static void open_spans(void)
{
	const struct place *list = &places[ESTATE_LIST];

	span_count = 0;
	for (enum estate_place i = 0; i < ESTATE_LIST; i++) {
		if (i == ESTATE_LISTED) {
			for (int e = 0; e < ENTRIES; e++)
				add_span(place_at(i) + 2 * e * ENTRY_LEN, ENTRY_LEN, list,
					 list->rights);
		} else if (i == ESTATE_RECEIVE || i == ESTATE_RESULT) {
			for (int p = 0; p < PIECES; p++)
				add_span(place_at(i) + pieces[p].at, pieces[p].len, &places[i],
					 places[i].rights);
		} else if (places[i].state == XRDMA_MKEY_VALID) {
			add_span(place_at(i), ESTATE_REGION, &places[i], places[i].rights);
		}
	}
	add_span(FIRST_BYTE + BYTES, 0, NULL, 0);
}

static void open_keys(void)
{
	struct xrdma_mkey_row *row;

	for (enum estate_place i = 0; i < ESTATE_PLACES; i++) {
		row = &estate_target.mkeys[FIRST_KEY + i];
		*row = (struct xrdma_mkey_row){
			.key = estate_key(i),
			.kind = places[i].kind,
			.state = places[i].state,
			.rights = places[i].rights,
			.pd = places[i].pd,
			.qpn = places[i].of_one ? estate_qpn(ESTATE_MTU_1024) : 0,
			.base = estate_address(i),
			.len = estate_len(i),
			.offset = i == ESTATE_LIST ? 0 : place_at(i),
		};
	}
	row->layout_first = FIRST_ENTRY;
	row->layout_count = ENTRIES;
	row->round = ENTRIES * ENTRY_LEN;
	for (int e = 0; e < ENTRIES; e++)
		estate_target.layouts[FIRST_ENTRY].entries[e] = (struct xrdma_layout_entry){
			.addr = estate_address(ESTATE_LISTED) + 2 * e * ENTRY_LEN,
			.at = e * ENTRY_LEN,
			.length = ENTRY_LEN,
			.lkey = estate_key(ESTATE_LISTED),
		};
}

static void set_pieces(__u32 first, enum estate_place place)
{
	for (int p = 0; p < PIECES; p++)
		estate_target.sges[first + p] =
			(struct xrdma_sge){ estate_address(place) + pieces[p].at, pieces[p].len,
					    estate_key(place) };
}

static void open_queues(void)
{
	estate_target.queues[RQ] = (struct xrdma_queue_row){
		.kind = XRDMA_QUEUE_RQ,
		.first = FIRST_RECEIVE,
		.mask = RING - 1,
		.stride = PIECES,
	};
	for (int i = CQ; i <= SEND_CQ; i++)
		estate_target.queues[i] = (struct xrdma_queue_row){
			.kind = XRDMA_QUEUE_CQ,
			.first = FIRST_CQE + (i - CQ) * RING,
			.mask = RING - 1,
			.stride = 1,
		};
	for (int i = 0; i < RING; i++)
		set_pieces(FIRST_RECEIVE + i * PIECES, ESTATE_RECEIVE);
	for (int i = 0; i < ESTATE_QPS; i++)
		set_pieces(FIRST_READ + i * PIECES, ESTATE_RESULT);
}

static void open_qp(enum estate_qp qp)
{
	static const __u16 mtus[ESTATE_QPS] = { [ESTATE_MTU_256] = 256, [ESTATE_MTU_4096] = 4096 };
	struct xrdma_qp_row *row = &rows[qp];

	*row = (struct xrdma_qp_row){
		.state = qp == ESTATE_INIT ? XRDMA_QPS_INIT : XRDMA_QPS_RTS,
		.transport = qp == ESTATE_UC ? XRDMA_TRANSPORT_UC : XRDMA_TRANSPORT_RC,
		.access = qp == ESTATE_NO_ACCESS ? 0 : ANY_REMOTE,
		.mtu = mtus[qp] ? mtus[qp] : 1024,
		.pkey = 0xffff,
		.pd = qp == ESTATE_OTHER_PD ? OTHER_PD : PD,
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

/* Any few bytes of it are known when they are seen. */
static void open_memory(void)
{
	static const char secret[] = "secret";

	for (__u32 at = 0; at < BYTES; at++)
		shadow[at] = secret[at % (sizeof(secret) - 1)];
	for (int i = 0; i < span_count; i++)
		if (spans[i].rights & (XRDMA_ACCESS_REMOTE_READ | XRDMA_ACCESS_REMOTE_ATOMIC))
			memset(shadow + spans[i].at - FIRST_BYTE, 0, spans[i].len);
	memcpy(estate_target.heap + FIRST_BYTE, shadow, BYTES);
}

void estate_open(void)
{
	target_open(&estate_target, SLOT);
	open_keys();
	open_queues();
	for (enum estate_qp qp = 0; qp < ESTATE_QPS; qp++)
		open_qp(qp);
	open_spans();
	open_memory();
	memcpy(keys, estate_target.mkeys, sizeof(keys));
	memcpy(segments, estate_target.sges, sizeof(segments));
	memcpy(layouts, estate_target.layouts, sizeof(layouts));
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
		.first = FIRST_READ + qp * PIECES,
		.num_sge = PIECES,
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
		if (row->resp.error || row->resp.owed || row->resp.at_tc || row->req.error ||
		    ((row->sent_psn - row->req.acked_psn) & XRDMA_PSN_MASK) < SENT / 2)
			open_qp(qp);
	}
}

static const __u8 *bytes_of(const struct span *span)
{
	return estate_target.heap + span->at;
}

static __u32 pd_of(__u32 qpn)
{
	return qpn == estate_qpn(ESTATE_OTHER_PD) ? OTHER_PD : PD;
}

unsigned int estate_expect_rights(__u32 qpn, unsigned int rights)
{
	unsigned int used = 0;
	__u8 *was;

	if (!memcmp(estate_target.heap + FIRST_BYTE, shadow, BYTES))
		return 0;
	for (int i = 0; i < span_count; i++) {
		was = shadow + spans[i].at - FIRST_BYTE;
		if (!memcmp(bytes_of(&spans[i]), was, spans[i].len))
			continue;
		expect_msg(spans[i].rights & rights, "memory at %u has changed", spans[i].at);
		expect(!qpn || !spans[i].qpn || qpn == spans[i].qpn);
		expect(!qpn || pd_of(qpn) == spans[i].pd);
		used |= spans[i].rights & rights;
		memcpy(was, bytes_of(&spans[i]), spans[i].len);
	}
	return used;
}

void estate_expect_secrets(const __u8 *bytes, size_t len)
{
	expect_msg(!memmem(bytes, len, "secret", 6), "a packet has what may not be read");
}

/* Of what a SEND with invalidate may end: it is valid again. */
static void expect_keys(void)
{
	struct xrdma_mkey_row *window = &estate_target.mkeys[FIRST_KEY + ESTATE_WINDOW];

	if (window->state == XRDMA_MKEY_FREE)
		window->state = XRDMA_MKEY_VALID;
	expect_msg(!memcmp(keys, estate_target.mkeys, sizeof(keys)), "keys have changed");
}

void estate_expect_tables(void)
{
	const size_t of_user = offsetof(struct xrdma_qp_row, resp);
	const __u8 *heap = estate_target.heap;

	expect_keys();
	expect(!memcmp(segments, estate_target.sges, sizeof(segments)));
	expect(!memcmp(layouts, estate_target.layouts, sizeof(layouts)));
	for (enum estate_qp qp = 0; qp < ESTATE_QPS; qp++)
		expect_msg(!memcmp(&rows[qp], estate_row(qp), of_user), "queue pair %d", qp);
	for (int i = 0; i < TARGET_ROWS; i++)
		expect(i == RQ || i == CQ || i == SEND_CQ || !estate_target.queues[i].kind);
	expect(!heap[0] && !memcmp(heap, heap + 1, FIRST_BYTE - 1));
	heap += FIRST_BYTE + BYTES;
	expect(!heap[0] && !memcmp(heap, heap + 1, TARGET_HEAP - FIRST_BYTE - BYTES - 1));
}
