// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "layout.h"

#include "obj/access.h"

enum { FIRST = 8 /* row */ };

struct xrdma_mkey_row *layout_mkey(struct run *run)
{
	return &run->target.mkeys[xrdma_key_index(LAYOUT_KEY, TARGET_ROWS - 1)];
}

struct xrdma_layout_entry *layout_entry(struct run *run, __u32 number)
{
	return &run->target.layouts[FIRST + number / XRDMA_LAYOUT_ROW]
			.entries[number % XRDMA_LAYOUT_ROW];
}

void layout_set(struct run *run, __u32 count, __u64 repeat)
{
	__u64 round = 0;

	for (__u32 i = 0; i < count; i++) {
		layout_entry(run, i)->at = round;
		round += layout_entry(run, i)->length;
	}
	*layout_mkey(run) = (struct xrdma_mkey_row){
		.key = LAYOUT_KEY,
		.kind = repeat > 1 ? XRDMA_MKEY_KIND_INTERLEAVED : XRDMA_MKEY_KIND_LIST,
		.state = XRDMA_MKEY_STATE_VALID,
		.rights = XRDMA_ACCESS_REMOTE_WRITE | XRDMA_ACCESS_REMOTE_READ |
			  XRDMA_ACCESS_REMOTE_ATOMIC | XRDMA_ACCESS_LOCAL,
		.pd = run->mkey->pd,
		.len = round * repeat,
		.layout_first = FIRST,
		.layout_count = count,
		.round = round,
	};
	run->mkey->rights = XRDMA_ACCESS_LOCAL_WRITE | XRDMA_ACCESS_LOCAL_READ;
	run->packet.key = LAYOUT_KEY;
	run->packet.va = 0;
}

void layout_set_list(struct run *run)
{
	for (__u32 i = 0; i < LAYOUT_ENTRIES; i++)
		*layout_entry(run, i) = (struct xrdma_layout_entry){
			.addr = CASE_BASE + 64 + 32 * i,
			.length = 16,
			.lkey = CASE_KEY,
		};
	layout_set(run, LAYOUT_ENTRIES, 1);
}
