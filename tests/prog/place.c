// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Placing payloads, and refusals when a part of the memory is missing. */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "support/case.h"
#include "xrdma.skel.h"

#define CASE_STAGE prog_place
TestSuite(prog_place, .once = target_load, .in_one_process = true);

CASE(write_64, OK)
{
}

static void set_no_heap(struct run *run)
{
	target_drop(&run->target, "xrdma_heaps");
}

CASE(no_heap, HEAP)
{
	set_no_heap(run);
}

CASE(first_element_missing, HEAP)
{
	run->mkey->offset = TARGET_HEAP;
}

/* The heap ends within the 16 + 64 bytes. */
CASE(second_element_missing, HEAP)
{
	run->mkey->offset = TARGET_HEAP - 16 - 63;
}

CASE(offset_beyond_32_bits, HEAP)
{
	run->mkey->offset = 1ULL << (XRDMA_HEAP_SHIFT + 32);
}

/* The address would be in the next slot's heap, if the heaps followed each other. */
CASE(heap_of_next_slot, HEAP)
{
	const __u32 next = (run->target.slot + 1) * XRDMA_HEAP_ARENAS;

	expect_int(bpf_map_update_elem(run->target.slots.xrdma_heaps, &next,
				       &run->target.heap_part.fd, BPF_ANY),
		   ==, 0);
	run->mkey->offset = XRDMA_HEAP_MAX;
}

CASE(write_unasked, OK)
{
	run->packet.psn &= XRDMA_PSN_MASK;
}

/* Make the packet name no bytes, so that the key does not matter. */
static void set_nothing(struct run *run)
{
	run->packet.length = run->packet.payload_len = 0;
	run->packet.key = 0xdeadbeef;
}

CASE(write_nothing, OK)
{
	set_nothing(run);
}

CASE(nothing_needs_no_heap, OK)
{
	set_nothing(run);
	set_no_heap(run);
}

CASE(write_last_of_element, OK)
{
	run->packet.length = run->packet.payload_len = 1023;
	run->packet.va = CASE_BASE + 4096 - 1023;
}

/* At this place, the verifier just allows a payload of any length to be copied at once. */
CASE(write_a_page_from_end, OK)
{
	run->packet.length = run->packet.payload_len = 1023;
	run->packet.va = CASE_BASE;
}

static void set_across(struct run *run)
{
	run->packet.length = run->packet.payload_len = 1023;
	run->packet.va = CASE_BASE + 4096 - 341;
}

CASE(write_across_elements, OK)
{
	set_across(run);
}

/* An aligned word lies partly in each of two buffers. */
CASE(write_word_in_two, OK)
{
	run->packet.length = run->packet.payload_len = 8;
	run->target.first_buffer = 14 + 20 + 8 + 12 + 16 + 4;
}

CASE(write_last_word, OK)
{
	run->packet.length = run->packet.payload_len = 8;
	run->packet.va = CASE_BASE + 4096 - 8;
}

CASE(write_last_of_region, OK)
{
	run->packet.va = CASE_BASE + CASE_REGION - 64;
}

CASE(write_for_bound_qp, OK)
{
	run->mkey->qpn = CASE_QPN;
}

/* The packet is the first of the longest possible message (IBA 9.7.4.1.6). */
CASE(first_of_2_GiB, OK)
{
	run->packet.opcode = XRDMA_RC_WRITE_FIRST;
	run->packet.payload_len = 1024;
	run->packet.length = XRDMA_MESSAGE_MAX;
	run->mkey->len = 1ULL << 40;
}

/* Make a region in pages, with the second page at SECOND. The WRITE lies in both. */
static void set_paged_with(struct run *run, __u64 second)
{
	case_set_paged(run, CASE_REGION_AT, second);
	set_across(run);
}

static void set_paged(struct run *run)
{
	set_paged_with(run, CASE_REGION_AT + XRDMA_PAGE);
}

CASE(paged, OK)
{
	set_paged(run);
}

CASE(paged_in_one, OK)
{
	set_paged(run);
	run->packet.va = CASE_BASE + 100;
}

/* The low bits of the page table's word are ignored. */
CASE(paged_low_bits, OK)
{
	set_paged_with(run, CASE_REGION_AT + XRDMA_PAGE + 4095);
}

CASE(paged_second_missing, HEAP)
{
	set_paged_with(run, XRDMA_PAGE_NONE);
}

CASE(paged_first_missing, HEAP)
{
	set_across(run);
	case_set_paged(run, XRDMA_PAGE_NONE, CASE_REGION_AT + XRDMA_PAGE);
}

static void set_paged_second_asked(struct run *run)
{
	set_paged_with(run, XRDMA_PAGE_ASK);
}

CASE(paged_second_asked, FAULT)
{
	set_paged_second_asked(run);
}

static void set_paged_first_asked(struct run *run)
{
	set_across(run);
	case_set_paged(run, XRDMA_PAGE_ASK, CASE_REGION_AT + XRDMA_PAGE);
}

CASE(paged_first_asked, FAULT)
{
	set_paged_first_asked(run);
}

/*
 * The process has reported that it has no memory for the page, or for the page of the packet
 * before.
 */
CASE(paged_unbacked, HEAP)
{
	set_paged_second_asked(run);
	run->qp->resp.unbacked = XRDMA_UNBACKED | CASE_PSN;
}

CASE(paged_another_unbacked, FAULT)
{
	set_paged_second_asked(run);
	run->qp->resp.unbacked = XRDMA_UNBACKED | (CASE_PSN - 1);
}

CASE(paged_beyond, HEAP)
{
	set_paged_with(run, TARGET_HEAP);
}

/* An entry of a page table does not lead to another page table. */
CASE(paged_twice, HEAP)
{
	set_paged_with(run, run->mkey->offset | XRDMA_PAGED);
}

CASE(paged_no_table, HEAP)
{
	set_paged(run);
	run->mkey->offset = XRDMA_PAGED | (TARGET_HEAP / sizeof(__u64)) << XRDMA_PAGE_SHIFT;
}

CASE(paged_far, HEAP)
{
	set_paged(run);
	run->mkey->offset = ~0ULL & ~(XRDMA_PAGE - 1ULL);
}

/* An application has changed the length in its row, so that lower addresses are in its range. */
CASE(wraps_below, KEY_RANGE)
{
	run->mkey->len = ~0ULL;
	run->packet.va = CASE_BASE - run->mkey->offset;
}

CASE(leads_into_pages, KEY_RANGE)
{
	run->mkey->len = ~0ULL;
	run->packet.va = CASE_BASE - run->mkey->offset + XRDMA_PAGED;
}

CASE(paged_no_heap, HEAP)
{
	set_paged(run);
	set_no_heap(run);
}

CASE(limited_member, OK)
{
	run->qp->pkey = 0x7fff;
}

CASE(write_in_rtr, OK)
{
	run->qp->state = XRDMA_QPS_RTR;
}

/* Remove one of the packet's two pages by SET. Expect that the process is asked for page WHICH. */
static void expect_asked_for(void (*set)(struct run *), __u64 which)
{
	struct target_result result;
	struct xrdma_notice notice;
	struct run run;

	case_open(&run);
	set(&run);
	target_take_notices(&run.target, NULL, 0);
	case_send(&run, &result);
	expect_int(result.verdict, ==, XRDMA_V_FAULT);
	expect_int(target_take_notices(&run.target, &notice, 1), ==, 1);
	expect_int(notice.kind, ==, XRDMA_NOTICE_MISSED);
	expect_int(notice.qpn, ==, CASE_QPN);
	expect_int(notice.psn, ==, CASE_PSN);
	which += run.mkey->offset >> XRDMA_PAGE_SHIFT;
	expect_int(notice.data >> XRDMA_PAGE_SHIFT, ==, which);
}

Test(prog_place, notice_of_a_missed_page)
{
	expect_asked_for(set_paged_first_asked, 0);
	expect_asked_for(set_paged_second_asked, 1);
}

/* Record for each CPU that packet NUMBER (xrdma_missed_by()) missed a page. */
static void remember_missed(const struct run *run, __u64 number)
{
	const int cpus = libbpf_num_possible_cpus();
	const __u32 zero = 0;
	__u64 missed[cpus];

	for (int cpu = 0; cpu < cpus; cpu++)
		missed[cpu] = number;
	expect_int(bpf_map_update_elem(bpf_map__fd(run->target.bpf->maps.xrdma_missed), &zero,
				       missed, BPF_ANY),
		   ==, 0);
}

/*
 * Each CPU remembers a packet that missed a page. Another packet, which is refused, does not count
 * as missing it.
 */
Test(prog_place, missed_by_another_packet)
{
	const __u64 others[] = { 1ULL << 63 | (__u64)(CASE_QPN + 1) << 32 | CASE_PSN,
				 1ULL << 63 | (__u64)CASE_QPN << 32 | (CASE_PSN - 1), 1 };
	struct target_result result;
	struct run run;

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		case_open(&run);
		remember_missed(&run, others[i]);
		run.packet.key ^= 1;
		case_send(&run, &result);
		expect_int(result.verdict, ==, XRDMA_V_KEY);
	}
}

/*
 * The peer's requests and the responses to our own have separate PSNs, which may be equal. A
 * request that missed a page does not make an acknowledgement with the same PSN miss one.
 */
Test(prog_place, missed_by_a_request_of_that_psn)
{
	struct target_result result;
	struct run run;

	case_open(&run);
	case_set_response(&run);
	run.qp->rd_atomics = CASE_RD_ATOMIC;
	run.packet.opcode = XRDMA_RC_ACK;
	run.packet.payload_len = 0;
	run.packet.psn = CASE_ACKED_PSN;
	run.packet.syndrome_msn = (__u32)XRDMA_AETH_ACK << 24;
	remember_missed(&run, 1ULL << 63 | (__u64)CASE_QPN << 32 | CASE_ACKED_PSN);
	case_send(&run, &result);
	expect_int(result.verdict, ==, XRDMA_V_ACKED);
	expect_int(run.qp->req.acked_psn, ==, CASE_ACKED_PSN + 1);
}
