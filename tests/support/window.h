/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* A memory window of B, for a pair (pair.h). B posts bind requests to its own queue pair. */
#ifndef XRDMA_TESTS_WINDOW_H
#define XRDMA_TESTS_WINDOW_H

#include <xrdma/mw.h>

#include "pair.h"

extern struct window {
	struct xrdma_mr *region; /* all of the target; peers access it only through windows */
	struct xrdma_mr *local;	 /* all of the source, with LOCAL_WRITE and REMOTE_READ */
	struct xrdma_mw *mw;	 /* NULL: none */
	enum xrdma_mw_type type;
	__u32 key;		   /* current or last key */
	struct xrdma_mw_bind bind; /* for the next request */
} window;

/* Fixtures of a test. window_stop() also deallocates the window and closes the region. */
void window_start(void);
void window_stop(void);

/* Replace the region by one with ACCESS; allocate a window of TYPE; deallocate the window. */
void window_set_region(unsigned int access);
void window_alloc(enum xrdma_mw_type type);
void window_dealloc(void);

/* Set window.bind to signalled request 9: bind LENGTH bytes at OFFSET of the target for ACCESS. */
void window_bind_of(__u32 offset, __u64 length, unsigned int access);

/* Returns a send request for window.bind. A window of type 2 gets its next key. */
struct xrdma_send_wr window_bind_request(void);

/* Let B post window.bind, by the call for the window's type. Returns the result of that call. */
int window_post(void);

/* Post window.bind, or one for these bytes, and expect success. */
void window_expect_executed(void);
void window_expect_bound(__u32 offset, __u64 length, unsigned int access);

/* Expect that the bind fails with VERDICT and changes nothing. Connect the pair again. */
void window_expect_bind_fails(enum xrdma_verdict verdict);
void window_expect_not_bound(unsigned int access, enum xrdma_verdict verdict);

/* Let B post a request to invalidate KEY, and expect success. */
void window_invalidate(__u32 key);

/* Let A invalidate KEY by a SEND with invalidate. */
void window_invalidate_by_peer(__u32 key);

/* Invalidate the window's key: by a request for type 2, by a bind of length 0 for type 1. */
void window_end_key(void);

/* Let A write LEN bytes at OFFSET of the target under window.key. */
void window_write(__u32 offset, __u32 len);

/*
 * Expect that such a WRITE is refused, and connect both again. A window of type 2A is deallocated
 * before, because it would keep B's queue pair in use.
 */
void window_expect_refused(__u32 offset, __u32 len);

#endif
