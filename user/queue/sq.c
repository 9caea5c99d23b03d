// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "queue/sq.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "key/mw.h"
#include "lib/error.h"
#include "lib/scatter.h"
#include "queue/bounce.h"
#include "xform/transform.h"

/*
 * Returns the number of layout entries for each request: as many as fit into max_inline_data, or
 * the default of mlx5dv_wr_mkey_configure(3).
 */
static __u32 layout_entries(const struct xrdma_qp_init_attr *init)
{
	enum { USUAL = 4 };
	__u32 entries = init->max_inline / sizeof(struct xrdma_sge);

	if (!(init->send_ops & XRDMA_QP_WITH_MKEY_CONFIGURE))
		return 0;
	if (entries > XRDMA_LAYOUT_ENTRIES_MAX)
		return XRDMA_LAYOUT_ENTRIES_MAX;
	return entries > USUAL ? entries : USUAL;
}

int xrdma_sq_init(struct xrdma_sq *sq, const struct xrdma_qp_init_attr *init)
{
	const struct xrdma_ring ring = xrdma_ring(init->max_send_wr);
	const size_t places = ring.mask + 1ULL;

	*sq = (struct xrdma_sq){ .ring = ring, .layout_entries = layout_entries(init) };
	sq->wqes = calloc(places, sizeof(*sq->wqes));
	sq->sges = calloc(places * init->max_send_sge + 1, sizeof(*sq->sges));
	sq->inline_bytes = calloc(places * init->max_inline + 1, 1);
	sq->layouts = calloc(places * sq->layout_entries + 1, sizeof(*sq->layouts));
	sq->transforms = calloc(sq->layout_entries ? places : 1, sizeof(*sq->transforms));
	if (!sq->wqes || !sq->sges || !sq->inline_bytes || !sq->layouts || !sq->transforms) {
		xrdma_sq_exit(sq);
		return xrdma_fail(ENOMEM, "no memory for a send queue of %u requests",
				  init->max_send_wr);
	}
	for (size_t i = 0; i < places; i++) {
		sq->wqes[i].sges = sq->sges + i * init->max_send_sge;
		sq->wqes[i].inline_bytes = sq->inline_bytes + i * init->max_inline;
	}
	return 0;
}

void xrdma_sq_exit(struct xrdma_sq *sq)
{
	free(sq->wqes);
	free(sq->sges);
	free(sq->inline_bytes);
	free(sq->layouts);
	if (sq->transforms && sq->layout_entries) /* they may contain keys */
		explicit_bzero(sq->transforms, (sq->ring.mask + 1ULL) * sizeof(*sq->transforms));
	free(sq->transforms);
}

void xrdma_sq_start(struct xrdma_sq *sq, __u32 psn)
{
	xrdma_ring_clear(&sq->ring);
	sq->done = sq->current = sq->begun = 0;
	sq->next = sq->end = psn;
	sq->sends = 0;
	sq->rd_atomics = 0;
	sq->due = sq->stopped = false;
}

void xrdma_sq_add(struct xrdma_sq *sq, const struct xrdma_send_wr *wr, __u32 length, __u64 packets)
{
	struct xrdma_wqe *wqe = xrdma_sq_at(sq, sq->ring.tail);

	wqe->wr_id = wr->wr_id;
	wqe->first = sq->end;
	wqe->end = sq->end += packets;
	wqe->info = xrdma_wr_info(wr->opcode);
	wqe->sends = sq->sends;
	wqe->rd_atomic = sq->rd_atomics;
	sq->sends += xrdma_wqe_fetches(wqe) ? 1 : packets;
	sq->rd_atomics += xrdma_wqe_fetches(wqe);
	if (wr->opcode == XRDMA_WR_BIND_MW) {
		wqe->bind = xrdma_mw_bind_of(wr);
	} else {
		wqe->remote_addr = wr->remote_addr;
		wqe->compare_add = wr->compare_add;
		wqe->swap = wr->swap;
	}
	wqe->rkey = wr->rkey;
	wqe->imm = wr->imm; /* or the key to invalidate */
	wqe->opcode = wr->opcode;
	wqe->length = length;
	wqe->vendor_err = 0;
	wqe->num_sge = wr->num_sge;
	wqe->flags = wr->flags;
	wqe->bounce = NULL;
	wqe->status = sq->stopped ? XRDMA_WC_WR_FLUSH_ERR : XRDMA_WC_SUCCESS;
	if (wr->flags & XRDMA_SEND_INLINE)
		xrdma_sges_gather(wr->sg_list, 0, length, wqe->inline_bytes);
	else if (wr->num_sge)
		memcpy(wqe->sges, wr->sg_list, wr->num_sge * sizeof(*wqe->sges));
	xrdma_ring_add(&sq->ring);
}

void xrdma_sq_set_bounce(struct xrdma_sq *sq, struct xrdma_bounce *bounce)
{
	xrdma_sq_at(sq, sq->ring.tail - 1)->bounce = bounce;
	sq->bounces += bounce != NULL;
}

void xrdma_sq_set_to(struct xrdma_sq *sq, const struct xrdma_datagram_to *to)
{
	xrdma_sq_at(sq, sq->ring.tail - 1)->to = *to;
}

void xrdma_sq_release_bounces(struct xrdma_sq *sq, __u64 from, __u64 to)
{
	for (__u64 number = from; number < to && sq->bounces; number++) {
		struct xrdma_wqe *wqe = xrdma_sq_at(sq, number);

		if (!wqe->bounce)
			continue;
		xrdma_bounce_release(wqe->bounce);
		wqe->bounce = NULL;
		sq->bounces--;
	}
}

struct xrdma_mkey_conf *xrdma_sq_configure(struct xrdma_sq *sq)
{
	const __u32 place = xrdma_ring_place(&sq->ring, sq->ring.tail - 1);
	struct xrdma_wqe *wqe = &sq->wqes[place];

	wqe->conf = (struct xrdma_mkey_conf){
		.entries = sq->layouts + (size_t)place * sq->layout_entries,
		.transform = sq->transforms + place,
	};
	return &wqe->conf;
}

struct xrdma_sq_mark xrdma_sq_mark(const struct xrdma_sq *sq)
{
	return (struct xrdma_sq_mark){ sq->ring.tail, sq->end, sq->sends, sq->rd_atomics };
}

void xrdma_sq_return(struct xrdma_sq *sq, const struct xrdma_sq_mark *mark)
{
	xrdma_sq_release_bounces(sq, mark->tail, sq->ring.tail);
	XRDMA_WRITE(sq->ring.tail, mark->tail);
	sq->end = mark->end;
	sq->sends = mark->sends;
	sq->rd_atomics = mark->rd_atomics;
}

void xrdma_sq_finish(struct xrdma_sq *sq, __u64 packet)
{
	while (sq->done < sq->begun && xrdma_sq_at(sq, sq->done)->end <= packet)
		sq->done++;
}

void xrdma_sq_rewind(struct xrdma_sq *sq, __u64 packet)
{
	sq->next = packet;
	sq->current = sq->done;
	sq->due = false;
}

void xrdma_sq_unsend(struct xrdma_sq *sq, __u64 packet, __u64 current)
{
	sq->next = packet;
	sq->current = current;
	sq->due = true;
}

__u64 xrdma_sq_stride(const struct xrdma_sq *sq)
{
	const struct xrdma_wqe *wqe = xrdma_sq_at(sq, sq->current);

	return xrdma_wqe_fetches(wqe) ? wqe->end - sq->next : 1;
}

/* Returns the number of packets sent before PACKET, which belongs to request NUMBER. */
static __u64 sends_before(const struct xrdma_sq *sq, __u64 number, __u64 packet)
{
	const struct xrdma_wqe *wqe = xrdma_sq_at(sq, number);

	if (number == sq->ring.tail)
		return sq->sends;
	return wqe->sends + (xrdma_wqe_fetches(wqe) ? packet > wqe->first : packet - wqe->first);
}

__u64 xrdma_sq_sends_since(const struct xrdma_sq *sq, __u64 packet)
{
	return sends_before(sq, sq->current, sq->next) - sends_before(sq, sq->done, packet);
}

__u64 xrdma_sq_pending(const struct xrdma_sq *sq)
{
	return sq->sends - sends_before(sq, sq->current, sq->next);
}

void xrdma_sq_advance(struct xrdma_sq *sq)
{
	const struct xrdma_wqe *wqe = xrdma_sq_at(sq, sq->current);

	sq->due = false;
	if (sq->begun == sq->current)
		sq->begun++;
	if (sq->next < wqe->end)
		sq->next += xrdma_sq_stride(sq);
	if (sq->next == wqe->end)
		sq->current++;
}

void xrdma_sq_stop(struct xrdma_sq *sq)
{
	sq->stopped = true;
	for (__u64 number = sq->done; number < sq->ring.tail; number++) {
		struct xrdma_wqe *wqe = xrdma_sq_at(sq, number);

		if (number == sq->done && wqe->status)
			continue;
		wqe->status = XRDMA_WC_WR_FLUSH_ERR;
		wqe->vendor_err = 0;
	}
}

void xrdma_sq_restart(struct xrdma_sq *sq)
{
	sq->done = sq->current = sq->begun = sq->ring.tail;
	sq->next = sq->end;
	sq->due = sq->stopped = false;
}

int xrdma_sq_complete(struct xrdma_sq *sq, __u32 qpn, __u64 end, int max, struct xrdma_wc *wc)
{
	int count = 0;

	for (; count < max && sq->ring.head < end; xrdma_ring_take(&sq->ring)) {
		const struct xrdma_wqe *wqe = xrdma_sq_at(sq, sq->ring.head);

		if (wqe->status == XRDMA_WC_SUCCESS && !(wqe->flags & XRDMA_SEND_SIGNALED))
			continue;
		wc[count++] = (struct xrdma_wc){
			.wr_id = wqe->wr_id,
			.status = wqe->status,
			.opcode = wqe->info->completes,
			.byte_len = wqe->length,
			.qpn = qpn,
			.vendor_err = wqe->vendor_err,
		};
	}
	return count;
}
