// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "run/request.h"

#include <endian.h>
#include <string.h>

#include "lib/addr.h"
#include "lib/frame.h"
#include "lib/opcode.h"
#include "lib/order.h"
#include "lib/scatter.h"
#include "key/fork.h"
#include "queue/bounce.h"
#include "run/gather.h"
#include "wire/header.h"

enum {
	ACK_EVERY = 32, /* packets: for acknowledgements during a long message */
};

struct xrdma_request_layout xrdma_request_lay_out(const struct xrdma_qp *qp,
						  const struct xrdma_wqe *wqe, __u64 number)
{
	const struct xrdma_wqe_packet packet = xrdma_wqe_packet(wqe, number, qp->path.mtu);
	bool fetches = xrdma_wqe_fetches(wqe);
	struct xrdma_request_layout l = {
		.number = number,
		.packet = packet,
		.position = (fetches || number == wqe->first ? XRDMA_POSITION_FIRST : 0) |
			    (fetches || number + 1 == wqe->end ? XRDMA_POSITION_LAST : 0),
		.payload_len = fetches ? 0 : packet.length,
	};

	l.opcode = xrdma_wr_packet(wqe->info, qp->init.transport, l.position);
	l.payload_at = sizeof(struct xrdma_bth) + xrdma_opcode_info(l.opcode)->headers_len;
	l.pad = -l.payload_len & 3;
	l.len = l.payload_at + l.payload_len + l.pad + XRDMA_ICRC_LEN;
	return l;
}

/*
 * Write the headers of IP and UDP. They differ between requests only by length, and by the
 * identification of IPv4, by which the kernel numbers the datagrams of a message.
 */
static void write_outer(const struct xrdma_qp *qp, const struct xrdma_path *path,
			const struct xrdma_request_layout *l, const struct xrdma_room *room)
{
	__u8 *headers = room->headers;
	const struct xrdma_ip_attr ip = {
		.saddr = path->source,
		.daddr = path->dest,
		.tclass = path->tclass,
		.hop_limit = path->hop_limit,
	};
	const __u16 len = sizeof(struct udphdr) + l->len;

	if (xrdma_path_is_ipv4(path)) {
		xrdma_ipv4_write((void *)headers, &ip, len);
		((struct iphdr *)headers)->id = htons(room->number);
		headers += sizeof(struct iphdr);
	} else {
		xrdma_ipv6_write((void *)headers, &ip, len);
		headers += sizeof(struct ipv6hdr);
	}
	*(struct udphdr *)headers = xrdma_udp(qp->row, len);
}

/*
 * Returns the key to send. The key of a READ of no bytes is not checked (IBA C9-88), but Soft-RoCE
 * checks it when the READ is sent again. Since Linux 6.3 it then accepts only 0. Before 6.3 it
 * accepted only the first key, unless that was 0. So the key alternates: the READ's own key first,
 * then 0.
 */
static __u32 key_of(const struct xrdma_qp *qp, const struct xrdma_wqe *wqe)
{
	bool nothing = wqe->opcode == XRDMA_WR_RDMA_READ && !wqe->length;

	return nothing && qp->flow.retries && qp->flow.retries % 2 == 0 ? 0 : wqe->rkey;
}

/*
 * Returns the RETH. In the first packet of a WRITE it describes the whole message. In a READ it
 * describes the data that have not arrived.
 */
static struct xrdma_reth reth_of(const struct xrdma_qp *qp, const struct xrdma_wqe *wqe,
				 const struct xrdma_wqe_packet *packet)
{
	bool read = wqe->opcode == XRDMA_WR_RDMA_READ;

	return (struct xrdma_reth){
		.va = htobe64(wqe->remote_addr + packet->offset),
		.rkey = htonl(key_of(qp, wqe)),
		.length = htonl(read ? packet->length : wqe->length),
	};
}

static struct xrdma_atomiceth atomiceth_of(const struct xrdma_wqe *wqe)
{
	bool swaps = wqe->opcode == XRDMA_WR_ATOMIC_CMP_AND_SWP;

	return (struct xrdma_atomiceth){
		.va = htobe64(wqe->remote_addr),
		.rkey = htonl(wqe->rkey),
		.swap_add = htobe64(swaps ? wqe->swap : wqe->compare_add),
		.compare = htobe64(swaps ? wqe->compare_add : 0),
	};
}

static void write_extended(const struct xrdma_qp *qp, const struct xrdma_wqe *wqe,
			   const struct xrdma_wqe_packet *packet, __u16 headers, void *at)
{
	if (headers & XRDMA_HDR_DETH) {
		struct xrdma_deth *deth = at;

		*deth = (struct xrdma_deth){ htonl(wqe->to.qkey), htonl(qp->qpn) };
		at = deth + 1;
	}
	if (headers & XRDMA_HDR_RETH) {
		struct xrdma_reth *reth = at;

		*reth = reth_of(qp, wqe, packet);
		at = reth + 1;
	}
	if (headers & XRDMA_HDR_ATOMICETH)
		*(struct xrdma_atomiceth *)at = atomiceth_of(wqe);
	if (headers & XRDMA_HDR_IMMDT)
		*(struct xrdma_immdt *)at = (struct xrdma_immdt){ wqe->imm };
	if (headers & XRDMA_HDR_IETH)
		*(struct xrdma_ieth *)at = (struct xrdma_ieth){ htonl(wqe->invalidate_key) };
}

/*
 * Returns whether a packet has the solicited event bit. Only the last packet of a message that
 * completes a receive may have it (IBA 9.2.3).
 */
static bool is_solicited(const struct xrdma_wqe *wqe, const struct xrdma_request_layout *l)
{
	return wqe->flags & XRDMA_SEND_SOLICITED && l->position & XRDMA_POSITION_LAST &&
	       wqe->info->flags & XRDMA_WRF_SOLICITS;
}

/*
 * Write the BTH and the extended headers. The last packet of a message requests an acknowledgement,
 * and some earlier ones do (IBA 9.7.3.1 lets the requester choose).
 */
static void write_transport(const struct xrdma_qp *qp, const struct xrdma_wqe *wqe,
			    const struct xrdma_request_layout *l, __u8 *datagram)
{
	struct xrdma_bth *bth = (void *)datagram;
	bool ack_req = qp->is_reliable &&
		       (l->position & XRDMA_POSITION_LAST || l->number % ACK_EVERY == 0);
	__u8 flags =
		l->pad << XRDMA_BTH_PAD_SHIFT | (is_solicited(wqe, l) ? XRDMA_BTH_SOLICITED : 0);

	*bth = xrdma_bth(qp->row, l->opcode, flags,
			 (l->number & XRDMA_PSN_MASK) | (ack_req ? XRDMA_BTH_ACKREQ : 0));
	if (!qp->is_connected)
		bth->dest_qpn = htonl(wqe->to.qpn);
	write_extended(qp, wqe, &l->packet, xrdma_opcode_info(l->opcode)->headers, bth + 1);
}

static enum xrdma_verdict gather_once(const struct xrdma_qp *qp, const struct xrdma_wqe *wqe,
				      const struct xrdma_wqe_packet *packet, __u8 *into)
{
	struct xrdma_walk walk;
	struct xrdma_chunk chunk;
	enum xrdma_verdict verdict;

	for (xrdma_gather(&walk, qp, wqe, packet); walk.left; into += chunk.len) {
		verdict = xrdma_gather_next(qp, &walk, &chunk);
		if (verdict != XRDMA_V_OK)
			return verdict;
		memcpy(into, chunk.bytes, chunk.len);
	}
	return XRDMA_V_OK;
}

/*
 * Copy the payload of PACKET from registered memory. If a key is revoked in the meantime, the
 * verdict says so. If the memory is elsewhere because of a fork, the function waits.
 */
static enum xrdma_verdict gather(const struct xrdma_qp *qp, const struct xrdma_wqe *wqe,
				 const struct xrdma_wqe_packet *packet, __u8 *into)
{
	const struct xrdma_context *context = qp->pd->context;
	enum xrdma_verdict verdict;
	__u32 revoked;

	do {
		revoked = XRDMA_OBSERVE(context->keys->revoked);
		xrdma_fork_pass(context);
		verdict = gather_once(qp, wqe, packet, into);
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
	} while (verdict == XRDMA_V_OK && XRDMA_READ(context->keys->revoked) != revoked);
	return verdict;
}

/* Copy the payload of PACKET, from wherever it is. */
static enum xrdma_verdict copy_payload(const struct xrdma_qp *qp, const struct xrdma_wqe *wqe,
				       const struct xrdma_wqe_packet *packet, __u8 *into)
{
	if (wqe->flags & XRDMA_SEND_INLINE)
		memcpy(into, wqe->inline_bytes + packet->offset, packet->length);
	else if (xrdma_pd_uses_keys(qp->pd))
		return gather(qp, wqe, packet, into);
	else
		xrdma_sges_gather(wqe->sges, packet->offset, packet->length, into);
	return XRDMA_V_OK;
}

/*
 * Tell XDP where to place the response to WQE, a READ or an atomic. Returns XRDMA_V_OK or the
 * verdict on a local key.
 */
static enum xrdma_verdict begin_rd_atomic(struct xrdma_qp *qp, const struct xrdma_wqe *wqe)
{
	const struct xrdma_wqe_packet all = { 0, wqe->length };
	__u32 at = wqe->rd_atomic % XRDMA_RD_ATOMIC_MAX;
	struct xrdma_rd_atomic request = {
		.psn = wqe->first & XRDMA_PSN_MASK,
		.length = wqe->length,
		.first = qp->rd_atomics.first + at * qp->rd_atomics.max_sge,
		.response = wqe->opcode == XRDMA_WR_RDMA_READ ? XRDMA_OP_READ_RESPONSE
							      : XRDMA_OP_ATOMIC_ACK,
	};
	struct xrdma_sge *sges = qp->rd_atomics.sges + (size_t)at * qp->rd_atomics.max_sge;
	enum xrdma_verdict verdict;
	struct xrdma_walk walk;

	if (wqe->rd_atomic != XRDMA_READ(qp->row->rd_atomics)) /* it is being sent again */
		return XRDMA_V_OK;
	for (xrdma_gather(&walk, qp, wqe, &all); walk.left; xrdma_walk_pass(&walk)) {
		verdict = xrdma_gather_enter(qp, &walk);
		if (verdict != XRDMA_V_OK)
			return verdict;
		if (walk.here)
			sges[request.num_sge++] = (struct xrdma_sge){ walk.to.access.va, walk.here,
								      walk.to.access.key };
	}
	qp->row->rd_atomic[at] = request;
	XRDMA_PUBLISH(qp->row->rd_atomics, wqe->rd_atomic + 1);
	return XRDMA_V_OK;
}

/*
 * Check the memory of a message of several packets before the first packet is sent for the first
 * time. So no message is broken off because one of its keys is wrong from the beginning.
 */
static enum xrdma_verdict check_memory(const struct xrdma_qp *qp, const struct xrdma_wqe *wqe)
{
	if (wqe->flags & XRDMA_SEND_INLINE || !xrdma_pd_uses_keys(qp->pd))
		return XRDMA_V_OK;
	return xrdma_gather_check(qp, wqe, &(struct xrdma_wqe_packet){ 0, wqe->length });
}

/* Prepare WQE before its first packet, PACKET, is sent for the first time. */
static enum xrdma_verdict begin(const struct xrdma_qp *qp, const struct xrdma_wqe *wqe,
				const struct xrdma_wqe_packet *packet)
{
	if (wqe->bounce)
		return xrdma_wqe_fetches(wqe) ? xrdma_bounce_check(wqe->bounce, wqe->length)
					      : xrdma_bounce_fill(wqe->bounce);
	return packet->length < wqe->length ? check_memory(qp, wqe) : XRDMA_V_OK;
}

static void seal(const struct xrdma_path *path, const struct xrdma_request_layout *l,
		 const struct xrdma_room *room)
{
	const __u8 version = xrdma_path_is_ipv4(path) ? 4 : 6;
	const __u32 at = l->len - XRDMA_ICRC_LEN;
	__le32 icrc = htole32(xrdma_frame_icrc_apart(room->headers, version, room->datagram, at));

	memcpy(room->datagram + at, &icrc, sizeof(icrc));
}

enum xrdma_verdict xrdma_request_build(struct xrdma_qp *qp, const struct xrdma_wqe *wqe,
				       const struct xrdma_request_layout *l,
				       const struct xrdma_room *room)
{
	const struct xrdma_path *path = xrdma_qp_path(qp, wqe);
	bool begins = l->number == wqe->first && l->number == qp->flow.sent;
	enum xrdma_verdict verdict = begins ? begin(qp, wqe, &l->packet) : XRDMA_V_OK;

	if (verdict == XRDMA_V_OK)
		verdict = xrdma_wqe_fetches(wqe) ? begin_rd_atomic(qp, wqe)
						 : copy_payload(qp, wqe, &l->packet,
								room->datagram + l->payload_at);
	if (verdict != XRDMA_V_OK)
		return verdict;
	write_outer(qp, path, l, room);
	write_transport(qp, wqe, l, room->datagram);
	memset(room->datagram + l->payload_at + l->payload_len, 0, l->pad);
	seal(path, l, room);
	return XRDMA_V_OK;
}
