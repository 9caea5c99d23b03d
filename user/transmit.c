// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "transmit.h"

#include <errno.h>
#include <linux/if_packet.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "error.h"

int xrdma_transmit_open(struct xrdma_transmit *transmit, __u32 ifindex)
{
	/* No protocol: nothing is received. */
	const struct sockaddr_ll netdev = { .sll_family = AF_PACKET, .sll_ifindex = ifindex };
	const int on = 1;
	int err;

	transmit->fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (transmit->fd < 0)
		return xrdma_fail(errno, "cannot open a packet socket: %s", strerror(errno));
	if (!setsockopt(transmit->fd, SOL_PACKET, PACKET_QDISC_BYPASS, &on, sizeof(on)) &&
	    !bind(transmit->fd, (const struct sockaddr *)&netdev, sizeof(netdev)))
		return 0;
	err = errno;
	close(transmit->fd);
	return xrdma_fail(err, "cannot send on the netdev with index %u: %s", ifindex,
			  strerror(err));
}

void xrdma_transmit_close(struct xrdma_transmit *transmit)
{
	close(transmit->fd);
}

bool xrdma_transmit_send(struct xrdma_transmit *transmit, size_t len)
{
	return send(transmit->fd, transmit->frame.bytes, len, 0) >= 0 ||
	       (errno != ENOBUFS && errno != EAGAIN);
}
