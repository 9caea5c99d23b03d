/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * A case is one packet with one verdict. Each case changes one thing about a valid WRITE of 64
 * bytes, and names the verdict. The verdict's action determines what else must be true of the
 * reply, of memory, of the queue pair and of its receives. case_check() checks all of that for
 * every case.
 */
#ifndef XRDMA_TESTS_CASE_H
#define XRDMA_TESTS_CASE_H

#include "target.h"
#include "test.h"

enum {
	CASE_QPN = 0x010005,
	CASE_PEER_QPN = 0x222222,
	CASE_PSN = 0xfffffe, /* the PSNs wrap soon */
	CASE_SENT_PSN = 0x000105,
	CASE_ACKED_PSN = 0x000100,
	CASE_MSN = 7,
	CASE_RQ = 5,
	CASE_RQ_MASK = 3,
	CASE_RING = 12,	     /* row of the ring, if the receive queue is shared */
	CASE_FIRST_SGE = 16, /* first row */
	CASE_SGES = 2,
	CASE_RECEIVE = -1,     /* entry of the next receive in the ring, which wraps soon */
	CASE_RNR_TIMER = 0x35, /* only the lower five bits count */
	CASE_CQ = 3,
	CASE_SEND_CQ = 4,
	CASE_CQ_MASK = 7,
	CASE_CQES = 32,	     /* first row */
	CASE_ENTRY = -2,     /* number of the next completion */
	CASE_RD_ATOMIC = -1, /* number of the oldest READ that waits for its response */
	CASE_KEY = 0x5abc035a,
	CASE_CNTR = 2, /* row of the key's counter */
	CASE_REGION = 8192,
	CASE_REGION_AT = XRDMA_HEAP_ELEMENT - 4096, /* the region lies in two elements */
};
#define CASE_BASE 0x7f0000001100ULL

struct run {
	struct target target;
	struct xrdma_qp_row *qp;     /* destination of the packet */
	struct xrdma_mkey_row *mkey; /* row of the packet's key */
	struct xrdma_queue_row *rq;  /* empty, but its next receive is filled in */
	struct xrdma_queue_row *cq;  /* completion queue of receives */
	struct xrdma_queue_row *send_cq;
	struct xrdma_sge *sges; /* of the next receive; the first has the packet's 64 bytes */
	struct xrdma_rd_atomic *rd_atomic; /* the oldest; the next row is filled in, too */
	__u32 next_psn;			   /* PSN of the response that RD_ATOMIC expects */
	__u64 original;			   /* result of an atomic */
	struct packet packet;
	__u8 frame[PACKET_MAX];
	size_t len;
	void (*edit_frame)(struct run *); /* changes the frame after it was built; may be NULL */
	bool left_to_stack; /* the stack gets the frame, although the action is DROP */
	bool has_one_frame; /* skipped at tc, where one frame can get many responses */
};

/* Open RUN: a target whose rows have the values above, and a packet with a WRITE of 64 bytes. */
void case_open(struct run *run);

/* Make the receive queue a shared one. Its ring holds a number for each receive. */
void case_share(struct run *run);

/*
 * Returns the number of the receive in entry RECEIVE of the queue. If the queue is shared, number
 * and entry differ.
 */
static inline __u32 case_number(const struct run *run, __u32 receive)
{
	return (run->rq->ring ? receive ^ 1 : receive) & run->rq->mask;
}

/* Give the next receive to the message in progress. */
void case_take_receive(struct run *run);

/* Returns the segments of receive RECEIVE. */
struct xrdma_sge *case_sges(const struct run *run, __u32 receive);

/* Make the packet a SEND of the 64 bytes, and post a receive for the place of the WRITE. */
void case_set_send(struct run *run);

/* Make the packet a READ of the 64 bytes, and fill the region with random bytes. */
void case_set_read(struct run *run);

/*
 * Make the packet a FETCH_ADD, or a CMP_SWAP that swaps, on the first word of the 64 bytes. The
 * word is random.
 */
void case_set_fetch_add(struct run *run);
void case_set_cmp_swap(struct run *run);

/* Give both ends IPv6 addresses. */
void case_set_ipv6(struct run *run);

/* Describe the region by a table of pages. The first two pages are at FIRST and SECOND. */
void case_set_paged(struct run *run, __u64 first, __u64 second);

/* Returns the word in memory at the packet's address. */
__u64 *case_word(const struct run *run);

/* Returns row NUMBER of the queue pair's responder resources: its latest READs and atomics. */
struct xrdma_resource *case_resource(const struct run *run, __u32 number);

/* Returns the responder resource for RUN's packet, a READ or an atomic, after it was executed. */
struct xrdma_resource case_made(const struct run *run);

/* Fill COUNT responder resources: RUN's packet was executed COUNT times before. */
void case_set_made(struct run *run, __u32 count);

/*
 * Make the packet the response to a READ of the 64 bytes. The READ is the second request that is
 * not acknowledged.
 */
void case_set_response(struct run *run);

/* Make the packet the response to an atomic. Its result goes to the first 8 of the 64 bytes. */
void case_set_result(struct run *run);

/* Make the packet an acknowledgement with SYNDROME and PSN. */
void case_set_ack(struct run *run, __u8 syndrome, __u32 psn);

/* Returns whether RUN's packet is the request of an atomic. */
bool case_is_atomic(const struct run *run);

/* Returns whether RUN's queue pair has a reliable service, with acknowledgements. */
bool case_is_reliable(const struct run *run);

/* Run the program with RUN's packet as it is. */
void case_send(struct run *run, struct target_result *result);

/*
 * Open a run, let SET change it, and check that its packet gets VERDICT. SET changes the rows or
 * the packet. To change the finished frame, it stores a function in run->edit_frame.
 */
void case_check(enum xrdma_verdict verdict, void (*set)(struct run *));

/*
 * Record in a section of the program that the case NAME has XRDMA_V_VERDICT. tests/prog/coverage.c
 * reads the section, to find verdicts without a case.
 */
#define CASE_RECORD(name, verdict)                                                          \
	static const __u8 verdict_of_##name __attribute__((used, section("xrdma_cases"))) = \
		XRDMA_V_##verdict

/*
 * CASE(name, VERDICT) { ... } defines a test of CASE_STAGE. Its body changes RUN, and the packet
 * must then get XRDMA_V_VERDICT.
 */
#define CASE(name, verdict)                                   \
	CASE_RECORD(name, verdict);                           \
	static void set_up_##name(struct run *run);           \
	Test(CASE_STAGE, name)                                \
	{                                                     \
		case_check(XRDMA_V_##verdict, set_up_##name); \
	}                                                     \
	static void set_up_##name(struct run *run __attribute__((unused)))

#endif
