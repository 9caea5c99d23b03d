// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "run/sender.h"

#include <linux/if_ether.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/udp.h>
#include <string.h>

#include "lib/addr.h"

static size_t headers_len(const struct xrdma_path *path)
{
	return (xrdma_path_is_ipv4(path) ? sizeof(struct iphdr) : sizeof(struct ipv6hdr)) +
	       sizeof(struct udphdr);
}

enum {
	FRAMES_MAX = 3,	  /* a few packets cost less as single frames than as one message */
	CUT_LOST_MAX = 3, /* lost in a row: then the kernel segments messages wrongly */
};

/*
 * Returns whether to send a packet of LEN bytes as a frame of AF_XDP, which is better for single
 * packets. Packets sent by UDP may wait in the kernel, and frames would overtake them. So after a
 * packet was sent by UDP, frames are used again only when all packets are acknowledged. When the
 * next hop gets another MAC address, frames are lost until a retransmission, so an unreliable
 * service does not use them.
 */
static bool is_sent_as_frame(const struct xrdma_qp *qp, const struct xrdma_path *path, size_t len)
{
	const struct xrdma_transmit *transmit = &qp->pd->context->transmit;

	if (!qp->is_reliable || !path->has_mac || !transmit->xsk.socket ||
	    ETH_HLEN + headers_len(path) + len > XRDMA_XSK_LEN_MAX)
		return false;
	return xrdma_sq_pending(&qp->sq) <= FRAMES_MAX &&
	       (!qp->by_udp || !xrdma_sq_sends_since(&qp->sq, qp->flow.acked));
}

static bool take_frame(struct xrdma_sender *sender, struct xrdma_room *room)
{
	struct xrdma_qp *qp = sender->qp;

	sender->frame = xrdma_transmit_take(&qp->pd->context->transmit);
	if (!sender->frame)
		return false;
	room->headers = sender->frame->bytes + ETH_HLEN;
	room->datagram = room->headers + headers_len(sender->path);
	room->number = 0;
	return true;
}

/* Send the burst. Returns whether all its packets were sent. */
static bool send_burst(struct xrdma_sender *sender)
{
	struct xrdma_burst *burst = sender->burst;
	__u32 gone = xrdma_udp_send(&sender->qp->udp, burst);
	const struct xrdma_burst_mark *mark = &burst->marks[gone];
	bool all = gone == burst->count;

	if (!all)
		xrdma_sq_unsend(&sender->qp->sq, mark->packet, mark->request);
	xrdma_burst_clear(burst);
	return all;
}

static bool take_datagram(struct xrdma_sender *sender, size_t len, struct xrdma_room *room)
{
	struct xrdma_context *context = sender->qp->pd->context;

	if (!sender->burst)
		sender->burst = xrdma_bursts_take(&context->bursts);
	if (!sender->burst)
		return false;
	if (!sender->qp->is_connected)
		xrdma_burst_set_path(sender->burst, sender->path);
	if (sender->alone)
		xrdma_burst_cut(sender->burst);
	room->headers = sender->burst->headers;
	room->datagram = xrdma_burst_room(sender->burst, len);
	if (!room->datagram && send_burst(sender))
		room->datagram = xrdma_burst_room(sender->burst, len);
	room->number = xrdma_burst_number(sender->burst, len);
	return room->datagram;
}

/*
 * Returns whether to send packets of QP as single datagrams. The kernel may segment messages with
 * other IPv4 identifications than the ICRCs assume, which an unreliable service would not notice.
 */
static bool is_sent_singly(const struct xrdma_qp *qp, const struct xrdma_path *path)
{
	return qp->udp.is_single || qp->flow.retries ||
	       (!qp->is_reliable && xrdma_path_is_ipv4(path));
}

bool xrdma_sender_take(struct xrdma_sender *sender, const struct xrdma_wqe *wqe, size_t len,
		       struct xrdma_room *room)
{
	struct xrdma_qp *qp = sender->qp;
	const struct xrdma_path *path = xrdma_qp_path(qp, wqe);
	bool by_udp = !is_sent_as_frame(qp, path, len);

	sender->path = path;

	if (by_udp && !qp->by_udp)
		xrdma_transmit_flush(&qp->pd->context->transmit);
	qp->by_udp = by_udp;
	sender->alone = xrdma_wqe_fetches(wqe) || is_sent_singly(qp, path);
	return by_udp ? take_datagram(sender, len, room) : take_frame(sender, room);
}

void xrdma_sender_drop(struct xrdma_sender *sender)
{
	if (sender->frame)
		xrdma_transmit_give(&sender->qp->pd->context->transmit, sender->frame);
	sender->frame = NULL;
}

static void queue_frame(struct xrdma_sender *sender, size_t len)
{
	const struct xrdma_path *path = sender->path;
	struct ethhdr *eth = (void *)sender->frame->bytes;
	struct xrdma_frame *frame = sender->frame;

	memcpy(eth->h_dest, path->dest_mac, ETH_ALEN);
	memcpy(eth->h_source, path->source_mac, ETH_ALEN);
	eth->h_proto = htons(xrdma_path_is_ipv4(path) ? ETH_P_IP : ETH_P_IPV6);
	sender->frame = NULL;
	xrdma_transmit_queue(&sender->qp->pd->context->transmit, frame,
			     ETH_HLEN + headers_len(path) + len);
}

void xrdma_sender_acked(struct xrdma_qp *qp)
{
	if (qp->cut.packet && qp->flow.acked > qp->cut.packet)
		qp->cut = (struct xrdma_cut){ 0 };
}

void xrdma_sender_missed(struct xrdma_qp *qp)
{
	if (qp->cut.packet && ++qp->cut.lost == CUT_LOST_MAX)
		qp->udp.is_single = true;
	qp->cut.packet = 0;
}

void xrdma_sender_add(struct xrdma_sender *sender, size_t len)
{
	const struct xrdma_sq *sq = &sender->qp->sq;
	struct xrdma_cut *cut = &sender->qp->cut;

	if (sender->frame) {
		queue_frame(sender, len);
		return;
	}
	if (!cut->packet && xrdma_burst_number(sender->burst, len))
		cut->packet = sq->next;
	xrdma_burst_add(sender->burst, len, (struct xrdma_burst_mark){ sq->next, sq->current });
	if (sender->alone)
		xrdma_burst_cut(sender->burst);
}

void xrdma_sender_end(struct xrdma_sender *sender)
{
	if (!sender->burst)
		return;
	if (sender->burst->count)
		send_burst(sender);
	xrdma_bursts_give(&sender->qp->pd->context->bursts, sender->burst);
}
