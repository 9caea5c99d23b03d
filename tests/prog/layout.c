// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Memory that is named by mkeys (mlx5dv_wr_mkey_configure(3)): where the bytes of layouts of all
 * kinds land, and which are refused before the first does.
 */
#include <linux/bpf.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"
#include "obj/access.h"

enum {
	MKEY = 0x5abc075b,
	OTHER_MKEY = 0x5abc085b,
	ENTRIES = 4, /* of a case's mkey, of 16 bytes each */
	FIRST = 8,   /* row */
	READ_DATA_AT = 14 + 20 + 8 + 12 + 4,
};

static struct xrdma_mkey_row *mkey_of(struct run *r)
{
	return &r->target.mkeys[xrdma_key_index(MKEY, TARGET_ROWS - 1)];
}

static struct xrdma_layout_entry *entry_of(struct run *r, __u32 number)
{
	return &r->target.layouts[FIRST + number / XRDMA_LAYOUT_ROW]
			.entries[number % XRDMA_LAYOUT_ROW];
}

/* An mkey of COUNT entries, whose lengths and skips are set, REPEAT times over. */
static void set_mkey(struct run *r, __u32 count, __u64 repeat)
{
	__u64 round = 0;

	for (__u32 i = 0; i < count; i++) {
		entry_of(r, i)->at = round;
		round += entry_of(r, i)->length;
	}
	*mkey_of(r) = (struct xrdma_mkey_row){
		.key = MKEY,
		.kind = repeat > 1 ? XRDMA_MKEY_INTERLEAVED : XRDMA_MKEY_LIST,
		.state = XRDMA_MKEY_VALID,
		.rights = XRDMA_ACCESS_REMOTE_WRITE | XRDMA_ACCESS_REMOTE_READ |
			  XRDMA_ACCESS_REMOTE_ATOMIC | XRDMA_ACCESS_LOCAL_READ |
			  XRDMA_ACCESS_LOCAL_WRITE,
		.pd = r->mkey->pd,
		.len = round * repeat,
		.layout_first = FIRST,
		.layout_count = count,
		.round = round,
	};
	r->mkey->rights = XRDMA_ACCESS_LOCAL_WRITE | XRDMA_ACCESS_LOCAL_READ;
	r->packet.key = MKEY;
	r->packet.va = 0;
}

/* The packet's 64 bytes go to four places, 32 bytes apart. */
static void set_list(struct run *r)
{
	for (__u32 i = 0; i < ENTRIES; i++)
		*entry_of(r, i) = (struct xrdma_layout_entry){
			.addr = CASE_BASE + 64 + 32 * i,
			.length = 16,
			.lkey = CASE_KEY,
		};
	set_mkey(r, ENTRIES, 1);
}

static void set_beyond(struct run *r)
{
	set_list(r);
	r->packet.va = 1;
}

static void set_no_right(struct run *r)
{
	set_list(r);
	mkey_of(r)->rights &= ~XRDMA_ACCESS_REMOTE_WRITE;
}

static void set_pd(struct run *r)
{
	set_list(r);
	mkey_of(r)->pd++;
}

static void set_free(struct run *r)
{
	set_list(r);
	mkey_of(r)->state = XRDMA_MKEY_FREE;
}

/* As one that was configured without a layout. */
static void set_no_layout(struct run *r)
{
	set_list(r);
	mkey_of(r)->len = mkey_of(r)->round = mkey_of(r)->layout_count = 0;
}

static void set_entry_key(struct run *r)
{
	set_list(r);
	entry_of(r, 1)->lkey ^= 1;
}

static void set_entry_gone(struct run *r)
{
	set_list(r);
	r->mkey->state = XRDMA_MKEY_FREE;
}

static void set_entry_pd(struct run *r)
{
	set_list(r);
	r->mkey->pd++;
	mkey_of(r)->pd = r->qp->pd;
}

static void set_entry_read_only(struct run *r)
{
	set_list(r);
	r->mkey->rights = XRDMA_ACCESS_LOCAL_READ | XRDMA_ACCESS_REMOTE_WRITE;
}

/* Windows are no local keys. */
static void set_entry_window(struct run *r)
{
	set_list(r);
	r->mkey->kind = XRDMA_MKEY_MW1;
	r->mkey->rights = XRDMA_ACCESS_LOCAL_WRITE | XRDMA_ACCESS_REMOTE_WRITE;
}

static void set_entry_self(struct run *r)
{
	set_list(r);
	entry_of(r, 0)->lkey = MKEY;
	entry_of(r, 0)->addr = 16;
}

static void set_entry_mkey(struct run *r)
{
	struct xrdma_mkey_row *other =
		&r->target.mkeys[xrdma_key_index(OTHER_MKEY, TARGET_ROWS - 1)];

	set_list(r);
	*other = *mkey_of(r);
	other->key = OTHER_MKEY;
	entry_of(r, 2)->lkey = OTHER_MKEY;
	entry_of(r, 2)->addr = 0;
}

static void set_entry_before(struct run *r)
{
	set_list(r);
	entry_of(r, 0)->addr = CASE_BASE - 1;
}

static void set_entry_beyond(struct run *r)
{
	set_list(r);
	entry_of(r, 3)->addr = CASE_BASE + CASE_REGION - 15;
}

static void set_last_entry(struct run *r)
{
	set_list(r);
	entry_of(r, 3)->lkey ^= 0x100;
}

/* The first packet of a message that ends in an entry which is not allowed. */
static void set_later_packet(struct run *r)
{
	set_list(r);
	r->packet.opcode = XRDMA_RC_WRITE_FIRST;
	r->packet.length = 3 * 1024;
	r->packet.payload_len = 1024;
	for (__u32 i = 0; i < ENTRIES; i++)
		entry_of(r, i)->length = 1000;
	set_mkey(r, ENTRIES, 1);
	entry_of(r, 3)->lkey ^= 1;
}

/* Of four rounds of 16 bytes, the last is out of the region by a byte. */
static void set_last_round(struct run *r)
{
	set_list(r);
	entry_of(r, 0)->skip = 16;
	entry_of(r, 0)->addr = CASE_BASE + CASE_REGION - (3 * 32 + 15);
	set_mkey(r, 1, 4);
}

static void set_no_layouts(struct run *r)
{
	set_list(r);
	target_drop(&r->target, "xrdma_layouts");
}

static void set_far_layout(struct run *r)
{
	set_list(r);
	mkey_of(r)->layout_first = TARGET_LAYOUT_ROWS;
}

static void set_no_entries(struct run *r)
{
	set_list(r);
	mkey_of(r)->layout_count = 0;
}

static void set_65_entries(struct run *r)
{
	set_list(r);
	mkey_of(r)->layout_count = 65;
}

static void set_no_round(struct run *r)
{
	set_list(r);
	mkey_of(r)->round = 0;
}

static void set_no_bytes(struct run *r)
{
	set_list(r);
	entry_of(r, 2)->length = 0;
}

static void set_gap(struct run *r)
{
	set_list(r);
	entry_of(r, 0)->length = 15;
	r->packet.va = 15;
	r->packet.length = r->packet.payload_len = 1;
}

static void set_entry_nowhere(struct run *r)
{
	set_list(r);
	r->mkey->offset = TARGET_HEAP - 64 - 2 * 32 - 15;
}

static void set_read_entry(struct run *r)
{
	case_set_read(r);
	set_last_entry(r);
}

static void set_word(struct run *r, __u64 va)
{
	case_set_fetch_add(r);
	set_list(r);
	r->qp->access = XRDMA_ACCESS_REMOTE_ATOMIC;
	r->packet.va = va;
}

static void set_word_in_two(struct run *r)
{
	set_word(r, 16);
	entry_of(r, 0)->length = 20;
	set_mkey(r, ENTRIES, 1);
	r->packet.va = 16;
}

static void set_word_odd(struct run *r)
{
	set_word(r, 8);
	entry_of(r, 0)->addr += 4;
}

/* The memory of a receive is the mkey's. */
static void set_receive(struct run *r)
{
	case_set_send(r);
	set_list(r);
	r->sges[0].lkey = MKEY;
	r->sges[0].addr = 0;
}

static void set_receive_entry(struct run *r)
{
	set_receive(r);
	entry_of(r, 3)->lkey ^= 1;
}

static void set_receive_short(struct run *r)
{
	set_receive(r);
	r->sges[0].addr = 1;
}

static struct run all;
static struct target_result result;
static __u8 data[4 * XRDMA_MTU_MAX], expected[CASE_REGION];
static __u32 places[4 * XRDMA_MTU_MAX], size; /* in the region, of each byte of the mkey */

static void open_run(void)
{
	case_open(&all);
	all.qp->mtu = XRDMA_MTU_MAX;
	all.qp->access |= XRDMA_ACCESS_REMOTE_READ | XRDMA_ACCESS_REMOTE_ATOMIC;
	all.qp->max_dest_rd_atomic = XRDMA_RD_ATOMIC_MAX;
	for (size_t i = 0; i < sizeof(data); i++)
		data[i] = rand();
	all.packet.payload = data;
}

#define CASE_STAGE prog_layout
TestSuite(prog_layout, .once = target_load, .init = open_run, .end = target_unload);
LAYOUT_CASES(CASE_TEST)

static __u32 random_up_to(__u32 most)
{
	return rand() % (most + 1);
}

/*
 * A layout of COUNT entries of up to LONGEST bytes, REPEAT times over, somewhere in the region; no
 * two share a byte.
 */
static void lay_out(__u32 count, __u32 repeat, __u32 longest)
{
	__u32 next = random_up_to(8);

	for (__u32 i = 0; i < count; i++) {
		__u32 skip = repeat > 1 ? random_up_to(3) : 0;

		*entry_of(&all, i) = (struct xrdma_layout_entry){
			.addr = CASE_BASE + next,
			.length = 1 + random_up_to(longest - 1),
			.lkey = CASE_KEY,
			.skip = skip,
		};
		next += repeat * (entry_of(&all, i)->length + skip) + random_up_to(3);
	}
	set_mkey(&all, count, repeat);
	size = 0;
	for (__u32 round = 0; round < repeat; round++)
		for (__u32 i = 0; i < count; i++)
			for (__u32 k = 0; k < entry_of(&all, i)->length; k++)
				places[size++] = entry_of(&all, i)->addr - CASE_BASE + k +
						 round * (entry_of(&all, i)->length +
							  entry_of(&all, i)->skip);
}

static void run_packet(__u8 opcode, __u32 offset, __u32 len)
{
	all.packet.opcode = opcode;
	all.packet.va = offset;
	all.packet.length = len;
	all.packet.payload_len = opcode == XRDMA_RC_READ_REQUEST ? 0 : len;
	all.packet.psn = XRDMA_BTH_ACKREQ | all.qp->resp.psn;
	case_send(&all, &result);
	expect_msg(result.verdict == XRDMA_V_OK, "opcode %u, %u bytes at %u of %u: verdict %d",
		   opcode, len, offset, size, result.verdict);
}

/* LEN bytes from OFFSET of the mkey on, and none beside them. */
static void expect_written(__u32 offset, __u32 len)
{
	memset(expected, 0xa5, sizeof(expected));
	for (__u32 i = 0; i < len; i++)
		expected[places[offset + i]] = data[i];
	expect_msg(!memcmp(all.target.heap + CASE_REGION_AT, expected, CASE_REGION),
		   "%u bytes at %u of %u: memory differs", len, offset, size);
	memset(all.target.heap + CASE_REGION_AT, 0xa5, CASE_REGION);
}

static void write_bytes(__u32 offset, __u32 len)
{
	memset(all.target.heap + CASE_REGION_AT, 0xa5, CASE_REGION);
	run_packet(XRDMA_RC_WRITE_ONLY, offset, len);
	expect_written(offset, len);
}

static void read_bytes(__u32 offset, __u32 len)
{
	for (__u32 i = 0; i < CASE_REGION; i++)
		all.target.heap[CASE_REGION_AT + i] = rand();
	run_packet(XRDMA_RC_READ_REQUEST, offset, len);
	for (__u32 i = 0; i < len; i++)
		expect_int(result.frame[READ_DATA_AT + i], ==,
			   all.target.heap[CASE_REGION_AT + places[offset + i]]);
}

/* Into two segments: a part of the mkey, and the rest of it. */
static void receive_bytes(__u32 offset, __u32 len)
{
	__u32 cut = random_up_to(len);

	all.rq->user_index = all.rq->xdp_index + 1;
	all.cq->user_index = all.cq->xdp_index;
	all.sges =
		&all.target.sges[CASE_FIRST_SGE + (all.rq->xdp_index & CASE_RQ_MASK) * CASE_SGES];
	all.sges[0] = (struct xrdma_sge){ offset, cut, MKEY };
	all.sges[1] = (struct xrdma_sge){ offset + cut, len - cut, MKEY };
	memset(all.target.heap + CASE_REGION_AT, 0xa5, CASE_REGION);
	run_packet(XRDMA_RC_SEND_ONLY, 0, len);
	expect_written(offset, len);
}

/* Random parts, and those that end where the mkey does. */
static void use(int times)
{
	for (int i = 0; i < times; i++) {
		__u32 offset = random_up_to(size - 1), most = size - offset, len;

		if (most > 1024)
			most = 1024;
		len = i & 1 ? most : 1 + random_up_to(most - 1);
		write_bytes(offset, len);
		read_bytes(offset, len);
		receive_bytes(offset, len);
	}
}

Test(prog_layout, lists_of_every_length)
{
	for (__u32 count = 1; count <= XRDMA_LAYOUT_ENTRIES_MAX; count++) {
		lay_out(count, 1, 5000 / count);
		use(8);
	}
}

Test(prog_layout, interleaved)
{
	for (__u32 repeat = 2; repeat <= 40; repeat++)
		for (__u32 count = 1; count <= 7; count += 3) {
			lay_out(count, repeat,
				6000 / count / repeat > 4 ? 6000 / count / repeat - 3 : 1);
			use(6);
		}
}

/* The most pieces that a packet can have. */
Test(prog_layout, a_byte_each)
{
	lay_out(1, 3000, 1);
	all.mkey->offset = CASE_REGION_AT;
	write_bytes(1, 1024);
	read_bytes(1, 1024);
	receive_bytes(1, 1024);
}

/* A message of several packets goes on where it was. */
Test(prog_layout, message_of_three_packets)
{
	all.qp->mtu = 256;
	lay_out(7, 1, 300);
	while (size < 800)
		lay_out(7, 1, 300);
	memset(all.target.heap + CASE_REGION_AT, 0xa5, CASE_REGION);
	for (int i = 0; i < 3; i++) {
		all.packet.opcode = i == 0   ? XRDMA_RC_WRITE_FIRST
				    : i == 1 ? XRDMA_RC_WRITE_MIDDLE
					     : XRDMA_RC_WRITE_LAST;
		all.packet.va = 5;
		all.packet.length = 256 + 256 + 200;
		all.packet.payload_len = i < 2 ? 256 : 200;
		all.packet.payload = data + 256 * i;
		all.packet.psn = XRDMA_BTH_ACKREQ | all.qp->resp.psn;
		case_send(&all, &result);
		expect_int(result.verdict, ==, XRDMA_V_OK);
	}
	expect_written(5, 712);
}

/* Where one entry has all eight bytes, and memory has them aligned. */
Test(prog_layout, atomics)
{
	__u64 *word;

	set_list(&all);
	for (__u32 at = 0; at < 64; at += 8) {
		word = (void *)(all.target.heap + CASE_REGION_AT + 64 + at / 16 * 32 + at % 16);
		*word = 40;
		all.packet.swap_add = 2;
		run_packet(XRDMA_RC_FETCH_ADD, at, 0);
		expect_int(*word, ==, 42);
	}
}
