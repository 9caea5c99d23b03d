// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "obj/dispatch.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "dev/quiet.h"
#include "lib/clock.h"
#include "lib/error.h"
#include "lib/order.h"
#include "lib/thread.h"
#include "obj/watch.h"

/* ring_buffer__consume() calls this for each notice. Only XDP can write into the ring. */
static int take(void *of, void *data, size_t size)
{
	struct xrdma_dispatcher *dispatcher = of;
	const struct xrdma_notice *notice = data;
	const struct xrdma_notice_handler *handler = &dispatcher->handlers[notice->kind];

	(void)size;
	handler->call(handler->of, notice);
	return 0;
}

void xrdma_dispatcher_settle(struct xrdma_dispatcher *dispatcher)
{
	xrdma_mutex_lock(&dispatcher->taking);
	ring_buffer__consume(dispatcher->ring);
	xrdma_mutex_unlock(&dispatcher->taking);
}

/*
 * The thread shares the file descriptors of the process: handlers use files that are opened after
 * the thread has started, such as those by which the heap grows.
 */
static void *dispatch(void *arg)
{
	struct xrdma_dispatcher *dispatcher = arg;
	struct pollfd ready[] = {
		{ .fd = dispatcher->wake, .events = POLLIN },
		{ .fd = ring_buffer__epoll_fd(dispatcher->ring), .events = POLLIN },
		{ .fd = xrdma_watch_fd(dispatcher->watch), .events = POLLIN },
	};
	__u64 look = XRDMA_SOON;

	while (!XRDMA_OBSERVE(dispatcher->stop)) {
		if (ready[2].revents || xrdma_ms_until(look) == 0)
			look = xrdma_watch_look(dispatcher->watch);
		xrdma_dispatcher_settle(dispatcher);
		poll(ready, sizeof(ready) / sizeof(ready[0]), xrdma_ms_until(look));
	}
	return NULL;
}

static int open_ring(struct xrdma_dispatcher *dispatcher)
{
	int err;

	dispatcher->map =
		bpf_map_create(BPF_MAP_TYPE_RINGBUF, "notices", 0, 0, sysconf(_SC_PAGESIZE), NULL);
	if (dispatcher->map < 0)
		return dispatcher->map;
	xrdma_quiet_begin();
	dispatcher->ring = ring_buffer__new(dispatcher->map, take, dispatcher, NULL);
	err = dispatcher->ring ? 0 : -errno;
	xrdma_quiet_end();
	if (err)
		close(dispatcher->map);
	return err;
}

int xrdma_dispatcher_open(struct xrdma_dispatcher *dispatcher)
{
	int err = open_ring(dispatcher);

	if (err)
		goto err_ring;
	xrdma_mutex_init(&dispatcher->taking, XRDMA_RANK_NOTICES);
	dispatcher->wake = eventfd(0, EFD_CLOEXEC);
	if (dispatcher->wake >= 0)
		return 0;
	err = -errno;
	ring_buffer__free(dispatcher->ring);
	close(dispatcher->map);
err_ring:
	return xrdma_fail(-err, "no ring for notices of XDP: %s", strerror(-err));
}

void xrdma_dispatcher_close(struct xrdma_dispatcher *dispatcher)
{
	close(dispatcher->wake);
	ring_buffer__free(dispatcher->ring);
	close(dispatcher->map);
}

int xrdma_dispatcher_start(struct xrdma_dispatcher *dispatcher, const struct xrdma_watch *watch)
{
	int err;

	dispatcher->watch = watch;
	err = xrdma_thread_start(&dispatcher->thread, NULL, dispatch, dispatcher);
	return err ? xrdma_fail(-err, "no thread for notices of XDP: %s", strerror(-err)) : 0;
}

void xrdma_dispatcher_stop(struct xrdma_dispatcher *dispatcher)
{
	XRDMA_PUBLISH(dispatcher->stop, true);
	eventfd_write(dispatcher->wake, 1);
	pthread_join(dispatcher->thread, NULL);
}
