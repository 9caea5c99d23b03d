/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* A memory window of B's, over a pair (pair.h). What B binds it posts to its own queue pair. */
#ifndef XRDMA_TESTS_WINDOW_H
#define XRDMA_TESTS_WINDOW_H

#include <xrdma/mw.h>

#include "pair.h"

extern struct window {
	struct xrdma_mr *region; /* all of the target, not open to peers but by windows */
	struct xrdma_mr *local;	 /* all of the source, with LOCAL_WRITE and REMOTE_READ */
	struct xrdma_mw *mw;	 /* or NULL */
	enum xrdma_mw_type type;
	__u32 key;		   /* the last that it had */
	struct xrdma_mw_bind bind; /* the next */
} w;

/* Fixtures of each test, which end the window and the region too. */
void window_start(void);
void window_stop(void);

/* In place of the one that there is, if there is one. */
void window_set_region(unsigned int access);
void window_alloc(enum xrdma_mw_type type);
void window_dealloc(void);

/* w.bind is signalled request 9, which binds LENGTH bytes at OFFSET of the target for ACCESS. */
void window_bind_of(__u32 offset, __u64 length, unsigned int access);

/* The same as a request that is posted; under the next key, if the window is of type 2. */
struct xrdma_send_wr window_bind_request(void);

/* B posts w.bind, as its type demands. Returns what that returns. */
int window_post(void);

/* Post it, and expect that it is carried out. */
void window_expect_carried_out(void);
void window_expect_bound(__u32 offset, __u64 length, unsigned int access);

/* It fails because of VERDICT, and nothing changes. The pair is connected again. */
void window_expect_bind_fails(enum xrdma_verdict verdict);
void window_expect_not_bound(unsigned int access, enum xrdma_verdict verdict);

/* B posts a request to invalidate KEY, which is carried out. */
void window_invalidate(__u32 key);

/* A does so by a SEND with invalidate. */
void window_invalidate_by_peer(__u32 key);

/* End the window's key, as its type demands: by invalidation, or by binding it to nothing. */
void window_end_key(void);

/* A writes LEN bytes at OFFSET of the target under w.key. */
void window_write(__u32 offset, __u32 len);

/*
 * Or is refused, and both are connected again: a window of type 2A is deallocated for that, which
 * would keep B's queue pair from it.
 */
void window_expect_refused(__u32 offset, __u32 len);

#endif
