// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "support/slot_view.h"

#include <bpf/bpf.h>
#include <unistd.h>

#include "dev/pin.h"
#include "support/owner.h"
#include "support/test.h"

struct slot_view slot_look(__u32 slot)
{
	static const char *const outer[] = {
#define X(table, map, row) #map,
		XRDMA_CONTEXT_TABLES(X)
#undef X
	};
	const int tables = sizeof(outer) / sizeof(outer[0]);
	struct slot_view view = { 0 };
	int fd = xrdma_pin_get(SLOT_DEVICE, "xrdma_contexts"), maps = 0;
	__u32 id;

	expect_int(bpf_map_lookup_elem(fd, &slot, &view.row), ==, 0);
	close(fd);
	for (int i = 0; i < tables; i++) {
		fd = xrdma_pin_get(SLOT_DEVICE, outer[i]);
		maps += !bpf_map_lookup_elem(fd, &slot, &id);
		close(fd);
	}
	fd = xrdma_pin_get(SLOT_DEVICE, "xrdma_heaps");
	for (__u32 part = 0; part < XRDMA_HEAP_ARENAS; part++) {
		const __u32 key = slot * XRDMA_HEAP_ARENAS + part;

		view.heap_parts += !bpf_map_lookup_elem(fd, &key, &id);
	}
	close(fd);
	expect(maps == 0 || maps == tables);
	view.has_maps = maps || view.heap_parts;
	return view;
}

void slot_set_row(__u32 slot, const struct xrdma_context_row *row)
{
	int fd = xrdma_pin_get(SLOT_DEVICE, "xrdma_contexts");

	expect_int(bpf_map_update_elem(fd, &slot, row, BPF_ANY), ==, 0);
	close(fd);
}

/* Use one lookup per slot. On Linux 6.1, lookups of its maps wait for program runs. */
__u32 slot_list(__u32 state, __u32 *slots)
{
	int fd = xrdma_pin_get(SLOT_DEVICE, "xrdma_contexts");
	struct xrdma_context_row row;
	__u32 count = 0;

	for (__u32 slot = 0; slot < XRDMA_CONTEXTS_MAX; slot++) {
		expect_int(bpf_map_lookup_elem(fd, &slot, &row), ==, 0);
		if (row.state == state)
			slots[count++] = slot;
	}
	close(fd);
	return count;
}

void slot_set_others(__u32 from, __u32 to)
{
	__u32 slots[XRDMA_CONTEXTS_MAX], count = slot_list(from, slots);
	int fd = xrdma_pin_get(SLOT_DEVICE, "xrdma_contexts");
	struct xrdma_context_row row;

	for (__u32 i = 0; i < count; i++) {
		expect_int(bpf_map_lookup_elem(fd, &slots[i], &row), ==, 0);
		row.state = to;
		expect_int(bpf_map_update_elem(fd, &slots[i], &row, BPF_ANY), ==, 0);
	}
	close(fd);
}

__u32 slot_open_and_close(void)
{
	struct xrdma_context *context = open_small(SLOT_DEVICE);
	__u32 slot = context->slot;

	expect_int(xrdma_context_close(context), ==, 0);
	return slot;
}
