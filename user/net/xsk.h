/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * An AF_XDP socket that sends frames of a context's heap, which is its UMEM. In copy mode, which
 * leaves the receive queue to the XDP program; nothing is received. Not thread safe but for
 * xrdma_xsk_kick(): who transmits has a lock.
 */
#ifndef XRDMA_USER_NET_XSK_H
#define XRDMA_USER_NET_XSK_H

#include <stdbool.h>
#include <stddef.h>
#include <xdp/xsk.h>

enum {
	XRDMA_XSK_FRAMES = 256,	  /* so many may be queued or in flight */
	XRDMA_XSK_LEN_MAX = 4096, /* of a frame: the kernel takes no more than a page */
};

struct xrdma_xsk {
	struct xsk_umem *umem;
	struct xsk_socket *socket; /* NULL: there is none */
	struct xsk_ring_prod tx, fill;
	struct xsk_ring_cons done;
	bool untouched; /* the kernel has taken nothing of what is offered to it */
	__u32 kicks;	/* under way */
};

/*
 * Open one on the first queue of NETDEV that is free, for frames in the SIZE bytes at UMEM, which
 * begin on a page. JUST_CLOSED: queues that are not free may be those of sockets that were just
 * closed, which the kernel gives back about 10 ms later; then it waits for one, 50 ms at most.
 * Returns 0 or, with SOCKET NULL, -EBUSY (no queue is free), -EPERM (CAP_NET_RAW), -EOPNOTSUPP (the
 * kernel has no AF_XDP), or what it said.
 */
int xrdma_xsk_open(struct xrdma_xsk *xsk, const char *netdev, void *umem, size_t size,
		   bool just_closed);

void xrdma_xsk_close(struct xrdma_xsk *xsk);

/* Queue the LEN bytes at offset AT of the UMEM. */
void xrdma_xsk_queue(struct xrdma_xsk *xsk, __u64 at, __u32 len);

/*
 * Sending what is queued: offer it, kick, conclude, and so on as long as it says so. In a kick, a
 * system call, the lock is not held. What there is no room for now stays queued.
 */
enum xrdma_xsk_end { XRDMA_XSK_MORE, XRDMA_XSK_SENT, XRDMA_XSK_REFUSED };

/* Returns whether there is anything to kick for. */
bool xrdma_xsk_offer(struct xrdma_xsk *xsk);

/* The kernel takes what is offered to it. Returns 0 or an errno. Thread safe. */
int xrdma_xsk_kick(const struct xrdma_xsk *xsk);

/* REFUSED: the netdev takes nothing. */
enum xrdma_xsk_end xrdma_xsk_conclude(struct xrdma_xsk *xsk, int err);

/*
 * Take back the frame that was queued last, and set *AT. False: there is none that the kernel
 * cannot have taken.
 */
bool xrdma_xsk_unqueue(struct xrdma_xsk *xsk, __u64 *at);

/* Take back a frame that the kernel is done with, and set *AT. False: there is none now. */
bool xrdma_xsk_take(struct xrdma_xsk *xsk, __u64 *at);

#endif
