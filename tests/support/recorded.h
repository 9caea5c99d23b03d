/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Packets of a captured connection between two ends with Soft-RoCE, one connection at a time. */
#ifndef XRDMA_TESTS_RECORDED_H
#define XRDMA_TESTS_RECORDED_H

#include "lib/frame.h"
#include "log.h"

enum { RECORDED_MAX = 256 };

struct recorded {
	struct xrdma_frame frame;
	struct xrdma_pkt pkt; /* parsed from FRAME */
	size_t len;
	bool ours;    /* sent by the end that we replace */
	bool request; /* a request; otherwise an acknowledgement or a response */
};

extern struct recording {
	struct recorded all[RECORDED_MAX];
	int count;
} recording;

/* Load all RC packets of capture NAME, in which we replace ROLE. */
void recording_load(const char *name, enum role role);

bool recorded_responds(const struct xrdma_pkt *pkt);

/* Returns the PSN of the first request of our end, or of the other, or 0. */
__u32 recording_first_psn(bool ours);

/* Returns the path MTU: the payload of packets that are not the last of their messages. */
__u32 recording_mtu(void);

/* Returns the page of the lowest address in the peer's requests. */
__u64 recording_lowest_va(void);

/*
 * Returns the first packet of the request, of our end or of the other, to which PACKET belongs or
 * responds.
 */
int recording_request_of(const struct recorded *packet, bool ours);

#endif
