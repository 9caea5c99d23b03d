/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * A part of the contract between the XDP programs and user space (see context.h). It tells how a
 * queue pair distinguishes its peer's packets from forged ones.
 */
#ifndef XRDMA_ABI_FORGED_H
#define XRDMA_ABI_FORGED_H

#include <linux/types.h>

/*
 * Packets that came at PSNs where none is expected. Somebody who does not see a connection's
 * packets may try all PSNs. So once XRDMA_STRAYS_MAX have come in a row, a packet at the right PSN
 * counts only if none of them came in the same millisecond (2^20 ns), or in the one before.
 */
struct xrdma_strays {
	__u32 count; /* since a packet last counted */
	__u32 last;  /* 2^20 ns, when the last came; known from XRDMA_STRAYS_MAX on */
};

enum {
	XRDMA_STRAYS_MAX = 8192,
	XRDMA_STRAYS_TIME_SHIFT = 20,
	XRDMA_STRAYS_QUIET = 2,
};

/*
 * The UDP source port of the peer's packets. 0: it is not known yet, and will be that of the first
 * packet that counts. No port has this number, and A17.9.2.2 allows any.
 */
enum { XRDMA_SPORT_ANY = 0x10000 };

#endif
