/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* An mkey of B for a pair (pair.h). B configures it, and A uses it. */
#ifndef XRDMA_TESTS_MKEY_H
#define XRDMA_TESTS_MKEY_H

#include <xrdma/mkey.h>

#include "pair.h"

enum {
	MKEY_ENTRIES = 8, /* of the mkey; a request has room for 4 */
	MKEY_REMOTE =
		XRDMA_ACCESS_REMOTE_READ | XRDMA_ACCESS_REMOTE_WRITE | XRDMA_ACCESS_REMOTE_ATOMIC,
};

extern struct mkey {
	struct xrdma_mr *region; /* all of the target, with LOCAL_WRITE, without access for peers */
	struct xrdma_mr *local;	 /* all of the source, with all rights */
	struct xrdma_mkey *mkey;
	__u32 key;
	struct xrdma_mkey_conf_attr attr; /* for the next request: number 9, signalled */
} mkey;

/* Fixtures of a test. mkey_stop() also destroys the mkey and closes the regions. */
void mkey_start(void);
void mkey_stop(void);

/* Replace the mkey by one with MORE_FLAGS. */
void mkey_create(__u32 more_flags);

/*
 * Returns an entry of a list, or a block of an interleaved layout: LEN or COUNT bytes of the
 * target.
 */
struct xrdma_sge mkey_part(__u32 offset, __u32 len);
struct xrdma_mr_interleaved mkey_block(__u32 offset, __u32 count, __u32 skip);

/* Begin a request of B that configures the mkey by SETTERS. */
void mkey_begin(__u8 setters);

/* Complete the chain of B's one request, and expect success. */
void mkey_expect_configured(void);

/* Configure the access rights, or a list as layout, by one request. */
void mkey_set_access(__u32 access);
void mkey_set_list(const struct xrdma_sge *sges, __u16 count);

/*
 * Configure by one request ACCESS, and a list of COUNT entries of the target. Each has LEN bytes;
 * SKIP bytes separate them.
 */
void mkey_set_parts(__u16 count, __u32 len, __u32 skip, __u32 access);

/* Let A write the first LEN bytes of the source at OFFSET of the mkey. */
void mkey_write(__u32 offset, __u32 len);

/* Expect that such a WRITE is refused and changes no byte. Connect both again. */
void mkey_expect_refused(__u32 offset, __u32 len);

/* Expect LEN bytes of the source, from FROM on, at OFFSET of the target. Clear them there. */
void mkey_expect_part(__u32 offset, __u32 len, __u32 from);

/* Give B the rights at A that A has at B. Connect both anew. */
void mkey_allow_b(void);

/* Let B post a request for MEMORY and the start of the source; it must complete with STATUS. */
void mkey_post(enum xrdma_wr_opcode opcode, struct xrdma_sge *memory, enum xrdma_wc_status status);

/*
 * Expect that MEMORY, at the start of the target, is WIRE in packets: for a receive, a READ and a
 * WRITE, in both directions. The target is 0 before and after.
 */
void mkey_expect_both_ways(const __u8 *memory, __u32 memory_len, const __u8 *wire, __u32 wire_len);

/* Let B post a request that invalidates the key, and expect success. */
void mkey_invalidate(void);

#endif
