/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* A pair whose B registers its target as fi_mr(3) has it, in a domain of its own. */
#ifndef XRDMA_TESTS_REGION_H
#define XRDMA_TESTS_REGION_H

#include "pair.h"

enum {
	REGION_BUFFERS = 64,
	REGION_KEY = 0x1001, /* that B requests */
	REGION_ACCESS = XRDMA_ACCESS_READ | XRDMA_ACCESS_WRITE | XRDMA_ACCESS_RECV |
			XRDMA_ACCESS_SEND | XRDMA_ACCESS_REMOTE_READ | XRDMA_ACCESS_REMOTE_WRITE |
			XRDMA_ACCESS_REMOTE_ATOMIC,
};

/* B's region, or NULL, and how A names it; and how B does. A's LOCAL is the source. */
extern struct region {
	struct xrdma_mr *mr, *local;
	__u64 key, base;
	__u64 own_base;
	__u64 flags; /* that it is registered with */
} region;

/* B's domain is another, of MR_MODE; with an authorization key, or NULL. */
void region_open(__u32 mr_mode);
void region_open_with(__u32 mr_mode, const char *auth_key);
void region_close(void);

/* What the queue pairs allow is not what is tested. */
void region_start(void);
void region_stop(void);

/* The region becomes one of COUNT buffers, under REGION_KEY; or of the target. */
void region_regv(const struct iovec *iov, size_t count, __u64 access);
void region_reg(__u64 access);

/* Or none. */
void region_end(void);

/* wr is of LEN bytes, from the source to the same place of the region. */
void region_set_write(__u32 offset, __u32 len);

/* Carry it out. */
void region_write(__u32 offset, __u32 len);

/* WRITEs, READs and SENDs of every size, and a FETCH_ADD. */
void region_every_operation(void);

/* A request of A's that names ADDR by KEY is refused. A zero-length one is not. */
void region_expect_refused(enum xrdma_wr_opcode opcode, __u64 key, __u64 addr, __u32 len);

/*
 * What B does itself with the first 64 bytes of the region, which it names by LKEY: a SEND of them
 * ends with STATUS, or one into them. Both are connected anew.
 */
void region_expect_sent(__u32 lkey, enum xrdma_wc_status status);
void region_expect_received(__u32 lkey, enum xrdma_wc_status status);

/* A FETCH_ADD of 1 at OFFSET of the region ends with STATUS. */
void region_add(__u32 offset, enum xrdma_wc_status status);

/* Create and destroy an mkey of B's that signs: its context stages data from now on. */
void region_use_signatures(void);

/* The target in REGION_BUFFERS pieces, of which each begins where the one before ended. */
void region_cut(struct iovec *iov);

#endif
