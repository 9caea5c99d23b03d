// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Attributes of a context: check them, and derive its tables and its limits from them. */
#include "run/attr.h"

#include <errno.h>
#include <xrdma/qp.h>

#include "lib/attr.h"
#include "lib/error.h"
#include "lib/extents.h"
#include "queue/queues.h"

static const struct xrdma_context_attr defaults = {
	.heap_size = XRDMA_HEAP_ELEMENT,
	.heap_max = XRDMA_HEAP_MAX,
	.mkeys = 4096,
	.qps = 256,
	.cqs = 256,
	.cqes = 1 << 16,
	.segments = 1 << 16,
	.layouts = 4096,
	.cntrs = 64,
	.raw_keys = 1024,
	.srqs = 64,
};

/* Replace *NUMBER, an attribute, by USUAL if it is 0, and check it. */
static int read_number(__u32 *number, __u32 usual, __u32 max, const char *what)
{
	if (!*number)
		*number = usual;
	return *number <= max ? 0 : xrdma_fail(EINVAL, "%u %s: at most %u", *number, what, max);
}

/*
 * Replace *SIZE, an attribute in bytes, by USUAL if it is 0. Check it, and round it up to whole
 * heap elements.
 */
static int read_size(size_t *size, size_t usual, size_t max, const char *what)
{
	if (!*size)
		*size = usual;
	if (*size > max)
		return xrdma_fail(EINVAL, "%s is %zu bytes: at most %zu", what, *size, max);
	*size = (*size + XRDMA_HEAP_ELEMENT - 1) & ~((size_t)XRDMA_HEAP_ELEMENT - 1);
	return 0;
}

/* Round ROWS up to whole cache lines: rows of 16 bytes are allocated by cache lines. */
static __u32 round_up(__u32 rows)
{
	const __u32 line = XRDMA_EXTENT_ALIGN / sizeof(struct xrdma_sge);

	return (rows + line - 1) & ~(line - 1);
}

int xrdma_context_attr_read(const struct xrdma_context_attr *attr, struct xrdma_context_attr *all)
{
	int err = xrdma_attr_read(attr, all, sizeof(*all), "xrdma_context_attr");

	if (err)
		return err;
	err = read_size(&all->heap_max, defaults.heap_max, XRDMA_HEAP_MAX, "heap_max");
	if (!err)
		err = read_size(&all->heap_size, defaults.heap_size, all->heap_max, "heap_size");
	if (err)
		return err;
#define READ(field, max, what)                                   \
	if (read_number(&all->field, defaults.field, max, what)) \
		return -EINVAL;
	READ(mkeys, XRDMA_MKEYS_MAX, "keys")
	READ(qps, XRDMA_QP_COUNT_MAX, "queue pairs")
	READ(cqs, XRDMA_CQS_MAX, "completion queues")
	READ(cqes, XRDMA_CQ_ENTRIES_MAX, "entries of completion queues")
	READ(segments, XRDMA_SEGMENTS_MAX, "data segments")
	READ(layouts, XRDMA_LAYOUTS_MAX, "entries of mkeys")
	READ(cntrs, XRDMA_CNTRS_MAX, "counters")
	READ(raw_keys, XRDMA_RAW_KEYS_MAX, "raw keys")
	READ(srqs, XRDMA_SRQS_MAX, "shared receive queues")
#undef READ
	if (all->tx > XRDMA_TX_XDP)
		return xrdma_fail(EINVAL, "tx is %u: see enum xrdma_tx", all->tx);
	if (all->progress > XRDMA_PROGRESS_AUTO)
		return xrdma_fail(EINVAL, "progress is %u: see enum xrdma_progress", all->progress);
	all->mkeys = xrdma_power_of_two(all->mkeys);
	all->segments = round_up(all->segments);
	all->layouts = (all->layouts + XRDMA_LAYOUT_ROW - 1) / XRDMA_LAYOUT_ROW * XRDMA_LAYOUT_ROW;
	return 0;
}

int xrdma_context_attr_tables(struct xrdma_context_tables *tables,
			      const struct xrdma_context_attr *attr)
{
	const __u32 qps = attr->qps + XRDMA_QP_ROWS_RESERVED;
	const struct xrdma_row_counts rows = {
		.qps = qps,
		.mkeys = attr->mkeys,
		.queues = attr->cqs + qps + attr->srqs, /* each queue pair has a receive queue */
		.segments = attr->segments,
		.layouts = attr->layouts / XRDMA_LAYOUT_ROW,
		.cqes = attr->cqes,
		.cntrs = attr->cntrs,
		.raw_keys = attr->raw_keys,
	};

	return xrdma_tables_create(tables, &rows);
}

void xrdma_context_attr_limits(struct xrdma_device_attr *limits,
			       const struct xrdma_context_attr *attr)
{
	*limits = (struct xrdma_device_attr){
		.max_mr_size = attr->heap_max,
		.max_mr = attr->mkeys,
		.max_mw = attr->mkeys,
		.max_qp = attr->qps,
		.max_send_wr = XRDMA_SEND_WR_MAX,
		.max_recv_wr = XRDMA_RECV_WR_MAX,
		.max_send_sge = XRDMA_SEND_SGE_MAX,
		.max_recv_sge = XRDMA_RECV_SGE_MAX,
		.max_inline = XRDMA_INLINE_MAX,
		.max_cq = attr->cqs,
		.max_cqe = attr->cqes,
		.max_qp_rd_atomic = XRDMA_RD_ATOMIC_MAX,
		.max_qp_init_rd_atomic = XRDMA_RD_ATOMIC_MAX,
		.max_msg_size = XRDMA_MESSAGE_MAX,
		.max_mkey = attr->mkeys,
		.max_mkey_entries = XRDMA_LAYOUT_ENTRIES_MAX,
		.max_cntr = attr->cntrs,
		.max_raw_key = attr->raw_keys,
		.max_srq = attr->srqs,
		.max_srq_wr = XRDMA_RECV_WR_MAX,
		.max_srq_sge = XRDMA_RECV_SGE_MAX,
	};
}
