// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "case.h"

#include <arpa/inet.h>
#include <linux/bpf.h>
#include <stdlib.h>
#include <string.h>

#include "lib/frame.h"
#include "lib/opcode.h"

struct xrdma_sge *case_sges(const struct run *run, __u32 receive)
{
	return &run->target.sges[run->rq->first + case_number(run, receive) * run->rq->stride];
}

/* Set the memory of the next receive to the 64 bytes that the packet writes. */
static void fill_receive(struct run *run)
{
	run->sges = case_sges(run, CASE_RECEIVE);
	run->sges[0] = (struct xrdma_sge){
		.addr = CASE_BASE + 16,
		.length = 64,
		.lkey = CASE_KEY,
	};
}

void case_share(struct run *run)
{
	__u32 *numbers = (__u32 *)&run->target.sges[CASE_RING];

	run->sges[0] = (struct xrdma_sge){ 0 };
	run->rq->ring = CASE_RING + 1;
	for (__u32 i = 0; i <= CASE_RQ_MASK; i++)
		numbers[i] = case_number(run, i);
	fill_receive(run);
}

void case_take_receive(struct run *run)
{
	if (run->rq->ring)
		run->qp->resp.claim = case_number(run, run->rq->xdp_index++) + 1;
}

static void open_queues(struct run *run)
{
	run->rq = &run->target.queues[CASE_RQ];
	*run->rq = (struct xrdma_queue_row){
		.kind = XRDMA_QUEUE_RQ,
		.first = CASE_FIRST_SGE,
		.mask = CASE_RQ_MASK,
		.stride = CASE_SGES,
		.user_index = CASE_RECEIVE,
		.xdp_index = CASE_RECEIVE,
	};
	fill_receive(run);
	run->cq = &run->target.queues[CASE_CQ];
	*run->cq = (struct xrdma_queue_row){
		.kind = XRDMA_QUEUE_CQ,
		.first = CASE_CQES,
		.mask = CASE_CQ_MASK,
		.stride = 1,
		.user_index = CASE_ENTRY,
		.xdp_index = CASE_ENTRY,
	};
	run->send_cq = &run->target.queues[CASE_SEND_CQ];
	*run->send_cq = (struct xrdma_queue_row){ .kind = XRDMA_QUEUE_CQ };
}

void case_set_send(struct run *run)
{
	run->packet.opcode = XRDMA_RC_SEND_ONLY;
	run->rq->user_index++;
	run->mkey->rights = XRDMA_ACCESS_RECV;
}

void case_set_read(struct run *run)
{
	run->packet.opcode = XRDMA_RC_READ_REQUEST;
	run->packet.payload_len = 0;
	run->qp->access = XRDMA_ACCESS_REMOTE_READ;
	run->qp->max_dest_rd_atomic = 1;
	run->mkey->rights = XRDMA_ACCESS_REMOTE_READ;
	for (int i = 0; i < CASE_REGION; i++)
		run->target.heap[CASE_REGION_AT + i] = rand();
}

void case_set_ipv6(struct run *run)
{
	run->packet.ip_version = 6;
	inet_pton(AF_INET6, "fd66::3", run->qp->peer_addr);
	inet_pton(AF_INET6, "fd66::2", run->qp->addr);
}

void case_set_paged(struct run *run, __u64 first, __u64 second)
{
	const __u32 table = CASE_REGION_AT + 512;
	__u64 *words = (__u64 *)(run->target.heap + table);

	words[0] = first;
	words[1] = second;
	run->mkey->offset = XRDMA_PAGED | (table / sizeof(*words)) << XRDMA_PAGE_SHIFT;
}

__u64 *case_word(const struct run *run)
{
	return (__u64 *)(run->target.heap + run->mkey->offset + (run->packet.va - run->mkey->base));
}

void case_set_fetch_add(struct run *run)
{
	case_set_read(run);
	run->packet.opcode = XRDMA_RC_FETCH_ADD;
	run->packet.swap_add = 0x0123456789abcdef;
	run->qp->access = run->mkey->rights = XRDMA_ACCESS_REMOTE_ATOMIC;
	run->original = *case_word(run);
}

void case_set_cmp_swap(struct run *run)
{
	case_set_fetch_add(run);
	run->packet.opcode = XRDMA_RC_CMP_SWAP;
	run->packet.compare = run->original;
}

struct xrdma_resource *case_resource(const struct run *run, __u32 number)
{
	return &run->qp->resource[number % XRDMA_RD_ATOMIC_MAX];
}

struct xrdma_resource case_made(const struct run *run)
{
	const struct packet *packet = &run->packet;
	__u8 op = xrdma_opcode_info(packet->opcode)->op;
	bool reads = op == XRDMA_OP_READ;

	return (struct xrdma_resource){
		.original = reads ? 0 : run->original,
		.va = packet->va,
		.key = packet->key,
		.length = reads ? packet->length : sizeof(run->original),
		.psn = packet->psn & XRDMA_PSN_MASK,
		.op_msn = (__u32)op << 24 | CASE_MSN,
	};
}

static struct xrdma_rd_atomic *fetch_row(struct run *run, __u32 number)
{
	return &run->qp->rd_atomic[number % XRDMA_RD_ATOMIC_MAX];
}

void case_set_response(struct run *run)
{
	run->packet.opcode = XRDMA_RC_READ_RESPONSE_ONLY;
	run->packet.psn = CASE_ACKED_PSN + 1;
	run->packet.syndrome_msn = (__u32)XRDMA_AETH_ACK_NO_CREDIT << 24 | 0x123;
	run->mkey->rights = XRDMA_ACCESS_READ;
	run->qp->rd_atomics = CASE_RD_ATOMIC + 2;
	run->qp->req.rd_atomics_done = CASE_RD_ATOMIC;
	run->rd_atomic = fetch_row(run, CASE_RD_ATOMIC);
	*run->rd_atomic = (struct xrdma_rd_atomic){
		.psn = CASE_ACKED_PSN + 1,
		.length = 64,
		.first = run->rq->first,
		.num_sge = 1,
		.response = XRDMA_OP_READ_RESPONSE,
	};
	run->next_psn = CASE_ACKED_PSN + 1;
	run->sges = &run->target.sges[run->rq->first];
	run->sges[0] = (struct xrdma_sge){ CASE_BASE + 16, 64, CASE_KEY };
	*fetch_row(run, CASE_RD_ATOMIC + 1) = (struct xrdma_rd_atomic){ .psn = CASE_ACKED_PSN + 2 };
}

void case_set_result(struct run *run)
{
	case_set_response(run);
	run->packet.opcode = XRDMA_RC_ATOMIC_ACK;
	run->packet.original = 0x0123456789abcdef;
	run->packet.payload_len = 0;
	run->rd_atomic->response = XRDMA_OP_ATOMIC_ACK;
	run->rd_atomic->length = run->sges[0].length = 8;
}

void case_set_ack(struct run *run, __u8 syndrome, __u32 psn)
{
	run->packet = (struct packet){ .opcode = XRDMA_RC_ACK,
				       .dest_qpn = CASE_QPN,
				       .psn = psn,
				       .syndrome_msn = (__u32)syndrome << 24 | 0x123,
				       .va = CASE_BASE };
}

void case_open(struct run *run)
{
	target_open(&run->target, CASE_QPN >> XRDMA_QPN_INDEX_BITS);
	run->left_to_stack = run->has_one_frame = false;
	run->edit_frame = NULL;
	run->qp = &run->target.qps[CASE_QPN & (XRDMA_QP_ROWS_MAX - 1)];
	*run->qp = (struct xrdma_qp_row){
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
	inet_pton(AF_INET6, "::ffff:10.66.0.3", run->qp->peer_addr);
	inet_pton(AF_INET6, "::ffff:10.66.0.2", run->qp->addr);
	run->mkey = &run->target.mkeys[CASE_KEY >> XRDMA_KEY_INDEX_SHIFT & (TARGET_ROWS - 1)];
	*run->mkey = (struct xrdma_mkey_row){
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
	run->target.slots.rows[run->target.slot].uses = XRDMA_USES_CNTRS;
	open_queues(run);
	run->packet = (struct packet){
		.opcode = XRDMA_RC_WRITE_ONLY,
		.dest_qpn = CASE_QPN,
		.psn = XRDMA_BTH_ACKREQ | CASE_PSN,
		.va = CASE_BASE + 16,
		.key = CASE_KEY,
		.length = 64,
		.payload_len = 64,
	};
}

void case_send(struct run *run, struct target_result *result)
{
	run->len = packet_build(&run->packet, run->frame);
	run->qp->ack_icrc = xrdma_frame_ack_icrc(run->qp);
	target_run(&run->target, run->frame, run->len, result);
}

bool case_is_atomic(const struct run *run)
{
	return run->packet.opcode == XRDMA_RC_FETCH_ADD || run->packet.opcode == XRDMA_RC_CMP_SWAP;
}

bool case_is_reliable(const struct run *run)
{
	return run->qp->transport == XRDMA_TRANSPORT_RC;
}

void case_set_made(struct run *run, __u32 count)
{
	run->qp->resp.resources = count;
	for (__u32 i = 0; i < count; i++) {
		struct xrdma_resource *row = case_resource(run, i);

		*row = case_made(run);
		row->psn = CASE_PSN - count + i;
	}
}
