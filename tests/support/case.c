// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "case.h"

#include <arpa/inet.h>
#include <linux/bpf.h>
#include <stdlib.h>
#include <string.h>

#include "lib/frame.h"
#include "lib/opcode.h"

struct xrdma_sge *case_sges(const struct run *r, __u32 receive)
{
	return &r->target.sges[r->rq->first + case_number(r, receive) * r->rq->stride];
}

/* The memory of the next receive is the 64 bytes that the packet writes. */
static void fill_receive(struct run *r)
{
	r->sges = case_sges(r, CASE_RECEIVE);
	r->sges[0] = (struct xrdma_sge){
		.addr = CASE_BASE + 16,
		.length = 64,
		.lkey = CASE_KEY,
	};
}

void case_share(struct run *r)
{
	__u32 *numbers = (__u32 *)&r->target.sges[CASE_RING];

	r->sges[0] = (struct xrdma_sge){ 0 };
	r->rq->ring = CASE_RING + 1;
	for (__u32 i = 0; i <= CASE_RQ_MASK; i++)
		numbers[i] = case_number(r, i);
	fill_receive(r);
}

void case_take_receive(struct run *r)
{
	if (r->rq->ring)
		r->qp->resp.claim = case_number(r, r->rq->xdp_index++) + 1;
}

static void open_queues(struct run *r)
{
	r->rq = &r->target.queues[CASE_RQ];
	*r->rq = (struct xrdma_queue_row){
		.kind = XRDMA_QUEUE_RQ,
		.first = CASE_FIRST_SGE,
		.mask = CASE_RQ_MASK,
		.stride = CASE_SGES,
		.user_index = CASE_RECEIVE,
		.xdp_index = CASE_RECEIVE,
	};
	fill_receive(r);
	r->cq = &r->target.queues[CASE_CQ];
	*r->cq = (struct xrdma_queue_row){
		.kind = XRDMA_QUEUE_CQ,
		.first = CASE_CQES,
		.mask = CASE_CQ_MASK,
		.stride = 1,
		.user_index = CASE_ENTRY,
		.xdp_index = CASE_ENTRY,
	};
	r->send_cq = &r->target.queues[CASE_SEND_CQ];
	*r->send_cq = (struct xrdma_queue_row){ .kind = XRDMA_QUEUE_CQ };
}

void case_set_send(struct run *r)
{
	r->packet.opcode = XRDMA_RC_SEND_ONLY;
	r->rq->user_index++;
	r->mkey->rights = XRDMA_ACCESS_RECV;
}

void case_set_read(struct run *r)
{
	r->packet.opcode = XRDMA_RC_READ_REQUEST;
	r->packet.payload_len = 0;
	r->qp->access = XRDMA_ACCESS_REMOTE_READ;
	r->qp->max_dest_rd_atomic = 1;
	r->mkey->rights = XRDMA_ACCESS_REMOTE_READ;
	for (int i = 0; i < CASE_REGION; i++)
		r->target.heap[CASE_REGION_AT + i] = rand();
}

void case_set_ipv6(struct run *r)
{
	r->packet.ip_version = 6;
	inet_pton(AF_INET6, "fd66::3", r->qp->peer_addr);
	inet_pton(AF_INET6, "fd66::2", r->qp->addr);
}

void case_set_paged(struct run *r, __u64 first, __u64 second)
{
	const __u32 table = CASE_REGION_AT + 512;
	__u64 *words = (__u64 *)(r->target.heap + table);

	words[0] = first;
	words[1] = second;
	r->mkey->offset = XRDMA_PAGED | (table / sizeof(*words)) << XRDMA_PAGE_SHIFT;
}

__u64 *case_word(const struct run *r)
{
	return (__u64 *)(r->target.heap + r->mkey->offset + (r->packet.va - r->mkey->base));
}

void case_set_fetch_add(struct run *r)
{
	case_set_read(r);
	r->packet.opcode = XRDMA_RC_FETCH_ADD;
	r->packet.swap_add = 0x0123456789abcdef;
	r->qp->access = r->mkey->rights = XRDMA_ACCESS_REMOTE_ATOMIC;
	r->original = *case_word(r);
}

void case_set_cmp_swap(struct run *r)
{
	case_set_fetch_add(r);
	r->packet.opcode = XRDMA_RC_CMP_SWAP;
	r->packet.compare = r->original;
}

struct xrdma_resource *case_resource(const struct run *r, __u32 number)
{
	return &r->qp->resource[number % XRDMA_RD_ATOMIC_MAX];
}

struct xrdma_resource case_made(const struct run *r)
{
	const struct packet *packet = &r->packet;
	__u8 op = xrdma_opcode_info(packet->opcode)->op;
	bool reads = op == XRDMA_OP_READ;

	return (struct xrdma_resource){
		.original = reads ? 0 : r->original,
		.va = packet->va,
		.key = packet->key,
		.length = reads ? packet->length : sizeof(r->original),
		.psn = packet->psn & XRDMA_PSN_MASK,
		.op_msn = (__u32)op << 24 | CASE_MSN,
	};
}

static struct xrdma_rd_atomic *fetch_row(struct run *r, __u32 number)
{
	return &r->qp->rd_atomic[number % XRDMA_RD_ATOMIC_MAX];
}

void case_set_response(struct run *r)
{
	r->packet.opcode = XRDMA_RC_READ_RESPONSE_ONLY;
	r->packet.psn = CASE_ACKED_PSN + 1;
	r->packet.syndrome_msn = (__u32)XRDMA_AETH_ACK_NO_CREDIT << 24 | 0x123;
	r->mkey->rights = XRDMA_ACCESS_READ;
	r->qp->rd_atomics = CASE_RD_ATOMIC + 2;
	r->qp->req.rd_atomics_done = CASE_RD_ATOMIC;
	r->rd_atomic = fetch_row(r, CASE_RD_ATOMIC);
	*r->rd_atomic = (struct xrdma_rd_atomic){
		.psn = CASE_ACKED_PSN + 1,
		.length = 64,
		.first = r->rq->first,
		.num_sge = 1,
		.response = XRDMA_OP_READ_RESPONSE,
	};
	r->next_psn = CASE_ACKED_PSN + 1;
	r->sges = &r->target.sges[r->rq->first];
	r->sges[0] = (struct xrdma_sge){ CASE_BASE + 16, 64, CASE_KEY };
	*fetch_row(r, CASE_RD_ATOMIC + 1) = (struct xrdma_rd_atomic){ .psn = CASE_ACKED_PSN + 2 };
}

void case_set_result(struct run *r)
{
	case_set_response(r);
	r->packet.opcode = XRDMA_RC_ATOMIC_ACK;
	r->packet.original = 0x0123456789abcdef;
	r->packet.payload_len = 0;
	r->rd_atomic->response = XRDMA_OP_ATOMIC_ACK;
	r->rd_atomic->length = r->sges[0].length = 8;
}

void case_set_ack(struct run *r, __u8 syndrome, __u32 psn)
{
	r->packet = (struct packet){ .opcode = XRDMA_RC_ACK,
				     .dest_qpn = CASE_QPN,
				     .psn = psn,
				     .syndrome_msn = (__u32)syndrome << 24 | 0x123,
				     .va = CASE_BASE };
}

void case_open(struct run *r)
{
	target_open(&r->target, CASE_QPN >> XRDMA_QPN_INDEX_BITS);
	r->left_to_stack = r->has_one_frame = false;
	r->edit_frame = NULL;
	r->qp = &r->target.qps[CASE_QPN & (XRDMA_QP_ROWS_MAX - 1)];
	*r->qp = (struct xrdma_qp_row){
		.state = XRDMA_QPS_RTS,
		.transport = XRDMA_TRANSPORT_RC,
		.access = XRDMA_ACCESS_REMOTE_WRITE,
		.mtu = 1024,
		.pkey = 0xffff,
		.pd = 3,
		.peer_qpn = CASE_PEER_QPN,
		.rq = CASE_RQ,
		.send_cq = CASE_SEND_CQ,
		.recv_cq = CASE_CQ,
		.rnr_timer = CASE_RNR_TIMER,
		.sent_psn = CASE_SENT_PSN,
		.udp_sport = 0xd001,
		.resp = { .psn = CASE_PSN, .msn = CASE_MSN },
		.req = { .acked_psn = CASE_ACKED_PSN },
	};
	inet_pton(AF_INET6, "::ffff:10.66.0.3", r->qp->peer_addr);
	inet_pton(AF_INET6, "::ffff:10.66.0.2", r->qp->addr);
	r->mkey = &r->target.mkeys[CASE_KEY >> XRDMA_KEY_INDEX_SHIFT & (TARGET_ROWS - 1)];
	*r->mkey = (struct xrdma_mkey_row){
		.key = CASE_KEY,
		.kind = XRDMA_MKEY_KIND_MR,
		.state = XRDMA_MKEY_STATE_VALID,
		.rights = XRDMA_ACCESS_REMOTE_WRITE,
		.pd = 3,
		.base = CASE_BASE,
		.len = CASE_REGION,
		.offset = CASE_REGION_AT,
		.cntr = CASE_CNTR + 1,
	};
	r->target.slots.rows[r->target.slot].uses = XRDMA_USES_CNTRS;
	open_queues(r);
	r->packet = (struct packet){
		.opcode = XRDMA_RC_WRITE_ONLY,
		.dest_qpn = CASE_QPN,
		.psn = XRDMA_BTH_ACKREQ | CASE_PSN,
		.va = CASE_BASE + 16,
		.key = CASE_KEY,
		.length = 64,
		.payload_len = 64,
	};
}

void case_send(struct run *r, struct target_result *result)
{
	r->len = packet_build(&r->packet, r->frame);
	r->qp->ack_icrc = xrdma_frame_ack_icrc(r->qp);
	target_run(&r->target, r->frame, r->len, result);
}

bool case_is_atomic(const struct run *r)
{
	return r->packet.opcode == XRDMA_RC_FETCH_ADD || r->packet.opcode == XRDMA_RC_CMP_SWAP;
}

bool case_is_reliable(const struct run *r)
{
	return r->qp->transport == XRDMA_TRANSPORT_RC;
}

void case_set_made(struct run *r, __u32 count)
{
	r->qp->resp.resources = count;
	for (__u32 i = 0; i < count; i++) {
		struct xrdma_resource *row = case_resource(r, i);

		*row = case_made(r);
		row->psn = CASE_PSN - count + i;
	}
}
