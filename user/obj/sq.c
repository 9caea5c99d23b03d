// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "obj/sq.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lib/error.h"

int xrdma_sq_init(struct xrdma_sq *sq, const struct xrdma_qp_init_attr *init)
{
	*sq = (struct xrdma_sq){ .size = init->max_send_wr };
	sq->ring = calloc(sq->size, sizeof(*sq->ring));
	sq->sges = calloc((size_t)sq->size * init->max_send_sge + 1, sizeof(*sq->sges));
	sq->inline_bytes = calloc((size_t)sq->size * init->max_inline + 1, 1);
	if (!sq->ring || !sq->sges || !sq->inline_bytes) {
		xrdma_sq_exit(sq);
		return xrdma_fail(ENOMEM, "no memory for a send queue of %u requests", sq->size);
	}
	for (__u32 i = 0; i < sq->size; i++) {
		sq->ring[i].sges = sq->sges + (size_t)i * init->max_send_sge;
		sq->ring[i].inline_bytes = sq->inline_bytes + (size_t)i * init->max_inline;
	}
	return 0;
}

void xrdma_sq_exit(struct xrdma_sq *sq)
{
	free(sq->ring);
	free(sq->sges);
	free(sq->inline_bytes);
}

void xrdma_sq_start(struct xrdma_sq *sq, __u32 psn)
{
	sq->head = sq->done = sq->current = sq->tail = 0;
	sq->acked = sq->next = sq->sent = sq->end = psn;
	sq->rd_atomics = sq->naks = sq->rnr_naks = 0;
	sq->resume = 0;
	sq->retries = sq->rnr_retries = 0;
	sq->due = false;
}

static void copy_inline(struct xrdma_wqe *wqe, const struct xrdma_send_wr *wr)
{
	__u8 *into = wqe->inline_bytes;

	for (const struct xrdma_sge *sge = wr->sg_list; sge < wr->sg_list + wr->num_sge; sge++) {
		if (sge->length)
			memcpy(into, (const void *)(uintptr_t)sge->addr, sge->length);
		into += sge->length;
	}
}

/* A message has as many packets as its bytes fill, and at least one. */
static __u64 packets_of(__u32 length, __u16 mtu)
{
	return length ? ((__u64)length + mtu - 1) / mtu : 1;
}

void xrdma_sq_add(struct xrdma_sq *sq, const struct xrdma_send_wr *wr, __u32 length, __u16 mtu)
{
	struct xrdma_wqe *wqe = xrdma_sq_at(sq, sq->tail++);

	wqe->wr_id = wr->wr_id;
	wqe->first = sq->end;
	wqe->end = sq->end += packets_of(length, mtu);
	wqe->rd_atomic = sq->rd_atomics;
	if (xrdma_wr_is_rd_atomic(wr->opcode))
		sq->rd_atomics += wqe->end - wqe->first;
	wqe->remote_addr = wr->remote_addr;
	wqe->compare_add = wr->compare_add;
	wqe->swap = wr->swap;
	wqe->rkey = wr->rkey;
	wqe->imm = wr->imm; /* or the key to invalidate */
	wqe->opcode = wr->opcode;
	wqe->length = length;
	wqe->vendor_err = 0;
	wqe->num_sge = wr->num_sge;
	wqe->flags = wr->flags;
	wqe->status = XRDMA_WC_SUCCESS;
	if (wr->flags & XRDMA_SEND_INLINE)
		copy_inline(wqe, wr);
	else if (wr->num_sge)
		memcpy(wqe->sges, wr->sg_list, wr->num_sge * sizeof(*wqe->sges));
}

bool xrdma_sq_ack(struct xrdma_sq *sq, __u32 psn)
{
	__u32 news = (psn - (__u32)sq->acked) & XRDMA_PSN_MASK;

	if (!news ||
	    news > sq->sent - sq->acked) /* XDP lets no other through, but anyone writes the row */
		return false;
	sq->acked += news;
	while (sq->done < sq->tail && xrdma_sq_at(sq, sq->done)->end <= sq->acked)
		sq->done++;
	if (sq->next < sq->acked)
		xrdma_sq_rewind(sq); /* what was being sent again had arrived before */
	return true;
}

void xrdma_sq_rewind(struct xrdma_sq *sq)
{
	sq->next = sq->acked;
	sq->current = sq->done;
	sq->due = false;
}

void xrdma_sq_advance(struct xrdma_sq *sq)
{
	sq->due = false;
	sq->next++;
	if (sq->next == xrdma_sq_at(sq, sq->current)->end)
		sq->current++;
}

/*
 * Only the oldest that is not acknowledged can have failed; those behind it are flushed (10.8.5.1).
 */
static enum xrdma_wc_status status_of(const struct xrdma_sq *sq, __u64 number)
{
	enum xrdma_wc_status status = xrdma_sq_at(sq, number)->status;

	if (number < sq->done)
		return XRDMA_WC_SUCCESS;
	return number == sq->done && status ? status : XRDMA_WC_WR_FLUSH_ERR;
}

static enum xrdma_wc_opcode completed_as(enum xrdma_wr_opcode opcode)
{
	switch (opcode) {
	case XRDMA_WR_RDMA_WRITE:
	case XRDMA_WR_RDMA_WRITE_WITH_IMM:
		return XRDMA_WC_RDMA_WRITE;
	case XRDMA_WR_RDMA_READ:
		return XRDMA_WC_RDMA_READ;
	case XRDMA_WR_ATOMIC_CMP_AND_SWP:
		return XRDMA_WC_COMP_SWAP;
	case XRDMA_WR_ATOMIC_FETCH_AND_ADD:
		return XRDMA_WC_FETCH_ADD;
	default:
		return XRDMA_WC_SEND;
	}
}

int xrdma_sq_complete(struct xrdma_sq *sq, __u32 qpn, __u64 end, int max, struct xrdma_wc *wc)
{
	int count = 0;

	for (; count < max && sq->head < end; sq->head++) {
		const struct xrdma_wqe *wqe = xrdma_sq_at(sq, sq->head);
		enum xrdma_wc_status status = status_of(sq, sq->head);

		if (status == XRDMA_WC_SUCCESS && !(wqe->flags & XRDMA_SEND_SIGNALED))
			continue;
		wc[count++] = (struct xrdma_wc){
			.wr_id = wqe->wr_id,
			.status = status,
			.opcode = completed_as(wqe->opcode),
			.byte_len = wqe->length,
			.qpn = qpn,
			.vendor_err = wqe->vendor_err,
		};
	}
	return count;
}
