/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * An AF_XDP socket that sends frames of a context's heap, its UMEM. It is in copy mode, which
 * leaves the receive queue to the XDP program. Nothing is received. Not thread safe except for
 * xrdma_xsk_kick(): callers hold a lock.
 */
#ifndef XRDMA_USER_NET_XSK_H
#define XRDMA_USER_NET_XSK_H

#include <stdbool.h>
#include <stddef.h>
#include <xdp/xsk.h>

enum {
	XRDMA_XSK_FRAMES = 256,	  /* frames that may be queued or in flight */
	XRDMA_XSK_LEN_MAX = 4096, /* bytes of a frame: the kernel takes at most a page */
};

struct xrdma_xsk {
	struct xsk_umem *umem;
	struct xsk_socket *socket; /* NULL: no socket */
	struct xsk_ring_prod tx, fill;
	struct xsk_ring_cons done;
	bool untouched; /* the kernel has taken none of the offered frames */
	__u32 kicks;	/* kicks under way */
};

/*
 * Open a socket on the first free queue of NETDEV, for frames in the SIZE bytes at UMEM, which
 * begin on a page. JUST_CLOSED: queues in use may belong to sockets that were just closed, and
 * become free about 10 ms later; then wait for one, at most 50 ms. Returns 0 or, with SOCKET NULL,
 * -EBUSY (no queue is free), -EPERM (CAP_NET_RAW), -EOPNOTSUPP (the kernel has no AF_XDP), or
 * another error of the kernel.
 */
int xrdma_xsk_open(struct xrdma_xsk *xsk, const char *netdev, void *umem, size_t size,
		   bool just_closed);

void xrdma_xsk_close(struct xrdma_xsk *xsk);

/* Queue the LEN bytes at offset AT of the UMEM. */
void xrdma_xsk_queue(struct xrdma_xsk *xsk, __u64 at, __u32 len);

/*
 * Results of sending. To send queued frames: offer, kick, conclude, and repeat while the result is
 * MORE. A kick is a system call, during which the lock is not held. Frames without room now stay
 * queued.
 */
enum xrdma_xsk_end { XRDMA_XSK_MORE, XRDMA_XSK_SENT, XRDMA_XSK_REFUSED };

/* Offer queued frames. Returns whether a kick is needed. */
bool xrdma_xsk_offer(struct xrdma_xsk *xsk);

/* Let the kernel take the offered frames. Returns 0 or an errno. Thread safe. */
int xrdma_xsk_kick(const struct xrdma_xsk *xsk);

/* Conclude a kick that returned ERR. REFUSED: the netdev takes no frames. */
enum xrdma_xsk_end xrdma_xsk_conclude(struct xrdma_xsk *xsk, int err);

/* Take back the last queued frame, and set *AT. Returns false if the kernel may have taken all. */
bool xrdma_xsk_unqueue(struct xrdma_xsk *xsk, __u64 *at);

/*
 * Take back a frame that the kernel is done with, and set *AT. Returns false if there is none now.
 */
bool xrdma_xsk_take(struct xrdma_xsk *xsk, __u64 *at);

#endif
