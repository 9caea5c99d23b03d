// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* READs of one packet, and their responses, for every length. */
#include <linux/bpf.h>
#include <stdlib.h>
#include <string.h>

#include "support/case.h"
#include "lib/frame.h"

#define CASE_STAGE prog_read
TestSuite(prog_read, .once = target_load, .in_one_process = true);

CASE(read_64, OK)
{
	case_set_read(run);
}

CASE(read_unasked, OK)
{
	case_set_read(run);
	run->packet.psn = CASE_PSN;
}

CASE(read_61, OK)
{
	case_set_read(run);
	run->packet.length = 61;
}

/* A READ of no bytes, for which the key does not matter. */
CASE(read_nothing, OK)
{
	case_set_read(run);
	run->packet.length = run->packet.key = 0;
}

static void set_read_mtu(struct run *run)
{
	case_set_read(run);
	run->packet.length = 1024;
}

CASE(read_mtu, OK)
{
	set_read_mtu(run);
}

/* The region lies in two elements of the heap, with 4096 bytes in the first. */
CASE(read_across_elements, OK)
{
	set_read_mtu(run);
	run->packet.va = CASE_BASE + 4096 - 1000;
}

CASE(read_up_to_element_end, OK)
{
	set_read_mtu(run);
	run->packet.va = CASE_BASE + 4096 - 1024;
}

CASE(read_over_ipv6_vlans, OK)
{
	case_set_read(run);
	case_set_ipv6(run);
	run->packet.vlan_tags = 2;
}

/* Make the request longer than its response. */
static void edit_read_trailer(struct run *run)
{
	memset(run->frame + run->len, 0xee, 200);
	run->len += 200;
}

CASE(read_with_trailer, OK)
{
	case_set_read(run);
	run->edit_frame = edit_read_trailer;
}

CASE(read_in_rtr, OK)
{
	case_set_read(run);
	run->qp->state = XRDMA_QPS_RTR;
}

CASE(read_17th, OK)
{
	case_set_read(run);
	case_set_made(run, 16);
}

/* Make the packet a duplicate, which is not the latest request. */
static void set_read_again(struct run *run)
{
	case_set_read(run);
	case_set_made(run, 3);
	run->packet.psn = CASE_PSN - 3;
}

CASE(read_again, DUPLICATE)
{
	set_read_again(run);
}

/* A requester that has a part of the response requests the rest. */
CASE(read_again_a_part, DUPLICATE)
{
	set_read_again(run);
	run->packet.va += 20;
	run->packet.length = 44;
}

/* Make the packet a duplicate of the oldest request that is kept. */
static void set_read_again_16th(struct run *run)
{
	case_set_read(run);
	case_set_made(run, 17);
	run->packet.psn = CASE_PSN - 16;
}

CASE(read_again_16th, DUPLICATE)
{
	set_read_again_16th(run);
}

CASE(read_not_kept, NOT_KEPT)
{
	set_read_again_16th(run);
	run->packet.psn = CASE_PSN - 17;
}

/* A READ with a valid key, but the PSN of no earlier READ, is dropped silently. */
CASE(read_never_made, NOT_KEPT)
{
	case_set_read(run);
	run->packet.psn = CASE_PSN - 3;
}

CASE(read_again_other_key, NOT_KEPT)
{
	set_read_again(run);
	case_resource(run, 0)->key ^= 1;
}

CASE(read_again_before, NOT_KEPT)
{
	set_read_again(run);
	run->packet.va--;
}

CASE(read_again_beyond, NOT_KEPT)
{
	set_read_again(run);
	run->packet.length++;
}

CASE(read_again_was_atomic, NOT_KEPT)
{
	set_read_again(run);
	run->packet.length = 8;
	case_resource(run, 0)->op_msn = XRDMA_OP_FETCH_ADD << 24;
}

/* The PSN lies between two READs. */
CASE(read_again_was_write, NOT_KEPT)
{
	set_read_again(run);
	case_resource(run, 0)->psn--;
}

/* A duplicate does not depend on the message in progress. */
CASE(read_again_in_message, DUPLICATE)
{
	set_read_again(run);
	run->qp->resp.op = XRDMA_OP_WRITE;
	run->qp->resp.left = 64;
}

CASE(read_again_key_gone, GONE)
{
	set_read_again(run);
	run->mkey->state = XRDMA_MKEY_STATE_INVALID;
}

CASE(read_again_asked, FAULT)
{
	set_read_again(run);
	case_set_paged(run, XRDMA_PAGE_ASK, XRDMA_PAGE_ASK);
}

CASE(read_ahead, PSN_AHEAD)
{
	case_set_read(run);
	run->packet.psn = CASE_PSN + 1;
}

CASE(read_in_a_message, OPCODE_ORDER)
{
	case_set_read(run);
	run->qp->resp.op = XRDMA_OP_WRITE;
	run->qp->resp.left = 64;
}

CASE(read_over_2_GiB, LENGTH)
{
	case_set_read(run);
	run->packet.length = XRDMA_MESSAGE_MAX + 1;
}

CASE(read_with_payload, LENGTH)
{
	case_set_read(run);
	run->packet.payload_len = 4;
}

CASE(reads_not_allowed, QP_ACCESS)
{
	case_set_read(run);
	run->qp->access = XRDMA_ACCESS_REMOTE_WRITE | XRDMA_ACCESS_REMOTE_ATOMIC;
}

CASE(read_not_readable, KEY_RIGHTS)
{
	case_set_read(run);
	run->mkey->rights =
		XRDMA_ACCESS_REMOTE_WRITE | XRDMA_ACCESS_LOCAL_WRITE | XRDMA_ACCESS_REMOTE_ATOMIC;
}

CASE(read_one_byte_beyond, KEY_RANGE)
{
	case_set_read(run);
	run->packet.va = CASE_BASE + CASE_REGION - 63;
}

/* The last byte is beyond the heap. */
CASE(read_beyond_heap, HEAP)
{
	case_set_read(run);
	run->mkey->offset = TARGET_HEAP - (run->packet.va - CASE_BASE) - 63;
}

/* Put the request into two buffers. The headers of the response need 62 of its 74 bytes. */
static void set_read_in_two(struct run *run)
{
	case_set_read(run);
	run->target.first_buffer = 62;
}

CASE(read_in_two_buffers, OK)
{
	set_read_in_two(run);
	run->edit_frame = edit_read_trailer;
}

CASE(read_in_two_no_room, DEFERRED)
{
	set_read_in_two(run);
}

CASE(read_headers_in_two, ROOM)
{
	case_set_read(run);
	run->target.first_buffer = 61;
	run->edit_frame = edit_read_trailer;
}

/* About the maximum length of a frame for which test_run uses one buffer of a page. */
enum { ONE_BUFFER = 3520 };

static struct run run;
static struct target_result result;

static void open_run(void)
{
	case_open(&run);
	case_set_read(&run);
	run.qp->mtu = XRDMA_MTU_MAX;
}

TestSuite(prog_read_lengths, .once = target_load, .init = open_run, .in_one_process = true);

/*
 * Read LEN bytes by a request of at least FRAME_LEN bytes, if this can be tried. A frame in several
 * buffers keeps its length.
 */
static void read_bytes(size_t len, size_t frame_len)
{
	static struct xrdma_frame frame;
	const __u8 *data = run.target.heap + CASE_REGION_AT + (run.packet.va - CASE_BASE);
	struct xrdma_pkt pkt;

	run.packet.length = len;
	run.packet.psn = run.qp->resp.psn;
	run.len = packet_build(&run.packet, run.frame);
	memset(run.frame + run.len, 0xee, PACKET_MAX - run.len);
	if (run.len < frame_len)
		run.len = frame_len;
	if (run.len > target_frame_max())
		return;
	target_run(&run.target, run.frame, run.len, &result);
	expect_msg(result.action == XDP_TX, "%zu bytes: verdict %d", len, result.verdict);
	expect_int(xrdma_frame_parse(&frame, result.frame, result.len, &pkt), ==, XRDMA_V_OK);
	if (run.target.first_buffer || (run.len > ONE_BUFFER && !target_is_at_tc))
		expect_int(result.len, ==, run.len);
	else
		expect_int(result.len, ==, pkt.icrc_at + XRDMA_ICRC_LEN);
	expect_int(pkt.payload_len, ==, len);
	expect_msg(!memcmp(frame.bytes + pkt.payload_at, data, len), "%zu bytes differ", len);
	for (__u32 at = pkt.payload_at + len; at < pkt.icrc_at; at++)
		expect_int(frame.bytes[at], ==, 0);
	expect_int(xrdma_frame_icrc_carried(&frame, &pkt), ==, xrdma_frame_icrc(&frame, &pkt));
}

/* Responses are as long as test_run allows the frame to grow. */
Test(prog_read_lengths, grown)
{
	for (size_t len = 0; len <= 2048; len++)
		read_bytes(len, 0);
}

static size_t response_len(int ip_version, size_t len)
{
	return (ip_version == 4 ? 62 : 82) + (len + 3) / 4 * 4;
}

/*
 * Requests are as long as their responses or longer, up to lengths for which the kernel uses
 * several buffers.
 */
Test(prog_read_lengths, padded)
{
	for (int version = 4; version <= 6; version += 2) {
		for (size_t len = 0; len <= XRDMA_MTU_MAX; len += 1 + len % 7) {
			read_bytes(len, response_len(version, len));
			read_bytes(len, len + 128);
		}
		case_set_ipv6(&run);
	}
}

/* Requests are in two or three buffers. The response fills one, two or all. */
Test(prog_read_lengths, in_buffers)
{
	const __u32 firsts[] = { 62, 1000, 3000 };

	if (!target_can_split(&run.target))
		SKIP("this kernel does not let test_run split short frames");
	for (int i = 0; i < 3; i++) {
		run.target.first_buffer = firsts[i];
		for (size_t len = 0; len <= XRDMA_MTU_MAX; len += 1 + len % 97) {
			const size_t request = 74, response = response_len(4, len);
			const size_t least = response < request ? request : response;

			read_bytes(len, least <= firsts[i] ? firsts[i] + 1 : least);
			read_bytes(len, firsts[i] + 4096 + 100);
		}
	}
}

/* READs begin at every place around the end of an element of the heap. */
Test(prog_read_lengths, everywhere)
{
	for (__u32 at = 4096 - 300; at <= 4096; at++)
		for (size_t len = 1; len <= 300; len += 13) {
			run.packet.va = CASE_BASE + at;
			read_bytes(len, len + 128);
		}
}
