// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "obj/watch.h"

#include <errno.h>
#include <linux/rtnetlink.h>
#include <string.h>
#include <unistd.h>
#include <xrdma/async.h>

#include "dev/pin.h"
#include "lib/clock.h"
#include "lib/error.h"
#include "lib/order.h"

enum { RETRY_MS = 100 };

/*
 * The pins are watched, because the netlink sockets do not hear of a program at tcx that was taken
 * off. A user has only some instances of inotify (128 by default). Without one, an unloaded device
 * is noticed when the netdev changes.
 */
int xrdma_watch_open(struct xrdma_watch *watch, const char *name)
{
	const unsigned int groups = RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR;
	int err = xrdma_device_refresh_to(watch->device, &watch->last);

	if (err)
		return err;
	watch->socket = mnl_socket_open2(NETLINK_ROUTE, SOCK_CLOEXEC | SOCK_NONBLOCK);
	if (watch->socket && !mnl_socket_bind(watch->socket, groups, MNL_SOCKET_AUTOPID)) {
		watch->pins = xrdma_pin_watch(name);
		return 0;
	}
	err = xrdma_fail(errno, "cannot follow the netdev's addresses: %s", strerror(errno));
	if (watch->socket)
		mnl_socket_close(watch->socket);
	return err;
}

void xrdma_watch_close(const struct xrdma_watch *watch)
{
	mnl_socket_close(watch->socket);
	if (watch->pins >= 0)
		close(watch->pins);
}

int xrdma_watch_fd(const struct xrdma_watch *watch)
{
	return mnl_socket_get_fd(watch->socket);
}

int xrdma_watch_pins_fd(const struct xrdma_watch *watch)
{
	return watch->pins;
}

static void add(const struct xrdma_watch *watch, enum xrdma_async_kind kind)
{
	xrdma_channel_add(watch->async, watch->port, kind);
}

/* Report how the port has changed since the last report: its state is NOW. */
static void report(struct xrdma_watch *watch, const struct xrdma_port_state *now)
{
	const bool is_gone =
		XRDMA_READ(watch->slots->rows[watch->slot].state) == XRDMA_CONTEXT_UNLOADED;

	if (now->is_running != watch->last.is_running)
		add(watch, now->is_running ? XRDMA_ASYNC_PORT_ACTIVE : XRDMA_ASYNC_PORT_ERR);
	if (now->addrs != watch->last.addrs)
		add(watch, XRDMA_ASYNC_GID_CHANGE);
	if (is_gone && !watch->is_gone)
		add(watch, XRDMA_ASYNC_DEVICE_FATAL);
	watch->last = *now;
	watch->is_gone = is_gone;
}

/*
 * The messages only say that something has changed. This function asks the kernel what there is
 * now, because messages may have been lost (ENOBUFS). If the kernel refuses to answer, for want of
 * memory or file descriptors, it is asked again after RETRY_MS.
 */
__u64 xrdma_watch_look(struct xrdma_watch *watch)
{
	struct xrdma_port_state now = watch->last;
	const int fd = xrdma_watch_fd(watch);
	char message[4096];
	int err;

	while (recv(fd, message, sizeof(message), 0) >= 0 || errno == ENOBUFS)
		;
	while (read(watch->pins, message, sizeof(message)) > 0)
		;
	err = xrdma_device_refresh_to(watch->device, &now);
	if (err == -ENODEV)
		xrdma_slot_unload(watch->slots, watch->slot);
	report(watch, &now);
	if (!err || err == -ENODEV || err == -E2BIG)
		return XRDMA_NEVER;
	return xrdma_now() + RETRY_MS * XRDMA_NS_PER_MS;
}
