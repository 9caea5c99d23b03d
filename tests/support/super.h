/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Super packets for the program at tc, and their expected effects. There is one at a time. The
 * process needs a network namespace of its own, because copies of a frame may leave by its lo.
 */
#ifndef XRDMA_TESTS_SUPER_H
#define XRDMA_TESTS_SUPER_H

#include "case.h"

enum {
	SUPER_SEGMENTS_MAX = PACKET_SEGMENTS_MAX,
	SUPER_MTU = 256,
	SUPER_DATAGRAM_AT = 42, /* after the headers of IPv4 */
	SUPER_SEND_LEN = 4 * SUPER_MTU - 50,
	SUPER_PART = 64,   /* payload of a packet of super_write_parts() */
	SUPER_STEP = 100,  /* distance between the places of two packets */
	SUPER_FILL = 0xa5, /* initial value of each byte of the heap */
};

extern struct run super_run;
extern struct packet super_packets[SUPER_SEGMENTS_MAX];
extern __u8 super_data[4 * SUPER_MTU];
extern __u32 super_segment; /* length of a datagram */
extern __u32 super_mark;    /* mark of the frame when it arrives: 0 at first */
extern int super_id_step;   /* difference of the identifications of two segments: 1 at first */
extern struct target_result super_result;

/* For TestSuite(.once): load the program, in a network namespace of our own. */
void super_load(void);

/* For TestSuite(.init): a target, a heap of SUPER_FILL and new data. */
void super_open(void);

/* Make packet I of COUNT write its part of the data to a place of its own. */
void super_write_parts(int count);

/* Make four packets that SEND the data. */
void super_send_parts(void);

/* Build the frame from the first COUNT packets. */
void super_build(int count);

/* Run the program with the frame of super_build(). */
void super_arrive(void);
void super_build_and_arrive(int count);

/* Returns how often VERDICT was counted in the last run. */
__u64 super_counted(enum xrdma_verdict verdict);

/* Expect that the frame has become a valid reply for PSN, without anything else in it. */
struct xrdma_pkt super_reply(__u32 psn);
void super_expect_ack(__u32 psn);
void super_expect_nak(__u32 psn, __u8 syndrome);

/*
 * Expect that the first COUNT packets of super_write_parts() were executed, and that nothing else
 * was written.
 */
void super_expect_written(int count);

/*
 * Expect that COUNT packets of super_write_parts() were executed and no others, and that nothing
 * else was written.
 */
void super_expect_parts(int count);

#endif
