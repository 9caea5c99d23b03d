/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Requests to a process during a fork: its memory and its keys are left alone until the end. */
#ifndef XRDMA_RESPONDER_PAUSE_BPF_H
#define XRDMA_RESPONDER_PAUSE_BPF_H

#include "lib/base.h"
#include <xrdma/verdict.h>

enum {
	XRDMA_PAUSE_MAX = 100000000, /* ns: after this time requests are dropped */
	XRDMA_PAUSE_TIMER_MIN = 16,  /* the RNR timer's code of 2.56 ms */
	XRDMA_PAUSE_DOUBLINGS = 6,   /* up to 163.84 ms */
};

/*
 * The verdict on a request that comes PAUSED_FOR ns after the fork began. A long fork uses up a
 * peer's retries after RNR NAKs. Then requests are dropped, and the peer goes on with its other
 * retries.
 */
static __always_inline enum xrdma_verdict xrdma_pause_verdict(__u64 paused_for)
{
	return paused_for < XRDMA_PAUSE_MAX ? XRDMA_V_PAUSED : XRDMA_V_PAUSED_LOST;
}

/*
 * Returns the code of an RNR timer (table 45): a peer waits for as long as the fork has taken so
 * far, PAUSED_FOR ns, and so needs few retries for a fork of any length. TIMER is the queue pair's
 * own code, and is taken if it stands for more time. An even code stands for 10 us * 2^(code / 2),
 * 0 for the longest time of all.
 */
XRDMA_VERIFIED_ONCE __u32 xrdma_pause_timer(__u32 timer, __u64 paused_for)
{
	__u32 code = XRDMA_PAUSE_TIMER_MIN;

	for (int i = 0; i < XRDMA_PAUSE_DOUBLINGS; i++)
		if (paused_for > 10000ULL << code / 2)
			code += 2;
	return !timer || timer > code ? timer : code;
}

#endif
