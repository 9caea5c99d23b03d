// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "obj/watch.h"

#include <errno.h>
#include <linux/rtnetlink.h>
#include <string.h>

#include "lib/clock.h"
#include "lib/error.h"

enum { RETRY_MS = 100 };

int xrdma_watch_open(struct xrdma_watch *watch, const struct xrdma_device *device,
		     const struct xrdma_slots *slots, __u32 slot)
{
	const unsigned int groups = RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR;
	int err;

	*watch = (struct xrdma_watch){ .device = device, .slots = slots, .slot = slot };
	watch->socket = mnl_socket_open2(NETLINK_ROUTE, SOCK_CLOEXEC | SOCK_NONBLOCK);
	if (watch->socket && !mnl_socket_bind(watch->socket, groups, MNL_SOCKET_AUTOPID))
		return 0;
	err = xrdma_fail(errno, "cannot follow the netdev's addresses: %s", strerror(errno));
	if (watch->socket)
		mnl_socket_close(watch->socket);
	return err;
}

void xrdma_watch_close(const struct xrdma_watch *watch)
{
	mnl_socket_close(watch->socket);
}

int xrdma_watch_fd(const struct xrdma_watch *watch)
{
	return mnl_socket_get_fd(watch->socket);
}

/*
 * The messages only say that something has changed. This function asks the kernel what there is
 * now, because messages may have been lost (ENOBUFS). If the kernel refuses to answer, for want of
 * memory or file descriptors, it is asked again after RETRY_MS.
 */
__u64 xrdma_watch_look(const struct xrdma_watch *watch)
{
	const int fd = xrdma_watch_fd(watch);
	char message[4096];
	int err;

	while (recv(fd, message, sizeof(message), 0) >= 0 || errno == ENOBUFS)
		;
	err = xrdma_device_refresh(watch->device);
	if (err == -ENODEV)
		xrdma_slot_unload(watch->slots, watch->slot);
	if (!err || err == -ENODEV || err == -E2BIG)
		return XRDMA_NEVER;
	return xrdma_now() + RETRY_MS * XRDMA_NS_PER_MS;
}
