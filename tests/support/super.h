/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Super packets for the program at tc, and what they must lead to. There is one at a time. The
 * process has a network namespace of its own, as copies of a frame may leave by its lo.
 */
#ifndef XRDMA_TESTS_SUPER_H
#define XRDMA_TESTS_SUPER_H

#include "case.h"

enum {
	SUPER_SEGMENTS_MAX = PACKET_SEGMENTS_MAX,
	SUPER_MTU = 256,
	SUPER_DATAGRAM_AT = 42, /* behind the headers of IPv4 */
	SUPER_SEND_LEN = 4 * SUPER_MTU - 50,
	SUPER_PART = 64,   /* bytes of a packet of super_write_parts() */
	SUPER_STEP = 100,  /* bytes between the places that they are written to */
	SUPER_FILL = 0xa5, /* each byte of the heap before */
};

extern struct run super_run;
extern struct packet super_packets[SUPER_SEGMENTS_MAX];
extern __u8 super_data[4 * SUPER_MTU];
extern __u32 super_segment; /* bytes of a datagram */
extern __u32 super_mark;    /* of the frame that arrives: 0 at first */
extern int super_id_step;   /* between the identifications of two segments: 1 at first */
extern struct target_result super_result;

/* For TestSuite(.once): load the program, in a network namespace of our own. */
void super_load(void);

/* For TestSuite(.init): a target, a heap of SUPER_FILL and new data. */
void super_open(void);

/* Packet I of COUNT writes its part of the data to a place of its own. */
void super_write_parts(int count);

/* Four packets send the data. */
void super_send_parts(void);

/* The first COUNT packets become the frame. */
void super_build(int count);

/* The frame that super_build() made arrives at the program. */
void super_arrive(void);
void super_build_and_arrive(int count);

/* Returns how often VERDICT was counted when the frame last arrived. */
__u64 super_counted(enum xrdma_verdict verdict);

/* The frame has become a reply that is whole, to PSN and with nothing else in it. */
struct xrdma_pkt super_reply(__u32 psn);
void super_expect_ack(__u32 psn);
void super_expect_nak(__u32 psn, __u8 syndrome);

/* So many packets of super_write_parts() were carried out, and nothing else was written. */
void super_expect_written(int count);

/*
 * COUNT packets of super_write_parts() were carried out, no others were, and nothing else was
 * written.
 */
void super_expect_parts(int count);

#endif
