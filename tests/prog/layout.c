// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Accesses by mkeys that are refused before a byte moves (mlx5dv_wr_mkey_configure(3)). */
#include "support/case.h"
#include "obj/access.h"
#include "support/layout.h"

#define CASE_STAGE prog_layout
TestSuite(prog_layout, .once = target_load, .in_one_process = true);

enum { OTHER_MKEY = 0x5abc085b };

CASE(beyond_the_mkey, KEY_RANGE)
{
	layout_set_list(run);
	run->packet.va = 1;
}

CASE(mkey_without_right, KEY_RIGHTS)
{
	layout_set_list(run);
	layout_mkey(run)->rights &= ~XRDMA_ACCESS_REMOTE_WRITE;
}

CASE(mkey_of_other_pd, KEY_PD)
{
	layout_set_list(run);
	layout_mkey(run)->pd++;
}

CASE(mkey_free, KEY_STATE)
{
	layout_set_list(run);
	layout_mkey(run)->state = XRDMA_MKEY_STATE_FREE;
}

/* The mkey was configured without a layout. */
CASE(mkey_without_layout, KEY_RANGE)
{
	layout_set_list(run);
	layout_mkey(run)->len = layout_mkey(run)->round = layout_mkey(run)->layout_count = 0;
}

CASE(entry_key_unknown, LAYOUT_KEY)
{
	layout_set_list(run);
	layout_entry(run, 1)->lkey ^= 1;
}

CASE(entry_key_gone, LAYOUT_KEY)
{
	layout_set_list(run);
	run->mkey->state = XRDMA_MKEY_STATE_FREE;
}

CASE(entry_of_other_pd, LAYOUT_KEY)
{
	layout_set_list(run);
	run->mkey->pd++;
	layout_mkey(run)->pd = run->qp->pd;
}

CASE(entry_not_writable, LAYOUT_KEY)
{
	layout_set_list(run);
	run->mkey->rights = XRDMA_ACCESS_LOCAL_READ | XRDMA_ACCESS_REMOTE_WRITE;
}

/* Windows have no local keys. */
CASE(entry_is_a_window, LAYOUT_KEY)
{
	layout_set_list(run);
	run->mkey->kind = XRDMA_MKEY_KIND_MW1;
	run->mkey->rights = XRDMA_ACCESS_LOCAL_WRITE | XRDMA_ACCESS_REMOTE_WRITE;
}

CASE(entry_is_the_mkey, LAYOUT_KEY)
{
	layout_set_list(run);
	layout_entry(run, 0)->lkey = LAYOUT_KEY;
	layout_entry(run, 0)->addr = 16;
}

CASE(entry_is_another_mkey, LAYOUT_KEY)
{
	struct xrdma_mkey_row *other =
		&run->target.mkeys[xrdma_key_index(OTHER_MKEY, TARGET_ROWS - 1)];

	layout_set_list(run);
	*other = *layout_mkey(run);
	other->key = OTHER_MKEY;
	layout_entry(run, 2)->lkey = OTHER_MKEY;
	layout_entry(run, 2)->addr = 0;
}

CASE(entry_before_region, LAYOUT_KEY)
{
	layout_set_list(run);
	layout_entry(run, 0)->addr = CASE_BASE - 1;
}

CASE(entry_beyond_region, LAYOUT_KEY)
{
	layout_set_list(run);
	layout_entry(run, 3)->addr = CASE_BASE + CASE_REGION - 15;
}

/* The first byte of the last entry is the last byte of the access, and lies outside the region. */
CASE(first_byte_is_beyond, LAYOUT_KEY)
{
	layout_set_list(run);
	layout_entry(run, 3)->addr = CASE_BASE + CASE_REGION;
	run->packet.length = run->packet.payload_len = 3 * 16 + 1;
}

static void set_last_entry(struct run *run)
{
	layout_set_list(run);
	layout_entry(run, 3)->lkey ^= 0x100;
}

CASE(last_entry_gone, LAYOUT_KEY)
{
	set_last_entry(run);
}

/* The packet is the first of a message. The message ends in an entry that is not allowed. */
CASE(entry_of_later_packet, LAYOUT_KEY)
{
	layout_set_list(run);
	run->packet.opcode = XRDMA_RC_WRITE_FIRST;
	run->packet.length = 3 * 1024;
	run->packet.payload_len = 1024;
	for (__u32 i = 0; i < LAYOUT_ENTRIES; i++)
		layout_entry(run, i)->length = 1000;
	layout_set(run, LAYOUT_ENTRIES, 1);
	layout_entry(run, 3)->lkey ^= 1;
}

/* The last of four rounds of 16 bytes ends one byte outside the region. */
CASE(last_round_beyond, LAYOUT_KEY)
{
	layout_set_list(run);
	layout_entry(run, 0)->skip = 16;
	layout_entry(run, 0)->addr = CASE_BASE + CASE_REGION - (3 * 32 + 15);
	layout_set(run, 1, 4);
}

CASE(no_layouts_table, LAYOUT)
{
	layout_set_list(run);
	target_drop(&run->target, "xrdma_layouts");
}

CASE(layout_beyond_table, LAYOUT)
{
	layout_set_list(run);
	layout_mkey(run)->layout_first = TARGET_LAYOUT_ROWS;
}

CASE(layout_of_no_entries, LAYOUT)
{
	layout_set_list(run);
	layout_mkey(run)->layout_count = 0;
}

CASE(layout_of_65_entries, LAYOUT)
{
	layout_set_list(run);
	layout_mkey(run)->layout_count = 65;
}

/* The table contains other entries after the last one. */
CASE(layout_of_too_few, LAYOUT)
{
	layout_set_list(run);
	layout_mkey(run)->layout_count = 3;
}

CASE(round_of_no_bytes, LAYOUT)
{
	layout_set_list(run);
	layout_mkey(run)->round = 0;
}

CASE(entry_of_no_bytes, LAYOUT)
{
	layout_set_list(run);
	layout_entry(run, 2)->length = 0;
	layout_entry(run, 3)->length = 32;
	layout_set(run, LAYOUT_ENTRIES, 1);
}

CASE(gap_between_entries, LAYOUT)
{
	layout_set_list(run);
	layout_entry(run, 1)->at = 15;
}

CASE(gap_at_begin, LAYOUT)
{
	layout_set_list(run);
	layout_entry(run, 0)->length = 15;
	run->packet.va = 15;
	run->packet.length = run->packet.payload_len = 1;
}

CASE(entry_beyond_heap, HEAP)
{
	layout_set_list(run);
	run->mkey->offset = TARGET_HEAP - 64 - 2 * 32 - 15;
}

CASE(entry_missing, HEAP)
{
	layout_set_list(run);
	case_set_paged(run, XRDMA_PAGE_NONE, XRDMA_PAGE_NONE);
}

static void set_entry_asked(struct run *run)
{
	layout_set_list(run);
	case_set_paged(run, XRDMA_PAGE_ASK, XRDMA_PAGE_ASK);
}

CASE(entry_asked, FAULT)
{
	set_entry_asked(run);
}

CASE(entry_wraps, LAYOUT_KEY)
{
	set_entry_asked(run);
	run->mkey->len = -run->mkey->offset;
}

/* Repeated entries of one byte would need too many steps for a packet. */
CASE(short_entries_repeated, LAYOUT)
{
	layout_set_list(run);
	layout_entry(run, 0)->length = layout_entry(run, 1)->length = 1;
	layout_entry(run, 2)->length = 9;
	layout_set(run, 3, 10);
}

CASE(read_entry_gone, LAYOUT_KEY)
{
	case_set_read(run);
	set_last_entry(run);
}

static void set_word(struct run *run, __u64 va)
{
	case_set_fetch_add(run);
	layout_set_list(run);
	run->qp->access = XRDMA_ACCESS_REMOTE_ATOMIC;
	run->packet.va = va;
}

CASE(word_in_two_entries, MISALIGNED)
{
	set_word(run, 16);
	layout_entry(run, 0)->length = 20;
	layout_set(run, LAYOUT_ENTRIES, 1);
	run->packet.va = 16;
}

CASE(word_of_odd_entry, MISALIGNED)
{
	set_word(run, 8);
	layout_entry(run, 0)->addr += 4;
}

CASE(word_not_writable, LAYOUT_KEY)
{
	set_word(run, 0);
	run->mkey->rights &= ~XRDMA_ACCESS_LOCAL_WRITE;
}

/* Make the receive's memory the mkey's. */
static void set_receive(struct run *run)
{
	case_set_send(run);
	layout_set_list(run);
	run->sges[0].lkey = LAYOUT_KEY;
	run->sges[0].addr = 0;
}

CASE(receive_entry_read_only, RECV_KEY)
{
	set_receive(run);
	run->mkey->rights &= ~XRDMA_ACCESS_LOCAL_WRITE;
}

CASE(receive_entry_gone, RECV_KEY)
{
	set_receive(run);
	layout_entry(run, 3)->lkey ^= 1;
}

CASE(receive_mkey_is_short, RECV_KEY)
{
	set_receive(run);
	run->sges[0].addr = 1;
}

/* Give the mkey a transform. XDP does not transform data. */
static void set_transform(struct run *run)
{
	layout_set_list(run);
	layout_mkey(run)->transform = 1;
}

CASE(write_to_transform, TRANSFORM)
{
	set_transform(run);
}

CASE(read_of_transform, TRANSFORM)
{
	case_set_read(run);
	set_transform(run);
}

CASE(atomic_of_transform, TRANSFORM)
{
	set_word(run, 0);
	layout_mkey(run)->transform = 1;
}

CASE(receive_of_transform, RECV_KEY)
{
	set_receive(run);
	layout_mkey(run)->transform = 1;
}
