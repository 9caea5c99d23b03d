// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Accesses by mkeys: the places of their bytes, in layouts of all kinds
 * (mlx5dv_wr_mkey_configure(3)).
 */
#include <linux/bpf.h>
#include <stdlib.h>
#include <string.h>

#include "memory/layout.h"
#include "support/layout.h"

enum { READ_DATA_AT = 14 + 20 + 8 + 12 + 4 };

static struct run all;
static struct target_result result;
static __u8 data[4 * XRDMA_MTU_MAX], expected[CASE_REGION];
static __u32 places[4 * XRDMA_MTU_MAX], size; /* place in the region for each byte of the mkey */

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

TestSuite(prog_pieces, .once = target_load, .init = open_run, .in_one_process = true);

static __u32 random_up_to(__u32 most)
{
	return rand() % (most + 1);
}

/* Finish a layout of COUNT entries, repeated REPEAT times. */
static void finish(__u32 count, __u32 repeat)
{
	layout_set(&all, count, repeat);
	size = 0;
	for (__u32 round = 0; round < repeat; round++)
		for (__u32 i = 0; i < count; i++)
			for (__u32 k = 0; k < layout_entry(&all, i)->length; k++)
				places[size++] = layout_entry(&all, i)->addr - CASE_BASE + k +
						 round * (layout_entry(&all, i)->length +
							  layout_entry(&all, i)->skip);
}

/*
 * Make a random layout of COUNT entries of up to LONGEST bytes, repeated REPEAT times, in which no
 * bytes overlap. The last entry is longer if repeated entries would have too few bytes.
 */
static void lay_out(__u32 count, __u32 repeat, __u32 longest)
{
	const __u32 least = repeat > 1 ? count * XRDMA_LAYOUT_AVERAGE_MIN : 0;
	__u32 next = random_up_to(8), round = 0;

	for (__u32 i = 0; i < count; i++) {
		__u32 skip = repeat > 1 ? random_up_to(3) : 0,
		      length = 1 + random_up_to(longest - 1);

		if (i == count - 1 && round + length < least)
			length = least - round;
		*layout_entry(&all, i) = (struct xrdma_layout_entry){
			.addr = CASE_BASE + next,
			.length = length,
			.lkey = CASE_KEY,
			.skip = skip,
		};
		round += length;
		next += repeat * (layout_entry(&all, i)->length + skip) + random_up_to(3);
	}
	finish(count, repeat);
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

/* Write LEN bytes at OFFSET of the mkey, and expect that no other bytes change. */
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

/* Receive bytes into two segments: a part of the mkey, and the rest of it. */
static void receive_bytes(__u32 offset, __u32 len)
{
	__u32 cut = random_up_to(len);

	all.rq->user_index = all.rq->xdp_index + 1;
	all.cq->user_index = all.cq->xdp_index;
	all.sges = case_sges(&all, all.rq->xdp_index);
	all.sges[0] = (struct xrdma_sge){ offset, cut, LAYOUT_KEY };
	all.sges[1] = (struct xrdma_sge){ offset + cut, len - cut, LAYOUT_KEY };
	memset(all.target.heap + CASE_REGION_AT, 0xa5, CASE_REGION);
	run_packet(XRDMA_RC_SEND_ONLY, 0, len);
	expect_written(offset, len);
}

/* Access random parts of the mkey, and parts at its end. */
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

Test(prog_pieces, lists_of_every_length)
{
	for (__u32 count = 1; count <= XRDMA_LAYOUT_ENTRIES_MAX; count++) {
		lay_out(count, 1, 5000 / count);
		use(8);
	}
}

Test(prog_pieces, interleaved)
{
	for (__u32 repeat = 2; repeat <= 40; repeat++)
		for (__u32 count = 1; count <= 7; count += 3) {
			lay_out(count, repeat,
				6000 / count / repeat > 4 ? 6000 / count / repeat - 3 : 1);
			use(6);
		}
}

/* Make a layout of one entry at ADDR of the region. In each round it is SKIP bytes further. */
static void repeat_16_bytes(__s32 addr, __u32 skip, __u32 repeat)
{
	*layout_entry(&all, 0) = (struct xrdma_layout_entry){
		.addr = CASE_BASE + addr,
		.length = 16,
		.lkey = CASE_KEY,
		.skip = skip,
	};
	finish(1, repeat);
}

/* Entries that an access does not touch need not be in their region. */
Test(prog_pieces, others_may_be_elsewhere)
{
	repeat_16_bytes(-8, 0, 1);
	write_bytes(8, 8);
	repeat_16_bytes(CASE_REGION - 8, 0, 1);
	write_bytes(0, 8);
	repeat_16_bytes(-64, 16, 4); /* rounds 2 and 3 are in the region */
	write_bytes(32, 32);
	repeat_16_bytes(-16, 16, 3);
	write_bytes(16, 32);
	repeat_16_bytes(CASE_REGION - 48, 16, 3);
	write_bytes(0, 32);
	layout_set_list(&all);
	layout_entry(&all, 0)->addr = CASE_BASE - 17;
	layout_entry(&all, 0)->skip = 17;
	finish(2, 2);
	write_bytes(16, 32); /* entry 0 in round 1, entry 1 in round 0 */
}

/* A READ needs no write access to the region. */
Test(prog_pieces, read_of_a_region_that_is_not_writable)
{
	repeat_16_bytes(0, 16, 4);
	all.mkey->rights &= ~XRDMA_ACCESS_LOCAL_WRITE;
	read_bytes(0, 64);
}

/* A packet has the largest possible number of pieces. */
Test(prog_pieces, a_byte_each)
{
	lay_out(1, 3000, 1);
	all.mkey->offset = CASE_REGION_AT;
	write_bytes(1, 1024);
	read_bytes(1, 1024);
	receive_bytes(1, 1024);
}

/* Each packet of a message continues at the right place. */
Test(prog_pieces, message_of_three_packets)
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

/* An atomic works if one entry contains all eight bytes, and if they are aligned in memory. */
Test(prog_pieces, atomics)
{
	__u64 *word;

	layout_set_list(&all);
	for (__u32 at = 0; at < 64; at += 8) {
		word = (void *)(all.target.heap + CASE_REGION_AT + 64 + at / 16 * 32 + at % 16);
		*word = 40;
		all.packet.swap_add = 2;
		run_packet(XRDMA_RC_FETCH_ADD, at, 0);
		expect_int(*word, ==, 42);
	}
}
