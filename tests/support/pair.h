/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Two connected queue pairs, in one process: A of device xa in network namespace a, B of xb in b (net.sh). */
#ifndef XRDMA_TESTS_PAIR_H
#define XRDMA_TESTS_PAIR_H

#include "side.h"

enum { PAIR_BYTES = 512 << 10 };

/* A has all that it sends in SOURCE, under LKEY; B has its memory in TARGET, open to writers under RKEY. */
struct pair {
	struct side a, b;
	struct xrdma_mr *source_mr, *target_mr;
	__u8 *source, *target;
	__u32 lkey, rkey;
};

/* The source holds random bytes, the target zeroes; both queue pairs are in RESET. */
void pair_open(struct pair *p);
void pair_close(struct pair *p);

/* Bring both to RTS, to each other, by IPv4 or by IPv6. */
void pair_connect(struct pair *p, int ip_version, int mtu);

/* Signalled WRITE number 1 of LEN bytes at OFFSET of the source to the same place of the target. */
struct xrdma_send_wr pair_write(const struct pair *p, struct xrdma_sge *sge, __u32 offset,
				__u32 len);

/* Poll A's completion queue until there are COUNT completions, 10 s at most. */
void pair_poll(struct pair *p, int count, struct xrdma_wc *wc);

/* Carry out a WRITE of LEN bytes, and expect STATUS. */
void pair_expect(struct pair *p, const struct xrdma_send_wr *wr, enum xrdma_wc_status status);

#endif
