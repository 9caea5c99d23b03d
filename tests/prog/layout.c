// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Accesses by mkeys that are refused before a byte moves (mlx5dv_wr_mkey_configure(3)). */
#include "cases.h"
#include "obj/access.h"
#include "support/layout.h"

enum { OTHER_MKEY = 0x5abc085b };

static void set_beyond(struct run *r)
{
	layout_set_list(r);
	r->packet.va = 1;
}

static void set_no_right(struct run *r)
{
	layout_set_list(r);
	layout_mkey(r)->rights &= ~XRDMA_ACCESS_REMOTE_WRITE;
}

static void set_pd(struct run *r)
{
	layout_set_list(r);
	layout_mkey(r)->pd++;
}

static void set_free(struct run *r)
{
	layout_set_list(r);
	layout_mkey(r)->state = XRDMA_MKEY_STATE_FREE;
}

/* As one that was configured without a layout. */
static void set_no_layout(struct run *r)
{
	layout_set_list(r);
	layout_mkey(r)->len = layout_mkey(r)->round = layout_mkey(r)->layout_count = 0;
}

static void set_entry_key(struct run *r)
{
	layout_set_list(r);
	layout_entry(r, 1)->lkey ^= 1;
}

static void set_entry_gone(struct run *r)
{
	layout_set_list(r);
	r->mkey->state = XRDMA_MKEY_STATE_FREE;
}

static void set_entry_pd(struct run *r)
{
	layout_set_list(r);
	r->mkey->pd++;
	layout_mkey(r)->pd = r->qp->pd;
}

static void set_entry_read_only(struct run *r)
{
	layout_set_list(r);
	r->mkey->rights = XRDMA_ACCESS_LOCAL_READ | XRDMA_ACCESS_REMOTE_WRITE;
}

/* Windows are no local keys. */
static void set_entry_window(struct run *r)
{
	layout_set_list(r);
	r->mkey->kind = XRDMA_MKEY_KIND_MW1;
	r->mkey->rights = XRDMA_ACCESS_LOCAL_WRITE | XRDMA_ACCESS_REMOTE_WRITE;
}

static void set_entry_self(struct run *r)
{
	layout_set_list(r);
	layout_entry(r, 0)->lkey = LAYOUT_KEY;
	layout_entry(r, 0)->addr = 16;
}

static void set_entry_mkey(struct run *r)
{
	struct xrdma_mkey_row *other =
		&r->target.mkeys[xrdma_key_index(OTHER_MKEY, TARGET_ROWS - 1)];

	layout_set_list(r);
	*other = *layout_mkey(r);
	other->key = OTHER_MKEY;
	layout_entry(r, 2)->lkey = OTHER_MKEY;
	layout_entry(r, 2)->addr = 0;
}

static void set_entry_before(struct run *r)
{
	layout_set_list(r);
	layout_entry(r, 0)->addr = CASE_BASE - 1;
}

static void set_entry_beyond(struct run *r)
{
	layout_set_list(r);
	layout_entry(r, 3)->addr = CASE_BASE + CASE_REGION - 15;
}

/* Its last byte is the first of an entry, which is not in the region. */
static void set_first_byte_beyond(struct run *r)
{
	layout_set_list(r);
	layout_entry(r, 3)->addr = CASE_BASE + CASE_REGION;
	r->packet.length = r->packet.payload_len = 3 * 16 + 1;
}

static void set_last_entry(struct run *r)
{
	layout_set_list(r);
	layout_entry(r, 3)->lkey ^= 0x100;
}

/* The first packet of a message that ends in an entry which is not allowed. */
static void set_later_packet(struct run *r)
{
	layout_set_list(r);
	r->packet.opcode = XRDMA_RC_WRITE_FIRST;
	r->packet.length = 3 * 1024;
	r->packet.payload_len = 1024;
	for (__u32 i = 0; i < LAYOUT_ENTRIES; i++)
		layout_entry(r, i)->length = 1000;
	layout_set(r, LAYOUT_ENTRIES, 1);
	layout_entry(r, 3)->lkey ^= 1;
}

/* Of four rounds of 16 bytes, the last is out of the region by a byte. */
static void set_last_round(struct run *r)
{
	layout_set_list(r);
	layout_entry(r, 0)->skip = 16;
	layout_entry(r, 0)->addr = CASE_BASE + CASE_REGION - (3 * 32 + 15);
	layout_set(r, 1, 4);
}

static void set_no_layouts(struct run *r)
{
	layout_set_list(r);
	target_drop(&r->target, "xrdma_layouts");
}

static void set_far_layout(struct run *r)
{
	layout_set_list(r);
	layout_mkey(r)->layout_first = TARGET_LAYOUT_ROWS;
}

static void set_no_entries(struct run *r)
{
	layout_set_list(r);
	layout_mkey(r)->layout_count = 0;
}

static void set_65_entries(struct run *r)
{
	layout_set_list(r);
	layout_mkey(r)->layout_count = 65;
}

/* Others stand behind the last one. */
static void set_3_entries(struct run *r)
{
	layout_set_list(r);
	layout_mkey(r)->layout_count = 3;
}

static void set_no_round(struct run *r)
{
	layout_set_list(r);
	layout_mkey(r)->round = 0;
}

static void set_no_bytes(struct run *r)
{
	layout_set_list(r);
	layout_entry(r, 2)->length = 0;
	layout_entry(r, 3)->length = 32;
	layout_set(r, LAYOUT_ENTRIES, 1);
}

static void set_gap(struct run *r)
{
	layout_set_list(r);
	layout_entry(r, 1)->at = 15;
}

static void set_gap_at_begin(struct run *r)
{
	layout_set_list(r);
	layout_entry(r, 0)->length = 15;
	r->packet.va = 15;
	r->packet.length = r->packet.payload_len = 1;
}

static void set_entry_nowhere(struct run *r)
{
	layout_set_list(r);
	r->mkey->offset = TARGET_HEAP - 64 - 2 * 32 - 15;
}

static void set_entry_missing(struct run *r)
{
	layout_set_list(r);
	case_set_paged(r, XRDMA_PAGE_NONE, XRDMA_PAGE_NONE);
}

static void set_entry_asked(struct run *r)
{
	layout_set_list(r);
	case_set_paged(r, XRDMA_PAGE_ASK, XRDMA_PAGE_ASK);
}

static void set_entry_wraps(struct run *r)
{
	set_entry_asked(r);
	r->mkey->len = -r->mkey->offset;
}

/* Entries of one byte that are repeated would take a packet too many steps. */
static void set_short_entries(struct run *r)
{
	layout_set_list(r);
	layout_entry(r, 0)->length = layout_entry(r, 1)->length = 1;
	layout_entry(r, 2)->length = 9;
	layout_set(r, 3, 10);
}

static void set_read_entry(struct run *r)
{
	case_set_read(r);
	set_last_entry(r);
}

static void set_word(struct run *r, __u64 va)
{
	case_set_fetch_add(r);
	layout_set_list(r);
	r->qp->access = XRDMA_ACCESS_REMOTE_ATOMIC;
	r->packet.va = va;
}

static void set_word_in_two(struct run *r)
{
	set_word(r, 16);
	layout_entry(r, 0)->length = 20;
	layout_set(r, LAYOUT_ENTRIES, 1);
	r->packet.va = 16;
}

static void set_word_odd(struct run *r)
{
	set_word(r, 8);
	layout_entry(r, 0)->addr += 4;
}

static void set_word_read_only(struct run *r)
{
	set_word(r, 0);
	r->mkey->rights &= ~XRDMA_ACCESS_LOCAL_WRITE;
}

/* The memory of a receive is the mkey's. */
static void set_receive(struct run *r)
{
	case_set_send(r);
	layout_set_list(r);
	r->sges[0].lkey = LAYOUT_KEY;
	r->sges[0].addr = 0;
}

static void set_receive_read_only(struct run *r)
{
	set_receive(r);
	r->mkey->rights &= ~XRDMA_ACCESS_LOCAL_WRITE;
}

static void set_receive_entry(struct run *r)
{
	set_receive(r);
	layout_entry(r, 3)->lkey ^= 1;
}

static void set_receive_short(struct run *r)
{
	set_receive(r);
	r->sges[0].addr = 1;
}

/* What an mkey's bytes are made into is no matter: XDP does not. */
static void set_transform(struct run *r)
{
	layout_set_list(r);
	layout_mkey(r)->transform = 1;
}

static void set_transform_read(struct run *r)
{
	case_set_read(r);
	set_transform(r);
}

static void set_transform_atomic(struct run *r)
{
	set_word(r, 0);
	layout_mkey(r)->transform = 1;
}

static void set_transform_receive(struct run *r)
{
	set_receive(r);
	layout_mkey(r)->transform = 1;
}

#define CASE_STAGE prog_layout
TestSuite(prog_layout, .once = target_load, .in_one_process = true);
LAYOUT_CASES(CASE_TEST)
