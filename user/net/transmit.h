/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * How frames leave a netdev, past its queueing discipline: by AF_XDP from a context's heap. Thread
 * safe, but for opening and closing. The lock is the last of the order (context.h).
 */
#ifndef XRDMA_USER_NET_TRANSMIT_H
#define XRDMA_USER_NET_TRANSMIT_H

#include <xrdma/context.h>

#include "wire/packet.h"
#include "lib/mutex.h"
#include "net/xsk.h"

enum {
	XRDMA_TRANSMIT_FRAME = 8192,				       /* bytes for a frame */
	XRDMA_TRANSMIT_SIZE = XRDMA_XSK_FRAMES * XRDMA_TRANSMIT_FRAME, /* of all */
};

struct xrdma_transmit {
	char *heap;
	__u64 first; /* frame's place in the heap; the others follow */
	/* Held for some steps, never over a system call; over all that follows. */
	struct xrdma_spin lock;
	struct xrdma_xsk xsk;
	__u32 free_count;
	__u16 free[XRDMA_XSK_FRAMES];	    /* numbers of frames; the last one is next */
	bool with_kernel[XRDMA_XSK_FRAMES]; /* those that were queued and have not come back */
	__u32 out;			    /* how many these are */
	__u32 strays; /* places that came back from the kernel and were none that it had */
};

/*
 * Send on NETDEV from the XRDMA_TRANSMIT_SIZE bytes at FIRST of the SIZE bytes at HEAP, which begin
 * on a page. ALONE: no other context is alive, so that a queue that is taken is waited for as in
 * xrdma_xsk_open(). Returns 0 or, where TX insists on AF_XDP, as that; sets xrdma_error() then.
 */
int xrdma_transmit_open(struct xrdma_transmit *transmit, const char *netdev, void *heap,
			size_t size, __u64 first, enum xrdma_tx tx, bool alone);
void xrdma_transmit_close(struct xrdma_transmit *transmit);

/* Take a frame, to be built, and queued or given back. NULL: there is no room now. */
struct xrdma_frame *xrdma_transmit_take(struct xrdma_transmit *transmit);
void xrdma_transmit_give(struct xrdma_transmit *transmit, const struct xrdma_frame *frame);

/*
 * Queue the first LEN bytes of FRAME, XRDMA_XSK_LEN_MAX at most, which is no longer the caller's.
 * There is a socket.
 */
void xrdma_transmit_queue(struct xrdma_transmit *transmit, const struct xrdma_frame *frame,
			  size_t len);

/* Send what the caller has queued. A frame that the netdev refuses counts as lost. */
void xrdma_transmit_flush(struct xrdma_transmit *transmit);

#endif
