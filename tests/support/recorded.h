/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* The packets of a connection of two Soft-RoCE ends, as they were captured; one at a time. */
#ifndef XRDMA_TESTS_RECORDED_H
#define XRDMA_TESTS_RECORDED_H

#include "lib/frame.h"
#include "log.h"

enum { RECORDED_MAX = 256 };

struct recorded {
	struct xrdma_frame frame;
	struct xrdma_pkt pkt; /* of FRAME */
	size_t len;
	bool ours;    /* it was sent by the end whose place we take */
	bool request; /* or an acknowledgement, or what a request asked for */
};

extern struct recording {
	struct recorded all[RECORDED_MAX];
	int count;
} recording;

/* All that capture NAME has of RC, in which our place is ROLE. */
void recording_load(const char *name, enum role role);

bool recorded_responds(const struct xrdma_pkt *pkt);

/* The PSN of the first request of ours, or of theirs; or 0. */
__u32 recording_first_psn(bool ours);

/* The path MTU: what all packets bring that are not the last of their messages. */
__u32 recording_mtu(void);

/* The page of the lowest address that their requests name. */
__u64 recording_lowest_va(void);

/*
 * The first packet of the request, of ours or of theirs, that PACKET responds to or is a part of.
 */
int recording_request_of(const struct recorded *packet, bool ours);

#endif
