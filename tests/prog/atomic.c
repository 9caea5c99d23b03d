// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Atomics: what they make of a word, and what answers their duplicates. */
#include <linux/bpf.h>
#include <string.h>

#include "cases.h"
#include "lib/frame.h"

/* The word VA bytes into the region. */
static void set_at(struct run *r, __u64 va)
{
	case_set_fetch_add(r);
	r->packet.va = CASE_BASE + va;
	r->original = *case_word(r);
}

static void set_add_wraps(struct run *r)
{
	case_set_fetch_add(r);
	r->original = *case_word(r) = ~0ULL;
	r->packet.swap_add = 3;
}

static void set_swap_differs(struct run *r)
{
	case_set_cmp_swap(r);
	r->packet.compare ^= 1ULL << 63;
}

static void set_atomic_unasked(struct run *r)
{
	case_set_fetch_add(r);
	r->packet.psn = CASE_PSN;
}

/* The region lies in two elements of the heap, 4096 bytes in the first. */
static void set_atomic_last(struct run *r)
{
	set_at(r, 4096 - 8);
}

static void set_atomic_ipv6(struct run *r)
{
	case_set_cmp_swap(r);
	case_set_ipv6(r);
	r->packet.vlan_tags = 2;
}

static void bend_atomic_trailer(struct run *r)
{
	memset(r->frame + r->len, 0xee, 200);
	r->len += 200;
}

static void set_atomic_rtr(struct run *r)
{
	case_set_fetch_add(r);
	r->qp->state = XRDMA_QPS_RTR;
}

/* COUNT results are kept, of the PSNs before the expected one. */
static void set_kept(struct run *r, __u32 count)
{
	case_set_fetch_add(r);
	case_set_made(r, count);
	for (__u32 i = 0; i < count; i++)
		case_resource(r, i)->original = 0x1111111111111111ULL * (i + 1);
}

/* The oldest result makes room. */
static void set_atomic_17th(struct run *r)
{
	set_kept(r, 16);
}

static void set_atomic_32nd(struct run *r)
{
	set_kept(r, 31);
}

/* The second of three. */
static void set_atomic_again(struct run *r)
{
	set_kept(r, 3);
	r->packet.psn = CASE_PSN - 2;
	r->original = 0x2222222222222222;
}

/* The oldest of as many as are kept. */
static void set_atomic_again_16th(struct run *r)
{
	set_kept(r, 17);
	r->packet.psn = CASE_PSN - 16;
	r->original = 0x2222222222222222;
}

/* What it names does not matter any more. */
static void set_atomic_again_key_gone(struct run *r)
{
	set_atomic_again(r);
	r->mkey->state = XRDMA_MKEY_STATE_INVALID;
}

/* What is under way has nothing to do with it. */
static void set_atomic_again_in_message(struct run *r)
{
	set_atomic_again(r);
	r->qp->resp.op = XRDMA_OP_WRITE;
	r->qp->resp.left = 64;
}

/* The result before the oldest that is kept. */
static void set_atomic_not_kept(struct run *r)
{
	set_kept(r, 17);
	r->packet.psn = CASE_PSN - 17;
}

/* A row has the PSN, but from before the queue pair was reset. */
static void set_atomic_none_kept(struct run *r)
{
	set_atomic_again(r);
	r->qp->resp.resources = 1;
}

/* A READ was made with the PSN. */
static void set_atomic_again_was_read(struct run *r)
{
	set_atomic_again(r);
	case_resource(r, 1)->op_msn = XRDMA_OP_READ << 24;
}

static void set_atomic_again_elsewhere(struct run *r)
{
	set_atomic_again(r);
	r->packet.va += 8;
}

static void set_atomic_again_other_key(struct run *r)
{
	set_atomic_again(r);
	case_resource(r, 1)->key ^= 1;
}

static void set_atomic_ahead(struct run *r)
{
	case_set_fetch_add(r);
	r->packet.psn = CASE_PSN + 1;
}

static void set_atomic_in_message(struct run *r)
{
	case_set_fetch_add(r);
	r->qp->resp.op = XRDMA_OP_WRITE;
	r->qp->resp.left = 64;
}

static void set_atomic_payload(struct run *r)
{
	case_set_fetch_add(r);
	r->packet.payload_len = 8;
}

static void set_atomic_pad(struct run *r)
{
	case_set_fetch_add(r);
	r->packet.payload_len = 3;
}

static void set_atomic_no_access(struct run *r)
{
	case_set_fetch_add(r);
	r->qp->access = XRDMA_ACCESS_REMOTE_WRITE | XRDMA_ACCESS_REMOTE_READ;
}

static void set_atomic_no_resources(struct run *r)
{
	case_set_fetch_add(r);
	r->qp->max_dest_rd_atomic = 0;
}

static void set_atomic_misaligned(struct run *r)
{
	case_set_fetch_add(r);
	r->packet.va++;
}

static void set_atomic_misaligned_by_4(struct run *r)
{
	case_set_cmp_swap(r);
	r->packet.va += 4;
}

/*
 * The address is aligned, but not the memory that it names: a region which begins anywhere and is
 * ZERO_BASED.
 */
static void set_memory_misaligned(struct run *r)
{
	case_set_fetch_add(r);
	r->mkey->offset += 4;
}

/* 9.7.4.1: the request is judged before its key. */
static void set_misaligned_unknown(struct run *r)
{
	set_atomic_misaligned(r);
	r->packet.key ^= 1;
}

static void set_atomic_key(struct run *r)
{
	case_set_cmp_swap(r);
	r->packet.key ^= 1;
}

static void set_atomic_key_state(struct run *r)
{
	case_set_cmp_swap(r);
	r->mkey->state = XRDMA_MKEY_STATE_FREE;
}

static void set_atomic_pd(struct run *r)
{
	case_set_cmp_swap(r);
	r->mkey->pd++;
}

static void set_atomic_bound(struct run *r)
{
	case_set_cmp_swap(r);
	r->mkey->qpn = CASE_QPN + 1;
}

static void set_atomic_rights(struct run *r)
{
	case_set_cmp_swap(r);
	r->mkey->rights =
		XRDMA_ACCESS_REMOTE_WRITE | XRDMA_ACCESS_LOCAL_WRITE | XRDMA_ACCESS_REMOTE_READ;
}

/* The last word of a region that ends in the middle of it. */
static void set_atomic_beyond(struct run *r)
{
	set_at(r, CASE_REGION - 8);
	r->mkey->len -= 4;
}

static void set_atomic_nowhere(struct run *r)
{
	case_set_fetch_add(r);
	r->mkey->offset = TARGET_HEAP - (r->packet.va - CASE_BASE);
}

/* The result goes into both. */
static void set_atomic_in_two(struct run *r)
{
	case_set_fetch_add(r);
	r->target.first_buffer = 64;
}

#define CASE_STAGE prog_atomic
TestSuite(prog_atomic, .once = target_load, .in_one_process = true);
ATOMIC_CASES(CASE_TEST)

static struct run r;

static void open_run(void)
{
	case_open(&r);
}

TestSuite(prog_atomics, .once = target_load, .init = open_run, .in_one_process = true);

/*
 * Each of the last sixteen is answered again with what it found, and carried out once, wherever the
 * ring stands.
 */
Test(prog_atomics, answered_again)
{
	static struct xrdma_frame frame;
	struct target_result result;
	struct xrdma_pkt pkt;
	__u64 word;

	case_set_fetch_add(&r);
	word = *case_word(&r);
	for (int done = 0; done < 50; done++) {
		__u32 psn = r.qp->resp.psn;

		r.packet.psn = psn;
		case_send(&r, &result);
		expect_int(result.verdict, ==, XRDMA_V_OK);
		for (int back = 0; back <= 17 && back <= done; back++) {
			r.packet.psn = (psn - back) & XRDMA_PSN_MASK;
			case_send(&r, &result);
			expect_int(result.verdict, ==,
				   back < 16 ? XRDMA_V_DUPLICATE : XRDMA_V_NOT_KEPT);
			if (back == 16)
				break;
			xrdma_frame_parse(&frame, result.frame, result.len, &pkt);
			expect_int(pkt.psn, ==, r.packet.psn);
			expect_int(pkt.original, ==, word + (done - back) * r.packet.swap_add);
		}
		expect_int(*case_word(&r), ==, word + (done + 1) * r.packet.swap_add);
	}
}
