// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "key/fault.h"

#include "key/key.h"
#include "lib/order.h"

static bool may_miss(const struct xrdma_buffer *buffer)
{
	return buffer->backing == XRDMA_ON_DEMAND && buffer->table.offset & XRDMA_PAGED;
}

void xrdma_faults_enter(struct xrdma_faults *faults, struct xrdma_buffer *buffer)
{
	if (!may_miss(buffer))
		return;
	xrdma_mutex_lock(&faults->lock);
	LIST_INSERT_HEAD(&faults->buffers, buffer, next);
	XRDMA_WRITE(faults->used, true);
	xrdma_mutex_unlock(&faults->lock);
}

void xrdma_faults_leave(struct xrdma_faults *faults, struct xrdma_buffer *buffer)
{
	if (!may_miss(buffer))
		return;
	xrdma_mutex_lock(&faults->lock);
	LIST_REMOVE(buffer, next);
	xrdma_mutex_unlock(&faults->lock);
}

/*
 * Map the page at PAGE into BUFFER, and update pages around it that were remapped since. The lock
 * is held.
 */
static bool map_page(struct xrdma_context *context, struct xrdma_buffer *buffer, __u64 page)
{
	struct xrdma_range_list old;

	if (xrdma_page_table_has(&buffer->table, &context->heap, page))
		return true;
	if (xrdma_buffer_fill(&context->heap, buffer, page, &old))
		return false;
	xrdma_keys_quiesce(context->keys);
	xrdma_disown(&old);
	return xrdma_page_table_has(&buffer->table, &context->heap, page);
}

/* Map the page of MISSED, an XRDMA_PAGED address. Returns whether there is memory now. */
static bool map_missed(struct xrdma_faults *faults, __u64 missed)
{
	struct xrdma_buffer *buffer;
	bool there = false;
	__u64 page;

	xrdma_mutex_lock(&faults->lock);
	LIST_FOREACH(buffer, &faults->buffers, next)
	if (xrdma_page_table_find(&buffer->table, missed, &page))
		break;
	if (buffer)
		there = map_page(faults->context, buffer, page);
	xrdma_mutex_unlock(&faults->lock);
	return there;
}

bool xrdma_fault_retry(struct xrdma_faults *faults, __u64 missed, enum xrdma_verdict *verdict)
{
	if (*verdict != XRDMA_V_FAULT)
		return false;
	if (map_missed(faults, missed))
		return true;
	*verdict = XRDMA_V_HEAP;
	return false;
}

/*
 * Returns whether the request of MISS may be repeated with the same PSN. It may if the PSN is still
 * expected. So may a READ that was accepted, if its response with that PSN missed the page. PSN is
 * the responder's expected one.
 */
static bool may_come_again(const struct xrdma_notice *miss, __u32 psn)
{
	return ((psn - miss->psn) & XRDMA_PSN_MASK) <= XRDMA_PSN_MASK / 2;
}

/*
 * Make the responder refuse the request of MISS when it is repeated. A response has no request
 * number: XRDMA_OF_RESPONSE is set instead. It misses its page each time, until our own request has
 * used up its retries.
 */
static void refuse(const struct xrdma_context *context, const struct xrdma_notice *miss)
{
	struct xrdma_qp_row *rows = context->tables.qps.rows;
	const __u32 index = miss->qpn & (XRDMA_QP_ROWS_MAX - 1);

	if (index < context->tables.qps.size / sizeof(*rows) &&
	    may_come_again(miss, XRDMA_READ(rows[index].resp.psn)))
		XRDMA_WRITE(rows[index].resp.unbacked, XRDMA_UNBACKED | miss->psn);
}

static void take_miss(void *of, const struct xrdma_notice *miss)
{
	struct xrdma_faults *faults = of;

	if (!map_missed(faults, miss->data))
		refuse(faults->context, miss);
}

void xrdma_faults_quiesce(struct xrdma_faults *faults)
{
	if (XRDMA_READ(faults->used))
		xrdma_dispatcher_quiesce(&faults->context->dispatcher);
}

void xrdma_faults_init(struct xrdma_faults *faults, struct xrdma_context *context)
{
	faults->context = context;
	xrdma_mutex_init(&faults->lock, XRDMA_RANK_FAULTS);
	LIST_INIT(&faults->buffers);
	context->dispatcher.handlers[XRDMA_NOTICE_MISSED] =
		(struct xrdma_notice_handler){ take_miss, faults };
}
