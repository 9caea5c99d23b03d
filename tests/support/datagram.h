/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Queue pairs of UD at both sides of a pair (pair.h), and datagrams from A to B. */
#ifndef XRDMA_TESTS_DATAGRAM_H
#define XRDMA_TESTS_DATAGRAM_H

#include "pair.h"

enum { GRH = 40, DATAGRAM_BYTES = 256 };

/* The address handle of A that names B, and its version of IP. */
extern struct datagram {
	struct xrdma_ah *to_b;
	int version;
} datagram;

/*
 * Fixtures of a test. datagram_start() sets send_wr to a datagram of DATAGRAM_BYTES at offset 64,
 * which IPv4 carries.
 */
void datagram_start(void);
void datagram_stop(void);

/* Returns a new address handle of SIDE in network namespace NETNS, which names ADDRESS. */
struct xrdma_ah *datagram_handle(const struct side *side, const char *netns, const char *address);

/* Replace the handle that names B by one for IPv4 or IPv6. */
void datagram_use_version(int version);

/* Set send_wr to a datagram of LEN bytes at OFFSET, and recv_wr to a receive that it fills. */
void datagram_set(__u32 offset, __u32 len);

/* Expect that B received a datagram of A with LEN bytes, and the FLAGS besides XRDMA_WC_GRH. */
void datagram_expect_received(__u32 len, unsigned int flags);

/* Expect the IP header of a datagram from A to B before OFFSET of the target, and clear it. */
void datagram_expect_header(__u32 offset);

#endif
