// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "net/transmit.h"

#include <errno.h>
#include <string.h>

#include "lib/error.h"
#include "lib/order.h"
#include "net/netdev.h"

_Static_assert(sizeof(struct xrdma_frame) <= XRDMA_TRANSMIT_FRAME, "a frame has room");

/* Returns whether the netdev NAME has Ethernet frames. */
static bool takes_frames(const char *name)
{
	struct xrdma_netdev netdev;

	return !xrdma_netdev_query(if_nametoindex(name), &netdev) && netdev.is_ethernet;
}

int xrdma_transmit_open(struct xrdma_transmit *transmit, const char *netdev, void *heap,
			size_t size, __u64 first, enum xrdma_tx tx, bool alone)
{
	int err = 0;

	transmit->xsk.socket = NULL;
	if (tx != XRDMA_TX_UDP)
		err = takes_frames(netdev)
			      ? xrdma_xsk_open(&transmit->xsk, netdev, heap, size, alone)
			      : -EOPNOTSUPP;
	if (err && tx == XRDMA_TX_XDP)
		return xrdma_fail(-err, "cannot send by AF_XDP on %s: %s", netdev, strerror(-err));
	transmit->heap = heap;
	transmit->first = first;
	for (__u32 i = 0; i < XRDMA_XSK_FRAMES; i++)
		transmit->free[i] = i;
	transmit->free_count = XRDMA_XSK_FRAMES;
	xrdma_spin_init(&transmit->lock, XRDMA_RANK_TRANSMIT);
	return 0;
}

void xrdma_transmit_close(struct xrdma_transmit *transmit)
{
	xrdma_xsk_close(&transmit->xsk);
}

static __u32 number_of(const struct xrdma_transmit *transmit, const struct xrdma_frame *frame)
{
	return ((const char *)frame - transmit->heap - transmit->first) / XRDMA_TRANSMIT_FRAME;
}

/* Free the frame at offset AT of the heap: the kernel is done with it. */
static void free_frame(struct xrdma_transmit *transmit, __u64 at)
{
	__u64 number = (at - transmit->first) / XRDMA_TRANSMIT_FRAME;

	if (number >= XRDMA_XSK_FRAMES || !transmit->with_kernel[number]) {
		transmit->strays++;
		return;
	}
	transmit->with_kernel[number] = false;
	XRDMA_WRITE(transmit->out, transmit->out - 1);
	transmit->free[transmit->free_count++] = number;
}

/* Send queued frames. The caller holds the lock, which is unlocked during the system call. */
static void send_queued(struct xrdma_transmit *transmit)
{
	enum xrdma_xsk_end end = XRDMA_XSK_MORE;
	__u64 at;
	int err;

	for (int i = 0; i < XRDMA_XSK_FRAMES && end == XRDMA_XSK_MORE; i++) {
		if (!xrdma_xsk_offer(&transmit->xsk))
			return;
		xrdma_spin_unlock(&transmit->lock);
		err = xrdma_xsk_kick(&transmit->xsk);
		xrdma_spin_lock(&transmit->lock);
		end = xrdma_xsk_conclude(&transmit->xsk, err);
	}
	while (end == XRDMA_XSK_REFUSED && xrdma_xsk_unqueue(&transmit->xsk, &at))
		free_frame(transmit, at);
}

void xrdma_transmit_flush(struct xrdma_transmit *transmit)
{
	__u64 at;

	if (!XRDMA_READ(transmit->out))
		return;
	xrdma_spin_lock(&transmit->lock);
	send_queued(transmit);
	while (xrdma_xsk_take(&transmit->xsk, &at))
		free_frame(transmit, at);
	xrdma_spin_unlock(&transmit->lock);
}

static struct xrdma_frame *take(struct xrdma_transmit *transmit)
{
	struct xrdma_frame *frame = NULL;
	__u32 number;

	xrdma_spin_lock(&transmit->lock);
	if (transmit->free_count) {
		number = transmit->free[--transmit->free_count];
		frame = (void *)(transmit->heap + transmit->first +
				 (size_t)number * XRDMA_TRANSMIT_FRAME);
	}
	xrdma_spin_unlock(&transmit->lock);
	return frame;
}

struct xrdma_frame *xrdma_transmit_take(struct xrdma_transmit *transmit)
{
	struct xrdma_frame *frame = take(transmit);

	if (frame)
		return frame;
	xrdma_transmit_flush(transmit);
	return take(transmit);
}

void xrdma_transmit_give(struct xrdma_transmit *transmit, const struct xrdma_frame *frame)
{
	xrdma_spin_lock(&transmit->lock);
	transmit->free[transmit->free_count++] = number_of(transmit, frame);
	xrdma_spin_unlock(&transmit->lock);
}

void xrdma_transmit_queue(struct xrdma_transmit *transmit, const struct xrdma_frame *frame,
			  size_t len)
{
	xrdma_spin_lock(&transmit->lock);
	transmit->with_kernel[number_of(transmit, frame)] = true;
	XRDMA_WRITE(transmit->out, transmit->out + 1);
	xrdma_xsk_queue(&transmit->xsk, (const char *)frame->bytes - transmit->heap, len);
	xrdma_spin_unlock(&transmit->lock);
}
