// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "mem/cache_take.h"

#include <errno.h>
#include <stdlib.h>

#include "lib/error.h"

int xrdma_cache_adopt(struct xrdma_heap *heap, __u64 addr, __u64 len, enum xrdma_adopt what,
		      struct xrdma_range_list *ranges)
{
	int err = xrdma_adopt(heap, addr, len, what, ranges);

	if (err == -EBUSY)
		xrdma_cache_drop(addr & -(__u64)XRDMA_PAGE, addr + len + XRDMA_PAGE - 1);
	if (err == -EBUSY || (err == -ENOMEM && xrdma_cache_relieve(heap)))
		err = xrdma_adopt(heap, addr, len, what, ranges);
	return err;
}

int xrdma_cache_heap_take(struct xrdma_heap *heap, __u64 size, __u64 align, __u64 *at)
{
	int err = xrdma_heap_take(heap, size, align, at);

	return err && xrdma_cache_relieve(heap) ? xrdma_heap_take(heap, size, align, at) : err;
}

static int adopt(struct xrdma_cache_entry *fresh)
{
	return xrdma_cache_adopt(fresh->heap, fresh->start, fresh->end - fresh->start,
				 XRDMA_ADOPT_ALL, &fresh->ranges);
}

/* Returns an entry that the caller frees, or NULL with xrdma_error() set. */
static struct xrdma_cache_entry *create(struct xrdma_heap *heap, __u64 start, __u64 end)
{
	struct xrdma_cache_entry *fresh = malloc(sizeof(*fresh));

	if (fresh)
		*fresh = (struct xrdma_cache_entry){ .start = start, .end = end, .heap = heap };
	else
		xrdma_fail(ENOMEM, "no memory for records of registered memory");
	return fresh;
}

static int miss(struct xrdma_heap *heap, __u64 start, __u64 end, struct xrdma_cache_entry **entry)
{
	struct xrdma_cache_entry *fresh = create(heap, start, end);
	int err;

	if (!fresh)
		return -ENOMEM;
	xrdma_cache_widen(fresh);
	err = adopt(fresh);
	if (err && (fresh->start < start || fresh->end > end)) {
		fresh->start = start;
		fresh->end = end;
		err = adopt(fresh);
	}
	if (err)
		free(fresh);
	else
		*entry = xrdma_cache_add(fresh, start, end);
	return err;
}

static bool has_more(const struct xrdma_cache_entry *entry, __u64 start, __u64 end)
{
	return entry->start >> XRDMA_PAGE_SHIFT < start >> XRDMA_PAGE_SHIFT ||
	       (entry->end - 1) >> XRDMA_PAGE_SHIFT > (end - 1) >> XRDMA_PAGE_SHIFT;
}

static int create_arena(const struct xrdma_cache_entry *whole, __u64 start, __u64 end,
			struct xrdma_cache_entry **part)
{
	int err;

	*part = create(whole->heap, start, end);
	if (!*part)
		return -ENOMEM;
	err = xrdma_adopt_again(&whole->ranges, start, end, &(*part)->ranges);
	if (err)
		free(*part);
	else
		(*part)->users = 1;
	return err;
}

/*
 * The caller uses *ENTRY, but needs no page beyond those from START up to END. If the entry has
 * more pages, the caller gets an entry of its own, so that the rest of the memory can be dropped.
 */
static int narrow(struct xrdma_cache_entry **entry, __u64 start, __u64 end)
{
	struct xrdma_cache_entry *whole = *entry;
	int err;

	if (!has_more(whole, start, end))
		return 0;
	err = create_arena(whole, start, end, entry);
	xrdma_cache_release(whole);
	return err;
}

int xrdma_cache_take(struct xrdma_heap *heap, __u64 addr, __u64 len,
		     struct xrdma_cache_entry **entry)
{
	const __u64 end = addr + len;
	int err;

	*entry = xrdma_cache_find(heap, addr, end);
	err = *entry ? 0 : miss(heap, addr, end, entry);
	return err ?: narrow(entry, addr, end);
}
