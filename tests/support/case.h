/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * One packet, one verdict: each case changes something about a WRITE of 64 bytes that would be
 * carried out, and names the verdict. What must then hold of the answer, of memory, of the queue
 * pair and of its receives follows from the verdict's action, and is checked for every case alike.
 */
#ifndef XRDMA_TESTS_CASE_H
#define XRDMA_TESTS_CASE_H

#include "target.h"
#include "test.h"

enum {
	CASE_QPN = 0x010005,
	CASE_PEER_QPN = 0x222222,
	CASE_PSN = 0xfffffe, /* near the wrap */
	CASE_SENT_PSN = 0x000105,
	CASE_ACKED_PSN = 0x000100,
	CASE_MSN = 7,
	CASE_RQ = 5,
	CASE_RQ_MASK = 3,
	CASE_RING = 12,	     /* row of the ring, if the receive queue is shared */
	CASE_FIRST_SGE = 16, /* first row */
	CASE_SGES = 2,
	CASE_RECEIVE = -1,     /* entry of the next receive in the ring: near the wrap */
	CASE_RNR_TIMER = 0x35, /* of which five bits count */
	CASE_CQ = 3,
	CASE_SEND_CQ = 4,
	CASE_CQ_MASK = 7,
	CASE_CQES = 32,	     /* first row */
	CASE_ENTRY = -2,     /* number of the next completion */
	CASE_RD_ATOMIC = -1, /* number of the oldest READ that waits for its response */
	CASE_KEY = 0x5abc035a,
	CASE_CNTR = 2, /* row of the counter of what the key allows */
	CASE_REGION = 8192,
	CASE_REGION_AT = XRDMA_HEAP_ELEMENT - 4096, /* in the heap: it lies in two elements */
};
#define CASE_BASE 0x7f0000001100ULL

struct run {
	struct target target;
	struct xrdma_qp_row *qp;     /* the one that the packet is for */
	struct xrdma_mkey_row *mkey; /* the one that it names */
	struct xrdma_queue_row *rq;  /* empty, but its next receive is filled in */
	struct xrdma_queue_row *cq;  /* of receives */
	struct xrdma_queue_row *send_cq;
	struct xrdma_sge
		*sges; /* of the next receive: the first has the 64 bytes that the packet writes */
	struct xrdma_rd_atomic *rd_atomic; /* the oldest; the next one is filled in too */
	__u32 next_psn;			   /* that of the response which it waits for */
	__u64 original;			   /* what an atomic is answered with */
	struct packet packet;
	__u8 frame[PACKET_MAX];
	size_t len;
	void (*edit_frame)(struct run *); /* once it is built; may be NULL */
	bool left_to_stack;		  /* though the verdict's action is DROP */
	bool has_one_frame;		  /* it is about what cannot be answered with one */
};

/*
 * A target with the rows that the values above describe, and the packet that asks for a WRITE of 64
 * bytes.
 */
void case_open(struct run *r);

/* Queue pairs share the receive queue: it has a ring, where no place has its own number. */
void case_share(struct run *r);

/* The number of the receive that is entry RECEIVE of the queue. */
static inline __u32 case_number(const struct run *r, __u32 receive)
{
	return (r->rq->ring ? receive ^ 1 : receive) & r->rq->mask;
}

/* The message in progress has got the next receive. */
void case_take_receive(struct run *r);

/* The data segments of that receive. */
struct xrdma_sge *case_sges(const struct run *r, __u32 receive);

/* The packet is a SEND of the same 64 bytes to the same place, for which a receive is posted. */
void case_set_send(struct run *r);

/* The packet is a READ of the same 64 bytes; the region holds random ones. */
void case_set_read(struct run *r);

/*
 * The packet is a FETCH_ADD, or a CMP_SWAP that swaps, on the first word of the same place, which
 * is random.
 */
void case_set_fetch_add(struct run *r);
void case_set_cmp_swap(struct run *r);

/* Both ends have IPv6 addresses. */
void case_set_ipv6(struct run *r);

/*
 * The region is where it was, but as pages of which the first two are at FIRST and SECOND: a table
 * in it says so.
 */
void case_set_paged(struct run *r, __u64 first, __u64 second);

/* The word that the packet names. */
__u64 *case_word(const struct run *r);

/* Row NUMBER of those that keep the queue pair's READs and atomics. */
struct xrdma_resource *case_resource(const struct run *r, __u32 number);

/* What is kept of R's packet, a READ or an atomic, once it is carried out. */
struct xrdma_resource case_made(const struct run *r);

/* It was, COUNT times, with the PSNs before the expected one. */
void case_set_made(struct run *r, __u32 count);

/*
 * The packet is the response to a READ of the same 64 bytes: *READ was the second request that is
 * not acknowledged.
 */
void case_set_response(struct run *r);

/* The same to an atomic, whose result goes to the first 8 of these bytes. */
void case_set_result(struct run *r);

/* The packet is an acknowledgement, or what else SYNDROME says. */
void case_set_ack(struct run *r, __u8 syndrome, __u32 psn);

/* Whether R's packet is the request of an atomic. */
bool case_is_atomic(const struct run *r);

/* Whether R's queue pair is of a service that acknowledges. */
bool case_is_reliable(const struct run *r);

/* Run R's packet as it stands. */
void case_send(struct run *r, struct target_result *result);

/*
 * Run the packet of a new target that SET has changed, and check that it gets VERDICT. SET changes
 * the rows, the packet, or names in r->edit_frame a function that changes the finished frame.
 */
void case_check(enum xrdma_verdict verdict, void (*set)(struct run *));

/*
 * CASE(name, VERDICT) { ... } defines a test of CASE_STAGE. Its body changes the run R, and the
 * packet must then get XRDMA_V_VERDICT. The verdict is also noted in a section of the program:
 * tests/prog/coverage.c reads it, to find verdicts without a case.
 */
#define CASE(name, verdict)                                                                 \
	static const __u8 verdict_of_##name __attribute__((used, section("xrdma_cases"))) = \
		XRDMA_V_##verdict;                                                          \
	static void set_up_##name(struct run *r);                                           \
	Test(CASE_STAGE, name)                                                              \
	{                                                                                   \
		case_check(XRDMA_V_##verdict, set_up_##name);                               \
	}                                                                                   \
	static void set_up_##name(struct run *r __attribute__((unused)))

#endif
