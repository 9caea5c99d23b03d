// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "play.h"

#include <arpa/inet.h>
#include <endian.h>
#include <string.h>
#include <sys/socket.h>

#include "lib/wr.h"
#include "test.h"
#include "wire/header.h"
#include "wire/opcode.h"
#include "wire/psn.h"

enum {
	QUEUED = 64,
	RECEIVE_LEN = 8192,
	/*
	 * Parts of our memory: for the peer's requests, for data that we fetch, that we send, and
	 * that we receive.
	 */
	FETCHED_AT = OWNER_BYTES / 4,
	SENT_AT = OWNER_BYTES / 2,
	RECEIVED_AT = OWNER_BYTES * 3 / 4,
};

struct play play;

static __u64 base; /* base address of the peer's requests; it is the beginning of our memory */
static __u32 sent, fetched, received; /* bytes of those parts in use */
static __u32 into[RECORDED_MAX];      /* place for the response to our request */

/* Returns the offset in our memory for VA of the peer's requests. */
static __u32 at_va(__u64 va)
{
	expect(va >= base && va - base < FETCHED_AT);
	return va - base;
}

/* Fill our memory with the bytes that our end sent in reply to packet I. */
static void fill_memory(int i)
{
	const struct recorded *request = &recording.all[i];
	const __u32 at = at_va(request->pkt.va);

	for (int n = i + 1; n < recording.count; n++) {
		const struct xrdma_pkt *pkt = &recording.all[n].pkt;
		__u8 *to = play.memory + at + (pkt->psn - request->pkt.psn) * recording_mtu();

		if (!recording.all[n].ours || recording_request_of(&recording.all[n], false) != i)
			continue;
		if (pkt->info.op == XRDMA_OP_READ_RESPONSE)
			memcpy(to, recording.all[n].frame.bytes + pkt->payload_at,
			       pkt->payload_len);
		else if (pkt->info.op == XRDMA_OP_ATOMIC_ACK && !*(__u64 *)to)
			*(__u64 *)to = pkt->original;
	}
	memcpy(peer.b.owner.memory, play.memory, FETCHED_AT);
}

/* Replace the queue pair of peer.h by one with longer queues, connected as in the capture. */
static void connect_as_captured(void)
{
	struct side *b = &peer.b;

	expect_int(xrdma_qp_destroy(b->qp), ==, 0);
	b->init.max_send_wr = b->init.max_recv_wr = QUEUED;
	expect_int(xrdma_qp_create(b->owner.pd, &b->init, &b->qp), ==, 0);
	b->attr.rq_psn = recording_first_psn(false);
	b->attr.sq_psn = play.posted = recording_first_psn(true);
	b->attr.path_mtu = recording_mtu();
	b->attr.timeout = 12; /* 16.8 ms */
	b->attr.retry_cnt = 3;
	b->attr.rnr_retry = 7;
	b->attr.min_rnr_timer = 14;
	b->attr.max_rd_atomic = b->attr.max_dest_rd_atomic = XRDMA_RD_ATOMIC_MAX;
	side_bring_to(b, XRDMA_QPS_RTS);
}

void play_begin(const struct play_script *script, enum role role)
{
	play = (struct play){ .script = script, .role = role };
	sent = fetched = received = 0;
	recording_load(script->name, role);
	recording.count -= script->skipped;
	memmove(recording.all, recording.all + script->skipped,
		recording.count * sizeof(recording.all[0]));
	base = recording_lowest_va();
	memset(peer.b.owner.memory, 0, OWNER_BYTES);
	connect_as_captured();
}

/* Returns whether to post a receive: not if the captured reply says that there was none. */
static bool finds_a_receive(int i)
{
	while (++i < recording.count)
		if (recording.all[i].ours && !recording.all[i].request)
			return (recording.all[i].pkt.syndrome & XRDMA_AETH_KIND_MASK) !=
			       XRDMA_AETH_RNR_NAK;
	return true;
}

static void post_receive(void)
{
	const __u32 len = play.script->receive_len ?: RECEIVE_LEN;
	const struct xrdma_sge into = {
		.addr = (uintptr_t)peer.b.owner.memory + RECEIVED_AT + received,
		.length = len,
		.lkey = xrdma_mr_key(peer.mr),
	};
	const struct xrdma_recv_wr receive = { .sg_list = &into, .num_sge = 1 }, *bad;

	expect_int(RECEIVED_AT + received + len, <=, OWNER_BYTES);
	expect_msg(!xrdma_qp_post_recv(peer.b.qp, &receive, &bad), "%s", xrdma_error());
	received += len;
	play.receives++;
}

/* Remember the payload of the peer's packet I, for a comparison with our memory. */
static void note_payload(int i)
{
	const struct xrdma_pkt *pkt = &recording.all[i].pkt;
	const bool request = recording.all[i].request;
	const int of = recording_request_of(&recording.all[i], !request);
	const struct xrdma_pkt *first = &recording.all[of].pkt;
	__u32 skip = (pkt->psn - first->psn) * peer.b.attr.path_mtu, to;

	if (!request)
		to = into[of];
	else if (pkt->info.op == XRDMA_OP_SEND)
		to = RECEIVED_AT + received - (play.script->receive_len ?: RECEIVE_LEN);
	else
		to = first->va ? at_va(first->va) : 0;
	if (pkt->info.op == XRDMA_OP_ATOMIC_ACK)
		memcpy(play.memory + to, &pkt->original, sizeof(pkt->original));
	else
		memcpy(play.memory + to + skip, recording.all[i].frame.bytes + pkt->payload_at,
		       pkt->payload_len);
}

static void note_atomic(const struct xrdma_pkt *pkt)
{
	__u64 *word = (__u64 *)(play.memory + at_va(pkt->va));

	if (pkt->opcode == XRDMA_RC_FETCH_ADD)
		*word += pkt->swap_add;
	else if (*word == pkt->compare)
		*word = pkt->swap_add;
}

/* Prepare our end for the peer's packet I, and remember the changes that it will make. */
static void prepare(int i)
{
	const struct xrdma_pkt *pkt = &recording.all[i].pkt;
	bool takes = pkt->info.op == XRDMA_OP_SEND && pkt->info.position & XRDMA_POSITION_FIRST;

	if (takes || (pkt->info.op == XRDMA_OP_WRITE && pkt->info.headers & XRDMA_HDR_IMMDT)) {
		if (!finds_a_receive(i))
			return;
		post_receive();
	}
	if (recording.all[i].request && xrdma_op_is_rd_atomic(pkt->info.op))
		fill_memory(i);
	if (play.script->wrong_key || play.script->refused ||
	    (takes && pkt->payload_len > play.script->receive_len && play.script->receive_len))
		return;
	if (pkt->info.op == XRDMA_OP_CMP_SWAP || pkt->info.op == XRDMA_OP_FETCH_ADD)
		note_atomic(pkt);
	else if (pkt->payload_len || pkt->info.op == XRDMA_OP_ATOMIC_ACK)
		note_payload(i);
}

/*
 * Send packet I of the capture, but to our queue pair, from the peer's addresses, and for our
 * memory.
 */
static void send_theirs(int i)
{
	static const __u8 macs[] = { 2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 3 };
	const struct xrdma_pkt *pkt = &recording.all[i].pkt;
	struct xrdma_frame frame = recording.all[i].frame;
	struct iphdr *ip = (struct iphdr *)(frame.bytes + pkt->ip_at);
	struct xrdma_bth *bth = (struct xrdma_bth *)(frame.bytes + pkt->bth_at);
	struct xrdma_reth *reth = (struct xrdma_reth *)(bth + 1); /* or AtomicETH */

	if (pkt->info.headers & XRDMA_HDR_FETH)
		reth = (void *)((struct xrdma_feth *)reth + 1);
	memcpy(frame.bytes, macs, sizeof(macs));
	ip->saddr = inet_addr("10.66.0.3");
	ip->daddr = inet_addr("10.66.0.2");
	bth->dest_qpn = htonl(xrdma_qp_number(peer.b.qp));
	if (recording.all[i].request && pkt->va) {
		reth->va = htobe64((uintptr_t)peer.b.owner.memory + pkt->va - base);
		reth->rkey = htonl(xrdma_mr_key(peer.mr) ^ play.script->wrong_key);
	}
	packet_seal(frame.bytes, recording.all[i].len);
	peer_send_bytes(frame.bytes, recording.all[i].len);
}

void play_theirs(int i)
{
	prepare(i);
	send_theirs(i);
}

static enum xrdma_wr_opcode wr_opcode(const struct xrdma_pkt *last)
{
	const bool imm = last->info.headers & XRDMA_HDR_IMMDT;

	switch (last->info.op) {
	case XRDMA_OP_SEND:
		return last->info.headers & XRDMA_HDR_IETH ? XRDMA_WR_SEND_WITH_INV
		       : imm				   ? XRDMA_WR_SEND_WITH_IMM
							   : XRDMA_WR_SEND;
	case XRDMA_OP_WRITE:
		return imm ? XRDMA_WR_RDMA_WRITE_WITH_IMM : XRDMA_WR_RDMA_WRITE;
	case XRDMA_OP_READ:
		return XRDMA_WR_RDMA_READ;
	case XRDMA_OP_CMP_SWAP:
		return XRDMA_WR_ATOMIC_CMP_AND_SWP;
	default:
		return XRDMA_WR_ATOMIC_FETCH_AND_ADD;
	}
}

/*
 * Collect the bytes of the message that begins with packet I. *LAST becomes its last packet.
 * Returns the length.
 */
static __u32 gather(int i, const struct xrdma_pkt **last)
{
	__u32 len = 0, psn = recording.all[i].pkt.psn;

	for (;; i++) {
		const struct xrdma_pkt *pkt = &recording.all[i].pkt;

		expect_int(i, <, recording.count);
		if (!recording.all[i].ours || !recording.all[i].request || pkt->psn != psn)
			continue;
		memcpy(play.memory + SENT_AT + sent + len,
		       recording.all[i].frame.bytes + pkt->payload_at, pkt->payload_len);
		len += pkt->payload_len;
		psn = xrdma_psn_add(psn, 1);
		*last = pkt;
		if (pkt->info.position & XRDMA_POSITION_LAST)
			return len;
	}
}

void play_post(int i)
{
	const struct xrdma_pkt *first = &recording.all[i].pkt, *last;
	__u32 len = gather(i, &last);
	bool fetches = xrdma_op_is_rd_atomic(first->info.op);
	struct xrdma_sge data = { .lkey = xrdma_mr_key(peer.mr) };
	struct xrdma_send_wr wr = {
		.sg_list = &data,
		.num_sge = 1,
		.opcode = wr_opcode(last),
		.flags = XRDMA_SEND_SIGNALED,
		.rkey = first->key,
		.remote_addr = first->va,
		.compare_add = first->swap_add,
	};
	const struct xrdma_send_wr *bad;

	if (last->bth_flags & XRDMA_BTH_SOLICITED)
		wr.flags |= XRDMA_SEND_SOLICITED;
	if (wr.opcode == XRDMA_WR_SEND_WITH_INV)
		wr.invalidate_key = last->invalidate_key;
	else
		wr.imm = last->imm;
	if (first->info.op == XRDMA_OP_CMP_SWAP) {
		wr.compare_add = first->compare;
		wr.swap = first->swap_add;
	}
	data.length = first->info.op == XRDMA_OP_READ ? first->length : fetches ? 8 : len;
	data.addr =
		(uintptr_t)peer.b.owner.memory + (fetches ? FETCHED_AT + fetched : SENT_AT + sent);
	memcpy(peer.b.owner.memory + SENT_AT + sent, play.memory + SENT_AT + sent, len);
	into[i] = FETCHED_AT + fetched;
	fetched += fetches ? data.length : 0;
	sent += len;
	expect_msg(!xrdma_qp_post_send(peer.b.qp, &wr, &bad), "%s", xrdma_error());
	play.posted = xrdma_psn_add(first->psn,
				    xrdma_wr_packets(wr.opcode, data.length, peer.b.attr.path_mtu));
	play.requests++;
}
