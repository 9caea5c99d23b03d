// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "mem/pinned.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "lib/error.h"
#include "mem/relocator.h"

/* Returns the number of the page at ADDR. */
static __u64 page_of(const struct xrdma_pinned_range *pinned, __u64 addr)
{
	return (addr - pinned->start) >> XRDMA_PAGE_SHIFT;
}

static void drop_origin(struct xrdma_relocation *relocation)
{
	if (relocation->origin)
		munmap(relocation->origin, relocation->size);
	relocation->origin = NULL;
}

bool xrdma_pinned_split(struct xrdma_pinned_range *pinned, size_t i, __u64 at)
{
	struct xrdma_relocation *relocations =
		reallocarray(pinned->relocations, pinned->count + 1, sizeof(*relocations));
	size_t size;

	if (!relocations)
		return false;
	pinned->relocations = relocations;
	relocations += i;
	if (relocations->huge)
		drop_origin(relocations);
	memmove(relocations + 1, relocations, (pinned->count++ - i) * sizeof(*relocations));
	size = at - (uintptr_t)relocations->at;
	relocations[0].size = size;
	relocations[1].size -= size;
	relocations[1].at += size;
	relocations[1].into += size;
	relocations[1].fd_at += size;
	if (relocations[1].origin)
		relocations[1].origin += size;
	return true;
}

void xrdma_relocation_finish(struct xrdma_relocation *relocation)
{
	drop_origin(relocation);
	if (relocation->watched)
		xrdma_relocation_unwatch(relocation);
	relocation->over = true;
}

int xrdma_pinned_lose(struct xrdma_pinned_range *pinned, __u64 start, __u64 end)
{
	for (size_t i = 0; i < pinned->count && (uintptr_t)pinned->relocations[i].at < end; i++) {
		const __u64 at = (uintptr_t)pinned->relocations[i].at,
			    up_to = xrdma_relocation_end(&pinned->relocations[i]);
		bool whole = true;

		if (pinned->relocations[i].over || up_to <= start)
			continue;
		if (at < start)
			whole = xrdma_pinned_split(pinned, i, start);
		else if (up_to > end)
			whole = xrdma_pinned_split(pinned, i, end);
		if (!whole)
			return xrdma_fail(ENOMEM, "no memory for records of registered memory");
		if (at >= start)
			xrdma_relocation_finish(&pinned->relocations[i]);
	}
	return 0;
}

/*
 * Returns the first page from START up to END that has users (HAS is true) or that has none (HAS is
 * false), or END.
 */
static __u64 first_page(const struct xrdma_pinned_range *pinned, bool has, __u64 start, __u64 end)
{
	while (start < end && (pinned->users[page_of(pinned, start)] > 0) != has)
		start += XRDMA_PAGE;
	return start;
}

bool xrdma_pinned_is_unused(struct xrdma_pinned_range *pinned, size_t i)
{
	const struct xrdma_relocation *relocation = &pinned->relocations[i];
	const __u64 start = (uintptr_t)relocation->at, end = xrdma_relocation_end(relocation);
	const __u64 none = first_page(pinned, false, start, end);
	__u64 some;

	if (relocation->huge)
		return first_page(pinned, true, start, end) == end;
	if (none > start) { /* then the next page has none */
		if (none < end)
			xrdma_pinned_split(pinned, i, none);
		return false;
	}
	some = first_page(pinned, true, start, end);
	return some == end || xrdma_pinned_split(pinned, i, some);
}

size_t xrdma_pinned_relocation_at(const struct xrdma_pinned_range *pinned, __u64 at)
{
	size_t i = 0;

	while (xrdma_relocation_end(&pinned->relocations[i]) <= at)
		i++;
	return i;
}

/*
 * Add CHANGE to the users of the pages from START up to END. Returns whether a page then has none.
 */
static bool count_users(struct xrdma_pinned_range *pinned, __u64 start, __u64 end, int change)
{
	bool unused = false;

	for (__u64 page = page_of(pinned, start); page < page_of(pinned, end); page++)
		unused |= !(pinned->users[page] += change);
	pinned->uses += change * (__s64)((end - start) >> XRDMA_PAGE_SHIFT);
	return unused;
}

void xrdma_pinned_add_user(struct xrdma_pinned_range *pinned, __u64 start, __u64 end)
{
	count_users(pinned, start, end, 1);
}

bool xrdma_pinned_drop_user(struct xrdma_pinned_range *pinned, __u64 start, __u64 end)
{
	return count_users(pinned, start, end, -1);
}

bool xrdma_pinned_lacks(const struct xrdma_pinned_range *pinned, __u64 at, __u64 len)
{
	const __u64 end = at + len;
	__u64 start = pinned->at;
	bool lacks = false;

	if (end <= start || at >= start + (pinned->end - pinned->start))
		return false;
	for (size_t i = 0; i < pinned->count && !lacks; i++) {
		const struct xrdma_relocation *relocation = &pinned->relocations[i];

		lacks = !relocation->in && !relocation->over && start < end &&
			start + relocation->size > at;
		start += relocation->size;
	}
	return lacks;
}

void xrdma_pinned_forget(struct xrdma_pinned_range *pinned)
{
	free(pinned->users);
	free(pinned->relocations);
	free(pinned);
}
