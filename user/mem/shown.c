// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "mem/shown.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/bounds.h"
#include "mem/relocator.h"
#include "mem/pagemap.h"

bool xrdma_shown_in_place(const struct xrdma_pinned_range *pinned, __u64 at,
			  const struct xrdma_mapping *mappings, int count, __u64 *end)
{
	const struct xrdma_relocation *relocation = pinned->relocations;
	const struct xrdma_mapping *mapping;
	__u64 in_move;

	while (xrdma_relocation_end(relocation) <= at)
		relocation++;
	in_move = at - (uintptr_t)relocation->at;
	*end = xrdma_relocation_end(relocation);
	mapping = xrdma_mappings_at(mappings, count, at, end);
	if (!mapping || !xrdma_mapping_is_of_map(mapping, at, relocation->fd_at + in_move))
		return false;
	if (xrdma_page_may_be_same(at, (uintptr_t)relocation->into + in_move))
		return true;
	*end = at + sysconf(_SC_PAGESIZE); /* MAPPING may be older than what is there now */
	return false;
}

/* Returns whether the process has mapped some memory of PINNED outside of the heap. */
static bool is_mapped(const struct xrdma_pinned_range *pinned, const struct xrdma_mapping *mapping)
{
	const __u64 size = mapping->end - mapping->start;
	bool found = false;

	if (strcmp(mapping->name, "anon_inode:bpf-map") ||
	    xrdma_heap_has_address(pinned->heap, mapping->start))
		return false;
	for (size_t i = 0; i < pinned->count && !found; i++) {
		const struct xrdma_relocation *relocation = &pinned->relocations[i];
		__u64 from = xrdma_greater(mapping->offset, relocation->fd_at);

		found = from < xrdma_lesser(mapping->offset + size,
					    relocation->fd_at + relocation->size) &&
			xrdma_page_may_be_same(mapping->start + (from - mapping->offset),
					       (uintptr_t)relocation->into +
						       (from - relocation->fd_at));
	}
	return found;
}

bool xrdma_shown_elsewhere(const struct xrdma_pinned_range *pinned)
{
	struct xrdma_mapping *mappings;
	int count = xrdma_mappings_list(0, ~0ULL, &mappings);
	bool found = count < 0;

	for (int i = 0; i < count && !found; i++)
		found = is_mapped(pinned, &mappings[i]);
	free(mappings);
	return found;
}
