// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Atomics: their effect on a word, and the responses to their duplicates. */
#include <linux/bpf.h>
#include <string.h>

#include "support/case.h"
#include "lib/frame.h"

#define CASE_STAGE prog_atomic
TestSuite(prog_atomic, .once = target_load, .in_one_process = true);

CASE(fetch_add, OK)
{
	case_set_fetch_add(run);
}

CASE(cmp_swap, OK)
{
	case_set_cmp_swap(run);
}

/* Set the packet's address to the word at VA bytes in the region. */
static void set_at(struct run *run, __u64 va)
{
	case_set_fetch_add(run);
	run->packet.va = CASE_BASE + va;
	run->original = *case_word(run);
}

CASE(fetch_add_wraps, OK)
{
	case_set_fetch_add(run);
	run->original = *case_word(run) = ~0ULL;
	run->packet.swap_add = 3;
}

CASE(cmp_swap_differs, OK)
{
	case_set_cmp_swap(run);
	run->packet.compare ^= 1ULL << 63;
}

CASE(atomic_unasked, OK)
{
	case_set_fetch_add(run);
	run->packet.psn = CASE_PSN;
}

/* The region lies in two elements of the heap, with 4096 bytes in the first. */
CASE(atomic_last_of_element, OK)
{
	set_at(run, 4096 - 8);
}

CASE(atomic_over_ipv6_vlans, OK)
{
	case_set_cmp_swap(run);
	case_set_ipv6(run);
	run->packet.vlan_tags = 2;
}

static void edit_atomic_trailer(struct run *run)
{
	memset(run->frame + run->len, 0xee, 200);
	run->len += 200;
}

CASE(atomic_with_trailer, OK)
{
	case_set_fetch_add(run);
	run->edit_frame = edit_atomic_trailer;
}

CASE(atomic_in_rtr, OK)
{
	case_set_fetch_add(run);
	run->qp->state = XRDMA_QPS_RTR;
}

/* Fill COUNT results, for the PSNs before the expected one. */
static void set_kept(struct run *run, __u32 count)
{
	case_set_fetch_add(run);
	case_set_made(run, count);
	for (__u32 i = 0; i < count; i++)
		case_resource(run, i)->original = 0x1111111111111111ULL * (i + 1);
}

/* If all resources have results, the oldest one is replaced. */
CASE(atomic_17th_result, OK)
{
	set_kept(run, 16);
}

CASE(atomic_32nd_result, OK)
{
	set_kept(run, 31);
}

/* Make the packet a duplicate of the second of three atomics. */
static void set_atomic_again(struct run *run)
{
	set_kept(run, 3);
	run->packet.psn = CASE_PSN - 2;
	run->original = 0x2222222222222222;
}

CASE(atomic_again, DUPLICATE)
{
	set_atomic_again(run);
}

/* The oldest result that is kept is sent again. */
CASE(atomic_again_16th, DUPLICATE)
{
	set_kept(run, 17);
	run->packet.psn = CASE_PSN - 16;
	run->original = 0x2222222222222222;
}

/* A duplicate does not need the key any more. */
CASE(atomic_again_key_gone, DUPLICATE)
{
	set_atomic_again(run);
	run->mkey->state = XRDMA_MKEY_STATE_INVALID;
}

/* A duplicate does not depend on the message in progress. */
CASE(atomic_again_in_message, DUPLICATE)
{
	set_atomic_again(run);
	run->qp->resp.op = XRDMA_OP_WRITE;
	run->qp->resp.left = 64;
}

/* The result is older than all that are kept. */
CASE(atomic_not_kept, NOT_KEPT)
{
	set_kept(run, 17);
	run->packet.psn = CASE_PSN - 17;
}

/* A row contains the PSN, but it is from before the queue pair was reset. */
CASE(atomic_none_kept, NOT_KEPT)
{
	set_atomic_again(run);
	run->qp->resp.resources = 1;
}

/* The PSN was that of a READ. */
CASE(atomic_again_was_read, NOT_KEPT)
{
	set_atomic_again(run);
	case_resource(run, 1)->op_msn = XRDMA_OP_READ << 24;
}

CASE(atomic_again_elsewhere, NOT_KEPT)
{
	set_atomic_again(run);
	run->packet.va += 8;
}

CASE(atomic_again_other_key, NOT_KEPT)
{
	set_atomic_again(run);
	case_resource(run, 1)->key ^= 1;
}

CASE(atomic_ahead, PSN_AHEAD)
{
	case_set_fetch_add(run);
	run->packet.psn = CASE_PSN + 1;
}

CASE(atomic_in_a_message, OPCODE_ORDER)
{
	case_set_fetch_add(run);
	run->qp->resp.op = XRDMA_OP_WRITE;
	run->qp->resp.left = 64;
}

CASE(atomic_with_payload, LENGTH)
{
	case_set_fetch_add(run);
	run->packet.payload_len = 8;
}

CASE(atomic_with_pad, PAD)
{
	case_set_fetch_add(run);
	run->packet.payload_len = 3;
}

CASE(atomics_not_allowed, QP_ACCESS)
{
	case_set_fetch_add(run);
	run->qp->access = XRDMA_ACCESS_REMOTE_WRITE | XRDMA_ACCESS_REMOTE_READ;
}

static void set_atomic_misaligned(struct run *run)
{
	case_set_fetch_add(run);
	run->packet.va++;
}

CASE(atomic_misaligned, MISALIGNED)
{
	set_atomic_misaligned(run);
}

/* The address is aligned, but not the memory: a region that begins anywhere and is ZERO_BASED. */
CASE(memory_misaligned, MISALIGNED)
{
	case_set_fetch_add(run);
	run->mkey->offset += 4;
}

/* IBA 9.7.4.1: the request is checked before its key. */
CASE(misaligned_unknown_key, MISALIGNED)
{
	set_atomic_misaligned(run);
	run->packet.key ^= 1;
}

CASE(atomic_no_right, KEY_RIGHTS)
{
	case_set_cmp_swap(run);
	run->mkey->rights =
		XRDMA_ACCESS_REMOTE_WRITE | XRDMA_ACCESS_LOCAL_WRITE | XRDMA_ACCESS_REMOTE_READ;
}

/* The region ends in the middle of the word. */
CASE(atomic_half_beyond, KEY_RANGE)
{
	set_at(run, CASE_REGION - 8);
	run->mkey->len -= 4;
}

CASE(atomic_beyond_heap, HEAP)
{
	case_set_fetch_add(run);
	run->mkey->offset = TARGET_HEAP - (run->packet.va - CASE_BASE);
}

/* The result is placed into both buffers. */
CASE(atomic_in_two_buffers, OK)
{
	case_set_fetch_add(run);
	run->target.first_buffer = 64;
}

static struct run run;

static void open_run(void)
{
	case_open(&run);
}

TestSuite(prog_atomics, .once = target_load, .init = open_run, .in_one_process = true);

/*
 * Each of the last sixteen atomics is answered again with its first result, and executed once, at
 * each position of the ring.
 */
Test(prog_atomics, answered_again)
{
	static struct xrdma_frame frame;
	struct target_result result;
	struct xrdma_pkt pkt;
	__u64 word;

	case_set_fetch_add(&run);
	word = *case_word(&run);
	for (int done = 0; done < 50; done++) {
		__u32 psn = run.qp->resp.psn;

		run.packet.psn = psn;
		case_send(&run, &result);
		expect_int(result.verdict, ==, XRDMA_V_OK);
		for (int back = 0; back <= 17 && back <= done; back++) {
			run.packet.psn = (psn - back) & XRDMA_PSN_MASK;
			case_send(&run, &result);
			expect_int(result.verdict, ==,
				   back < 16 ? XRDMA_V_DUPLICATE : XRDMA_V_NOT_KEPT);
			if (back == 16)
				break;
			xrdma_frame_parse(&frame, result.frame, result.len, &pkt);
			expect_int(pkt.psn, ==, run.packet.psn);
			expect_int(pkt.original, ==, word + (done - back) * run.packet.swap_add);
		}
		expect_int(*case_word(&run), ==, word + (done + 1) * run.packet.swap_add);
	}
}
