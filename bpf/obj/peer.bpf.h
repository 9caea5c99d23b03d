/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Packets that somebody forges who does not see the connection's own: any user of the peer's host
 * sends UDP packets from the peer's address. For requests and for responses.
 */
#ifndef XRDMA_OBJ_PEER_BPF_H
#define XRDMA_OBJ_PEER_BPF_H

#include "lib/order.h"
#include "wire/packet.h"
#include "xrdma/abi/forged.h"

/* PKT, which counts, is the peer's: SPORT learns its source port if that is not known yet. */
static __always_inline void xrdma_learn_sport(__u32 *sport, const struct xrdma_pkt *pkt)
{
	if (!XRDMA_READ(*sport))
		__sync_val_compare_and_swap(sport, 0, (__u32)bpf_ntohs(pkt->udp_sport));
}

static __always_inline __u32 xrdma_strays_now(void)
{
	return bpf_ktime_get_ns() >> XRDMA_STRAYS_TIME_SHIFT;
}

/* A packet has come at a PSN where none is expected. */
static __always_inline void xrdma_strays_add(struct xrdma_strays *strays)
{
	__u32 count = XRDMA_READ(strays->count);

	if (count >= XRDMA_STRAYS_MAX)
		XRDMA_WRITE(strays->last, xrdma_strays_now());
	else
		XRDMA_WRITE(strays->count, count + 1);
}

/* Whether a packet at the right PSN has come right after too many at others. */
static __always_inline bool xrdma_strays_are_storm(const struct xrdma_strays *strays)
{
	return XRDMA_READ(strays->count) >= XRDMA_STRAYS_MAX &&
	       (__s32)(xrdma_strays_now() - XRDMA_READ(strays->last)) < XRDMA_STRAYS_QUIET;
}

static __always_inline void xrdma_strays_forget(struct xrdma_strays *strays)
{
	if (XRDMA_READ(strays->count))
		XRDMA_WRITE(strays->count, 0);
}

#endif
