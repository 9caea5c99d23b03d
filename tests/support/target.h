/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * The XDP program with one context, or the one for tc ingress, driven a packet at a time by
 * BPF_PROG_TEST_RUN: nothing is attached, no netdev is touched. Needs root. An error ends the
 * process with a message.
 */
#ifndef XRDMA_TESTS_TARGET_H
#define XRDMA_TESTS_TARGET_H

#include <stdbool.h>
#include <stddef.h>

#include "packet.h"
#include "dev/slot.h"

enum {
	TARGET_ROWS = 256, /* of queue pairs, keys and queues */
	TARGET_CNTRS = 4,
	TARGET_RECEIVE_ROWS = 1024, /* of pieces of memory, and of completions */
	TARGET_LAYOUT_ROWS = 64,    /* of entries of mkeys */
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
	struct xrdma_table heap_part; /* the only one */
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
	__u32 metadata;	    /* bytes in front of it, which its headroom of 256 lacks */
	bool in_a_page;	    /* the frame is to have no more room than the page that it is in */
};

struct xrdma_notice;

/* Result of a packet. */
struct target_result {
	int action;		    /* XDP_*, also for what they are called at tc */
	enum xrdma_verdict verdict; /* of the one counter that went up */
	__u8 frame[PACKET_MAX];
	size_t len;
	__u32 ns; /* the kernel's measure of this run */
};

/*
 * For TestSuite(.once): load the program, and its context's tables, unless an earlier suite of this
 * process has done so.
 */
void target_load(void);

/* For a process that loads the other program next. */
void target_unload(void);

/*
 * A device with the addresses 10.66.0.2 and fd66::2 and an empty context in SLOT, whatever was done
 * with it before. It is what target_load() loaded, or is loaded now.
 */
void target_open(struct target *t, __u32 slot);

/* The descriptor of the program, the target's own. */
int target_program(const struct target *t);

/* Write the device's row, which is not mapped, or the context's. */
void target_set_device(struct target *t, const struct xrdma_device_row *device);

/* The MAC address of its netdev. */
void target_set_mac(struct target *t, const __u8 mac[6]);
void target_set_context(struct target *t, __u32 slot, const struct xrdma_context_row *context);

/* Whether the kernel lets a test choose FIRST_BUFFER with so much METADATA. */
bool target_can_split(const struct target *t);

/* Bytes of the longest frame that it takes: at tc a page, less what an skb has for itself. */
size_t target_frame_max(void);

/* Take away what the context has in the map of maps of that name, as while it comes or goes. */
void target_drop(struct target *t, const char *outer);

/* The sum over all CPUs. */
void target_counters(const struct target *t, struct xrdma_counters *sum);

/* Take all notices that XDP has written, and copy the first MAX to NOTICES. Returns how many. */
size_t target_take_notices(struct target *t, struct xrdma_notice *notices, size_t max);

/* Run FRAME through the program; not exactly one verdict counted is an error too. */
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
