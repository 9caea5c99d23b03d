/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Run the XDP program, or the one for tc ingress, with one context and one packet at a time by
 * BPF_PROG_TEST_RUN. Nothing is attached, and no netdev is used. This needs root. An error ends the
 * process with a message.
 */
#ifndef XRDMA_TESTS_TARGET_H
#define XRDMA_TESTS_TARGET_H

#include <stdbool.h>
#include <stddef.h>

#include "packet.h"
#include "dev/slot.h"

enum {
	TARGET_ROWS = 256, /* number of queue pairs, keys and queues */
	TARGET_CNTRS = 4,
	TARGET_RECEIVE_ROWS = 1024, /* number of segments, and of completions */
	TARGET_LAYOUT_ROWS = 64,    /* number of entries of mkeys */
	TARGET_ELEMENTS = 2,
	TARGET_HEAP = TARGET_ELEMENTS * XRDMA_HEAP_ELEMENT,
};

/*
 * Choose the tc program for the next load. A program that tests only the tc program defines it as
 * true.
 */
extern bool target_is_at_tc;

struct target {
	struct xrdma_bpf *bpf; /* skeletons */
	struct xrdma_tc_bpf *tc;
	struct xrdma_slots slots;
	__u32 slot;
	struct xrdma_context_tables tables;
	struct xrdma_table heap_part; /* the only arena */
	int notices;		      /* file descriptor of the ring */
	struct xrdma_qp_row *qps;
	struct xrdma_mkey_row *mkeys;
	struct xrdma_queue_row *queues;
	struct xrdma_sge *sges;
	struct xrdma_layout_row *layouts;
	struct xrdma_cqe_row *cqes;
	struct xrdma_cntr_row *cntrs;
	__u8 *heap;
	__u32 first_buffer; /* bytes of a frame in its first buffer; 0: as many as fit */
	__u32 metadata;	    /* bytes of metadata, which reduce the headroom of 256 */
	bool in_a_page;	    /* the frame must not have more room than its page */
};

struct xrdma_notice;

/* Result of one packet. */
struct target_result {
	int action;		    /* XDP_*, also for the actions at tc */
	enum xrdma_verdict verdict; /* the verdict whose counter was incremented */
	__u8 frame[PACKET_MAX];
	size_t len;
	__u32 ns; /* duration of this run, measured by the kernel */
};

/*
 * For TestSuite(.once): load the program, and the tables of its context, unless an earlier suite of
 * this process has loaded them.
 */
void target_load(void);

/* Unload the program, so that the process can load the other one. */
void target_unload(void);

/*
 * Set up a device with the addresses 10.66.0.2 and fd66::2, and an empty context in SLOT, whatever
 * was done with it before. It is the one of target_load(), or is loaded now.
 */
void target_open(struct target *t, __u32 slot);

/* Returns the file descriptor of the program, which belongs to the target. */
int target_program(const struct target *t);

/* Write the row of the device, which is not mapped, or that of the context. */
void target_set_device(struct target *t, const struct xrdma_device_row *device);

/* Set the MAC address of its netdev. */
void target_set_mac(struct target *t, const __u8 mac[6]);
void target_set_context(struct target *t, __u32 slot, const struct xrdma_context_row *context);

/* Returns whether a test can choose FIRST_BUFFER with so much METADATA on this kernel. */
bool target_can_split(const struct target *t);

/* Returns the length of the longest frame. At tc this is a page without the kernel's own part. */
size_t target_frame_max(void);

/* Remove the context from the map of maps OUTER, as while it is being opened or closed. */
void target_drop(struct target *t, const char *outer);

/* Add up the counters of all CPUs. */
void target_counters(const struct target *t, struct xrdma_counters *sum);

/*
 * Take all notices that XDP has written, and copy the first MAX to NOTICES. Returns their number.
 */
size_t target_take_notices(struct target *t, struct xrdma_notice *notices, size_t max);

/* Run the program with FRAME. It must count exactly one verdict. */
void target_run(struct target *t, const void *frame, size_t len, struct target_result *result);

/*
 * Run the tc program on a frame with mark *MARK. *MARK and the frame in RESULT become those of the
 * frame that is redirected. The verdict is not set, if there is one.
 */
void target_run_marked(struct target *t, const void *frame, size_t len, __u32 *mark,
		       struct target_result *result);

/*
 * Run FRAME, a super packet with segments of SEGMENT bytes, through the program at tc with MARK.
 * Any number of verdicts may be counted: that of RESULT is not set.
 */
void target_run_super(struct target *t, const void *frame, size_t len, __u32 segment, __u32 mark,
		      struct target_result *result);

#endif
