/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* An mkey of B's, over a pair (pair.h): B configures it, A uses it. */
#ifndef XRDMA_TESTS_MKEY_H
#define XRDMA_TESTS_MKEY_H

#include <xrdma/mkey.h>

#include "pair.h"

enum {
	MKEY_ENTRIES = 8, /* that the mkey has room for; a request has it for 4 */
	MKEY_REMOTE =
		XRDMA_ACCESS_REMOTE_READ | XRDMA_ACCESS_REMOTE_WRITE | XRDMA_ACCESS_REMOTE_ATOMIC,
};

extern struct mkey {
	struct xrdma_mr *region; /* all of the target, with LOCAL_WRITE, not open to peers */
	struct xrdma_mr *local;	 /* all of the source, with all rights */
	struct xrdma_mkey *mkey;
	__u32 key;
	struct xrdma_mkey_conf_attr attr; /* of the next request: number 9, signalled */
} m;

/* Fixtures of each test, which end the mkey and the regions too. */
void mkey_start(void);
void mkey_stop(void);

/* In place of the one that there is. */
void mkey_create(__u32 more_flags);

/* LEN bytes at OFFSET of the target. */
struct xrdma_sge mkey_part(__u32 offset, __u32 len);
struct xrdma_mr_interleaved mkey_block(__u32 offset, __u32 count, __u32 skip);

/* Begin a request of B's that configures the mkey by SETTERS. */
void mkey_begin(__u8 setters);

/* Complete the chain, and expect that its one request is carried out. */
void mkey_expect_configured(void);

/* Each is a request of its own, which is carried out. */
void mkey_set_access(__u32 access);
void mkey_set_list(const struct xrdma_sge *sges, __u16 count);

/* Both in one: parts of the target that are SKIP bytes apart, of LEN bytes each. */
void mkey_set_parts(__u16 count, __u32 len, __u32 skip, __u32 access);

/* A writes LEN bytes of the source, from its first on, at OFFSET of the mkey. */
void mkey_write(__u32 offset, __u32 len);

/* Or is refused, no byte changes, and both are connected again. */
void mkey_expect_refused(__u32 offset, __u32 len);

/* LEN bytes at OFFSET of the target are those at FROM of the source. They become 0. */
void mkey_expect_part(__u32 offset, __u32 len, __u32 from);

/* A allows B what it allows A. They are connected anew. */
void mkey_allow_b(void);

/* B posts a request for MEMORY and the source, from its first byte on, which ends with STATUS. */
void mkey_post(enum xrdma_wr_opcode opcode, struct xrdma_sge *memory, enum xrdma_wc_status status);

/*
 * What is MEMORY at the begin of the target is WIRE on its way: by all that brings data to B, and
 * all that takes them away, by receive, READ and WRITE. The target is and becomes 0.
 */
void mkey_expect_both_ways(const __u8 *memory, __u32 memory_len, const __u8 *wire, __u32 wire_len);

/* B posts a request that invalidates the key, which is carried out. */
void mkey_invalidate(void);

#endif
