/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* A pair whose side B registers its target with the calls of fi_mr(3), in a domain of its own. */
#ifndef XRDMA_TESTS_REGION_H
#define XRDMA_TESTS_REGION_H

#include "pair.h"

enum {
	REGION_BUFFERS = 64,
	REGION_KEY = 0x1001, /* chosen by B */
	REGION_ACCESS = XRDMA_ACCESS_READ | XRDMA_ACCESS_WRITE | XRDMA_ACCESS_RECV |
			XRDMA_ACCESS_SEND | XRDMA_ACCESS_REMOTE_READ | XRDMA_ACCESS_REMOTE_WRITE |
			XRDMA_ACCESS_REMOTE_ATOMIC,
};

extern struct region {
	struct xrdma_mr *mr;	/* region of B; NULL: none */
	struct xrdma_mr *local; /* region of A's source */
	__u64 key, base;	/* key and base of B's region in A's requests */
	__u64 own_base;		/* base of B's region in B's requests */
	__u64 flags;		/* flags for the registration */
} region;

/* Fixtures of a suite. B has a domain of MR_MODE, with an authorization key or without (NULL). */
void region_open(__u32 mr_mode);
void region_open_with(__u32 mr_mode, const char *auth_key);
void region_close(void);

/* Fixtures of a test. The queue pairs allow every access. */
void region_start(void);
void region_stop(void);

/* Register COUNT buffers at IOV, or the target, as B's region, with user key REGION_KEY. */
void region_regv(const struct iovec *iov, size_t count, __u64 access);
void region_reg(__u64 access);

/* Close B's region. */
void region_end(void);

/* Set send_wr to a WRITE of LEN bytes, from OFFSET of the source to OFFSET of the region. */
void region_set_write(__u32 offset, __u32 len);

/* Post such a WRITE, and expect that it succeeds. */
void region_write(__u32 offset, __u32 len);

/* Expect success of WRITEs, READs and SENDs of every size, and of a FETCH_ADD. */
void region_every_operation(void);

/*
 * Expect that a request of A for LEN bytes at ADDR under KEY is refused, and that one for 0 bytes
 * is not.
 */
void region_expect_refused(enum xrdma_wr_opcode opcode, __u64 key, __u64 addr, __u32 len);

/*
 * Connect both again. Let B send the first 64 bytes of the region, or receive into them, by LKEY.
 * The SEND must complete with STATUS.
 */
void region_expect_sent(__u32 lkey, enum xrdma_wc_status status);
void region_expect_received(__u32 lkey, enum xrdma_wc_status status);

/* Post a FETCH_ADD of 1 at OFFSET of the region, and expect STATUS. */
void region_add(__u32 offset, enum xrdma_wc_status status);

/* Make B's context use bounce buffers: create and destroy an mkey with signatures. */
void region_use_signatures(void);

/* Divide the target into REGION_BUFFERS consecutive buffers. */
void region_cut(struct iovec *iov);

#endif
