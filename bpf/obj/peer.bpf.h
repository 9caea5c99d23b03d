/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Protection from forged packets, for requests and responses. Any user of the peer's host can send
 * UDP packets from the peer's address, but does not see the packets of the connection.
 */
#ifndef XRDMA_OBJ_PEER_BPF_H
#define XRDMA_OBJ_PEER_BPF_H

#include "lib/order.h"
#include "wire/packet.h"
#include "xrdma/abi/forged.h"

/* Learn the peer's source port from PKT, an accepted packet, if it is not known yet. */
static __always_inline void xrdma_learn_sport(__u32 *sport, const struct xrdma_pkt *pkt)
{
	if (!XRDMA_READ(*sport))
		__sync_val_compare_and_swap(sport, 0, (__u32)bpf_ntohs(pkt->udp_sport));
}

static __always_inline __u32 xrdma_strays_now(void)
{
	return bpf_ktime_get_ns() >> XRDMA_STRAYS_TIME_SHIFT;
}

/* Count a packet with an unexpected PSN. */
static __always_inline void xrdma_strays_add(struct xrdma_strays *strays)
{
	__u32 count = XRDMA_READ(strays->count);

	if (count >= XRDMA_STRAYS_MAX)
		XRDMA_WRITE(strays->last, xrdma_strays_now());
	else
		XRDMA_WRITE(strays->count, count + 1);
}

/* Returns whether a packet with the right PSN follows too many with wrong ones. */
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
