// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "net/xsk.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/if_xdp.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { QUEUES_MAX = 1024, FILL_SIZE = 2, TRIES = 500, TRY_US = 1000 };
enum { BATCH = 32 }; /* frames that the kernel takes in a call */

/*
 * Open a queue. Returns 0, -EBUSY (another socket has the queue), -EINVAL (NETDEV has no such
 * queue), or another error.
 */
static int open_queue(struct xrdma_xsk *xsk, const char *netdev, __u32 queue)
{
	const struct xsk_socket_config config = {
		.tx_size = XRDMA_XSK_FRAMES,
		.libxdp_flags = XSK_LIBXDP_FLAGS__INHIBIT_PROG_LOAD,
		.bind_flags = XDP_COPY,
	};

	return xsk_socket__create(&xsk->socket, netdev, queue, xsk->umem, NULL, &xsk->tx, &config);
}

/*
 * Open the first free queue. *TAKEN becomes the number of queues that were in use. Returns like
 * open_queue().
 */
static int open_any_queue(struct xrdma_xsk *xsk, const char *netdev, __u32 *taken)
{
	int err = -EBUSY;

	for (*taken = 0; *taken < QUEUES_MAX; ++*taken) {
		err = open_queue(xsk, netdev, *taken);
		if (err != -EBUSY)
			break;
	}
	return err;
}

int xrdma_xsk_open(struct xrdma_xsk *xsk, const char *netdev, void *umem, size_t size,
		   bool just_closed)
{
	const struct xsk_umem_config config = {
		.fill_size = FILL_SIZE,
		.comp_size = XRDMA_XSK_FRAMES,
		.frame_size = XRDMA_XSK_LEN_MAX,
		.flags = XDP_UMEM_UNALIGNED_CHUNK_FLAG, /* frames may begin anywhere */
	};
	int err, tries = just_closed ? TRIES : 1;
	__u32 taken = 0;

	xsk->socket = NULL;
	err = xsk_umem__create(&xsk->umem, umem, size, &xsk->fill, &xsk->done, &config);
	if (err)
		return err == -EAFNOSUPPORT ? -EOPNOTSUPP : err;
	fcntl(xsk_umem__fd(xsk->umem), F_SETFD, FD_CLOEXEC); /* also of the socket */
	while ((err = open_any_queue(xsk, netdev, &taken)) && taken && --tries)
		usleep(TRY_US);
	if (!err)
		return 0;
	xsk->socket = NULL;
	xsk_umem__delete(xsk->umem);
	return taken ? -EBUSY : err;
}

void xrdma_xsk_close(struct xrdma_xsk *xsk)
{
	if (!xsk->socket)
		return;
	xsk_socket__delete(xsk->socket);
	xsk_umem__delete(xsk->umem);
}

/* Queue a frame. The ring has a place for every frame. */
void xrdma_xsk_queue(struct xrdma_xsk *xsk, __u64 at, __u32 len)
{
	__u32 place = 0;

	xsk_ring_prod__reserve(&xsk->tx, 1, &place);
	*xsk_ring_prod__tx_desc(&xsk->tx, place) = (struct xdp_desc){ .addr = at, .len = len };
}

/* Return the number of frames that were offered to the kernel and may not be taken yet. */
static __u32 offered(const struct xrdma_xsk *xsk)
{
	return *xsk->tx.producer - __atomic_load_n(xsk->tx.consumer, __ATOMIC_ACQUIRE);
}

/* Return the number of frames that are queued and were not offered yet. */
static __u32 count_held(const struct xrdma_xsk *xsk)
{
	return xsk->tx.cached_prod - *xsk->tx.producer;
}

/*
 * Offer queued frames. Kernels before 6.17 report taken frames only when they find no more, so they
 * are never offered more than they take in a call.
 */
bool xrdma_xsk_offer(struct xrdma_xsk *xsk)
{
	__u32 count = offered(xsk), more = count_held(xsk);

	if (!count)
		xsk->untouched = true;
	if (more > BATCH - count)
		more = BATCH - count;
	xsk_ring_prod__submit(&xsk->tx, more);
	xsk->kicks += count + more > 0;
	return count + more;
}

/*
 * Wake the kernel. This does not use sendto(), a cancellation point, which takes two more atomic
 * operations in programs with threads.
 */
int xrdma_xsk_kick(const struct xrdma_xsk *xsk)
{
	return syscall(SYS_sendto, xsk_socket__fd(xsk->socket), NULL, 0, MSG_DONTWAIT, NULL, 0) < 0
		       ? errno
		       : 0;
}

/*
 * Interpret the result. A call takes frames until it must wait (EAGAIN, ENOBUFS) or has lost one
 * (EBUSY).
 */
enum xrdma_xsk_end xrdma_xsk_conclude(struct xrdma_xsk *xsk, int err)
{
	xsk->kicks--;
	if (err && err != EAGAIN && err != EBUSY && err != ENOBUFS)
		return XRDMA_XSK_REFUSED;
	xsk->untouched = false;
	return err != EBUSY && offered(xsk) ? XRDMA_XSK_SENT : XRDMA_XSK_MORE;
}

bool xrdma_xsk_unqueue(struct xrdma_xsk *xsk, __u64 *at)
{
	if (!count_held(xsk) && !(xsk->untouched && !xsk->kicks && offered(xsk)))
		return false;
	if (!count_held(xsk))
		__atomic_store_n(xsk->tx.producer, *xsk->tx.producer - 1, __ATOMIC_RELEASE);
	*at = xsk_ring_prod__tx_desc(&xsk->tx, --xsk->tx.cached_prod)->addr;
	return true;
}

bool xrdma_xsk_take(struct xrdma_xsk *xsk, __u64 *at)
{
	__u32 place;

	if (!xsk_ring_cons__peek(&xsk->done, 1, &place))
		return false;
	*at = *xsk_ring_cons__comp_addr(&xsk->done, place);
	xsk_ring_cons__release(&xsk->done, 1);
	return true;
}
