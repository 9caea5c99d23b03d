/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Transmission of frames by AF_XDP from a context's heap, past the netdev's queueing discipline.
 * Thread safe, except for opening and closing.
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
	__u64 first; /* place of the first frame in the heap; the others follow */
	/*
	 * Protects all following fields. It is held for some steps, and never during a system call.
	 */
	struct xrdma_spin lock;
	struct xrdma_xsk xsk;
	__u32 free_count;
	__u16 free[XRDMA_XSK_FRAMES];	    /* numbers of frames; the last one is next */
	bool with_kernel[XRDMA_XSK_FRAMES]; /* queued frames that have not come back */
	__u32 out;			    /* their number */
	__u32 strays;			    /* places that the kernel returned but did not have */
};

/*
 * Open a socket on NETDEV for frames in the XRDMA_TRANSMIT_SIZE bytes at FIRST of the SIZE bytes at
 * HEAP, which begin on a page. ALONE: no other context is alive, so a queue in use is waited for as
 * in xrdma_xsk_open(). Returns 0 or, if TX requires AF_XDP, its error with xrdma_error() set.
 */
int xrdma_transmit_open(struct xrdma_transmit *transmit, const char *netdev, void *heap,
			size_t size, __u64 first, enum xrdma_tx tx, bool alone);
void xrdma_transmit_close(struct xrdma_transmit *transmit);

/* Take a frame to build. Queue it or give it back. Returns NULL if there is no room now. */
struct xrdma_frame *xrdma_transmit_take(struct xrdma_transmit *transmit);
void xrdma_transmit_give(struct xrdma_transmit *transmit, const struct xrdma_frame *frame);

/*
 * Queue the first LEN bytes of FRAME, at most XRDMA_XSK_LEN_MAX. The frame no longer belongs to the
 * caller. There is a socket.
 */
void xrdma_transmit_queue(struct xrdma_transmit *transmit, const struct xrdma_frame *frame,
			  size_t len);

/* Send the caller's queued frames. A frame that the netdev refuses counts as lost. */
void xrdma_transmit_flush(struct xrdma_transmit *transmit);

#endif
