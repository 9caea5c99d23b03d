/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * The contract between the XDP programs and user space, part 4: how a queue pair distinguishes its
 * peer's packets from forged ones.
 */
#ifndef XRDMA_ABI_FORGED_H
#define XRDMA_ABI_FORGED_H

#include <linux/types.h>

/*
 * Packets with unexpected PSNs. An attacker who does not see a connection's packets may try all
 * PSNs. After XRDMA_STRAYS_MAX such packets in a row, a packet with the right PSN is accepted only
 * if none of them came in the same millisecond (2^20 ns) or the one before.
 */
struct xrdma_strays {
	__u32 count; /* since a packet was accepted */
	__u32 last;  /* 2^20 ns: arrival of the last one; valid from XRDMA_STRAYS_MAX on */
};

enum {
	XRDMA_STRAYS_MAX = 8192,
	XRDMA_STRAYS_TIME_SHIFT = 20,
	XRDMA_STRAYS_QUIET = 2,
};

/*
 * The UDP source port of the peer's packets. 0: not known yet, and learnt from the first accepted
 * packet. A17.9.2.2 allows any port, but no port has this number.
 */
enum { XRDMA_SPORT_ANY = 0x10000 };

#endif
