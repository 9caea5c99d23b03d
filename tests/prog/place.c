// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Where payloads land, and that nothing lands when part of the way is missing. */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "support/case.h"
#include "xrdma.skel.h"

#define CASE_STAGE prog_place
TestSuite(prog_place, .once = target_load, .in_one_process = true);

CASE(write_64, OK)
{
}

static void set_no_heap(struct run *r)
{
	target_drop(&r->target, "xrdma_heaps");
}

CASE(no_heap, HEAP)
{
	set_no_heap(r);
}

CASE(first_element_missing, HEAP)
{
	r->mkey->offset = TARGET_HEAP;
}

/* 16 + 64 bytes from there on: the heap ends within. */
CASE(second_element_missing, HEAP)
{
	r->mkey->offset = TARGET_HEAP - 16 - 63;
}

CASE(offset_beyond_32_bits, HEAP)
{
	r->mkey->offset = 1ULL << (XRDMA_HEAP_SHIFT + 32);
}

/* Where the memory would be if it were behind that of the context in the slot before. */
CASE(heap_of_next_slot, HEAP)
{
	const __u32 next = (r->target.slot + 1) * XRDMA_HEAP_PARTS;

	expect_int(bpf_map_update_elem(r->target.slots.xrdma_heaps, &next, &r->target.heap_part.fd,
				       BPF_ANY),
		   ==, 0);
	r->mkey->offset = XRDMA_HEAP_MAX;
}

CASE(write_unasked, OK)
{
	r->packet.psn &= XRDMA_PSN_MASK;
}

/* No byte is named, so the key does not matter. */
static void set_nothing(struct run *r)
{
	r->packet.length = r->packet.payload_len = 0;
	r->packet.key = 0xdeadbeef;
}

CASE(write_nothing, OK)
{
	set_nothing(r);
}

CASE(nothing_needs_no_heap, OK)
{
	set_nothing(r);
	set_no_heap(r);
}

CASE(write_last_of_element, OK)
{
	r->packet.length = r->packet.payload_len = 1023;
	r->packet.va = CASE_BASE + 4096 - 1023;
}

/* The last place from where the verifier lets a payload of any length be copied at once. */
CASE(write_a_page_from_end, OK)
{
	r->packet.length = r->packet.payload_len = 1023;
	r->packet.va = CASE_BASE;
}

static void set_across(struct run *r)
{
	r->packet.length = r->packet.payload_len = 1023;
	r->packet.va = CASE_BASE + 4096 - 341;
}

CASE(write_across_elements, OK)
{
	set_across(r);
}

/* An aligned word, of which both buffers have a part. */
CASE(write_word_in_two, OK)
{
	r->packet.length = r->packet.payload_len = 8;
	r->target.first_buffer = 14 + 20 + 8 + 12 + 16 + 4;
}

CASE(write_last_word, OK)
{
	r->packet.length = r->packet.payload_len = 8;
	r->packet.va = CASE_BASE + 4096 - 8;
}

CASE(write_last_of_region, OK)
{
	r->packet.va = CASE_BASE + CASE_REGION - 64;
}

CASE(write_for_bound_qp, OK)
{
	r->mkey->qpn = CASE_QPN;
}

/* The longest message that there is (9.7.4.1.6). */
CASE(first_of_2_GiB, OK)
{
	r->packet.opcode = XRDMA_RC_WRITE_FIRST;
	r->packet.payload_len = 1024;
	r->packet.length = XRDMA_MESSAGE_MAX;
	r->mkey->len = 1ULL << 40;
}

/* Of a region in pages, of which the second is at SECOND: what is written lies in both. */
static void set_paged_with(struct run *r, __u64 second)
{
	case_set_paged(r, CASE_REGION_AT, second);
	set_across(r);
}

static void set_paged(struct run *r)
{
	set_paged_with(r, CASE_REGION_AT + XRDMA_PAGE);
}

CASE(paged, OK)
{
	set_paged(r);
}

CASE(paged_in_one, OK)
{
	set_paged(r);
	r->packet.va = CASE_BASE + 100;
}

/* The low bits of a word are nothing to it. */
CASE(paged_low_bits, OK)
{
	set_paged_with(r, CASE_REGION_AT + XRDMA_PAGE + 4095);
}

CASE(paged_second_missing, HEAP)
{
	set_paged_with(r, XRDMA_PAGE_NONE);
}

CASE(paged_first_missing, HEAP)
{
	set_across(r);
	case_set_paged(r, XRDMA_PAGE_NONE, CASE_REGION_AT + XRDMA_PAGE);
}

static void set_paged_second_asked(struct run *r)
{
	set_paged_with(r, XRDMA_PAGE_ASK);
}

CASE(paged_second_asked, FAULT)
{
	set_paged_second_asked(r);
}

static void set_paged_first_asked(struct run *r)
{
	set_across(r);
	case_set_paged(r, XRDMA_PAGE_ASK, CASE_REGION_AT + XRDMA_PAGE);
}

CASE(paged_first_asked, FAULT)
{
	set_paged_first_asked(r);
}

/* The process has looked for it in vain; or for that of the packet before. */
CASE(paged_unbacked, HEAP)
{
	set_paged_second_asked(r);
	r->qp->resp.unbacked = XRDMA_UNBACKED | CASE_PSN;
}

CASE(paged_another_unbacked, FAULT)
{
	set_paged_second_asked(r);
	r->qp->resp.unbacked = XRDMA_UNBACKED | (CASE_PSN - 1);
}

CASE(paged_beyond, HEAP)
{
	set_paged_with(r, TARGET_HEAP);
}

/* Where a page is does not stand in a table itself. */
CASE(paged_twice, HEAP)
{
	set_paged_with(r, r->mkey->offset | XRDMA_PAGED);
}

CASE(paged_no_table, HEAP)
{
	set_paged(r);
	r->mkey->offset = XRDMA_PAGED | (TARGET_HEAP / sizeof(__u64)) << XRDMA_PAGE_SHIFT;
}

CASE(paged_far, HEAP)
{
	set_paged(r);
	r->mkey->offset = ~0ULL & ~(XRDMA_PAGE - 1ULL);
}

/* An application has made the row so long that addresses below its memory are in its range. */
CASE(wraps_below, KEY_RANGE)
{
	r->mkey->len = ~0ULL;
	r->packet.va = CASE_BASE - r->mkey->offset;
}

CASE(leads_into_pages, KEY_RANGE)
{
	r->mkey->len = ~0ULL;
	r->packet.va = CASE_BASE - r->mkey->offset + XRDMA_PAGED;
}

CASE(paged_no_heap, HEAP)
{
	set_paged(r);
	set_no_heap(r);
}

CASE(limited_member, OK)
{
	r->qp->pkey = 0x7fff;
}

CASE(write_in_rtr, OK)
{
	r->qp->state = XRDMA_QPS_RTR;
}

/* SET takes away one of a packet's two pages: the process is asked for page number WHICH. */
static void expect_asked_for(void (*set)(struct run *), __u64 which)
{
	struct target_result result;
	struct xrdma_notice notice;
	struct run r;

	case_open(&r);
	set(&r);
	target_take_notices(&r.target, NULL, 0);
	case_send(&r, &result);
	expect_int(result.verdict, ==, XRDMA_V_FAULT);
	expect_int(target_take_notices(&r.target, &notice, 1), ==, 1);
	expect_int(notice.kind, ==, XRDMA_NOTICE_MISSED);
	expect_int(notice.qpn, ==, CASE_QPN);
	expect_int(notice.psn, ==, CASE_PSN);
	which += r.mkey->offset >> XRDMA_PAGE_SHIFT;
	expect_int(notice.data >> XRDMA_PAGE_SHIFT, ==, which);
}

Test(prog_place, notice_of_a_missed_page)
{
	expect_asked_for(set_paged_first_asked, 0);
	expect_asked_for(set_paged_second_asked, 1);
}

/* Each CPU remembers that packet NUMBER (xrdma_missed_by()) missed a page. */
static void remember_missed(const struct run *r, __u64 number)
{
	const int cpus = libbpf_num_possible_cpus();
	const __u32 zero = 0;
	__u64 missed[cpus];

	for (int cpu = 0; cpu < cpus; cpu++)
		missed[cpu] = number;
	expect_int(bpf_map_update_elem(bpf_map__fd(r->target.bpf->maps.xrdma_missed), &zero, missed,
				       BPF_ANY),
		   ==, 0);
}

/* Each CPU remembers a packet that missed a page. Others that are refused do not miss it. */
Test(prog_place, missed_by_another_packet)
{
	const __u64 others[] = { 1ULL << 63 | (__u64)(CASE_QPN + 1) << 32 | CASE_PSN,
				 1ULL << 63 | (__u64)CASE_QPN << 32 | (CASE_PSN - 1), 1 };
	struct target_result result;
	struct run r;

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		case_open(&r);
		remember_missed(&r, others[i]);
		r.packet.key ^= 1;
		case_send(&r, &result);
		expect_int(result.verdict, ==, XRDMA_V_KEY);
	}
}

/*
 * The peer's requests and responses to our own have PSNs of their own, which may be equal. A
 * request that missed a page does not make an acknowledgement of that PSN miss one.
 */
Test(prog_place, missed_by_a_request_of_that_psn)
{
	struct target_result result;
	struct run r;

	case_open(&r);
	case_set_response(&r);
	r.qp->rd_atomics = CASE_RD_ATOMIC;
	r.packet.opcode = XRDMA_RC_ACK;
	r.packet.payload_len = 0;
	r.packet.psn = CASE_ACKED_PSN;
	r.packet.syndrome_msn = (__u32)XRDMA_AETH_ACK << 24;
	remember_missed(&r, 1ULL << 63 | (__u64)CASE_QPN << 32 | CASE_ACKED_PSN);
	case_send(&r, &result);
	expect_int(result.verdict, ==, XRDMA_V_ACKED);
	expect_int(r.qp->req.acked_psn, ==, CASE_ACKED_PSN + 1);
}
