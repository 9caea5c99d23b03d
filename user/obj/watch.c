// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "obj/watch.h"

#include <errno.h>
#include <linux/close_range.h>
#include <linux/rtnetlink.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "lib/error.h"
#include "lib/thread.h"

enum { RETRY_MS = 100 };

static int listen_to_changes(struct xrdma_watch *watch)
{
	const unsigned int groups = RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR;
	int err;

	watch->socket = mnl_socket_open2(NETLINK_ROUTE, SOCK_CLOEXEC | SOCK_NONBLOCK);
	if (!watch->socket)
		return -errno;
	if (!mnl_socket_bind(watch->socket, groups, MNL_SOCKET_AUTOPID))
		return 0;
	err = -errno;
	mnl_socket_close(watch->socket);
	return err;
}

static int by_number(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

/*
 * The thread has files of its own, those that it uses and no other: whoever shares them pays in
 * each system call for a reference to the file. Where the kernel refuses, they are shared.
 */
static void unshare_files(const struct xrdma_watch *watch)
{
	int kept[] = { mnl_socket_get_fd(watch->socket), watch->stop, watch->device->row,
		       watch->device->addrs };
	const size_t count = sizeof(kept) / sizeof(kept[0]);
	int from = 0;

	qsort(kept, count, sizeof(kept[0]), by_number);
	for (size_t i = 0; i < count; from = kept[i++] + 1)
		if (kept[i] > from && close_range(from, kept[i] - 1, CLOSE_RANGE_UNSHARE))
			return;
	close_range(from, ~0U, CLOSE_RANGE_UNSHARE);
}

/*
 * The messages only say that something has changed. The thread asks the kernel what there is now,
 * because it may have missed messages (ENOBUFS). If the kernel refuses to answer, for want of
 * memory or file descriptors, the thread asks again after RETRY_MS.
 */
static void *watch_changes(void *arg)
{
	const struct xrdma_watch *watch = arg;
	struct pollfd ready[] = {
		{ .fd = mnl_socket_get_fd(watch->socket), .events = POLLIN },
		{ .fd = watch->stop, .events = POLLIN },
	};
	char message[4096];
	int err;

	unshare_files(watch);
	while (!ready[1].revents) {
		while (recv(ready[0].fd, message, sizeof(message), 0) >= 0 || errno == ENOBUFS)
			;
		err = xrdma_device_refresh(watch->device);
		if (err == -ENODEV)
			xrdma_slot_unload(watch->slots, watch->slot);
		poll(ready, 2, err && err != -ENODEV && err != -E2BIG ? RETRY_MS : -1);
	}
	return NULL;
}

int xrdma_watch_start(struct xrdma_watch *watch, const struct xrdma_device *device,
		      const struct xrdma_slots *slots, __u32 slot)
{
	int err = listen_to_changes(watch);

	if (err)
		goto err_socket;
	watch->device = device;
	watch->slots = slots;
	watch->slot = slot;
	watch->stop = eventfd(0, EFD_CLOEXEC);
	if (watch->stop < 0) {
		err = -errno;
		goto err_stop;
	}
	err = xrdma_thread_start(&watch->thread, NULL, watch_changes, watch);
	if (!err)
		return 0;
	close(watch->stop);
err_stop:
	mnl_socket_close(watch->socket);
err_socket:
	return xrdma_fail(-err, "cannot follow the netdev's addresses: %s", strerror(-err));
}

void xrdma_watch_forget(const struct xrdma_watch *watch)
{
	close(watch->stop);
	mnl_socket_close(watch->socket);
}

void xrdma_watch_stop(struct xrdma_watch *watch)
{
	eventfd_write(watch->stop, 1);
	pthread_join(watch->thread, NULL);
	xrdma_watch_forget(watch);
}
