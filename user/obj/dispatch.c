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

enum {
	ALARMS_EVERY_MS = 1, /* at most */
	NOTICES_MANY = 64,   /* the ring has room for 127 */
};

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

void xrdma_dispatcher_look(struct xrdma_dispatcher *dispatcher)
{
	XRDMA_PUBLISH(dispatcher->looks, true);
	eventfd_write(dispatcher->wake, 1);
}

/* If the ring was full, notices that it had no room for may be lost. */
void xrdma_dispatcher_quiesce(struct xrdma_dispatcher *dispatcher)
{
	xrdma_mutex_lock(&dispatcher->taking);
	if (ring_buffer__consume(dispatcher->ring) >= NOTICES_MANY)
		xrdma_dispatcher_look(dispatcher);
	xrdma_mutex_unlock(&dispatcher->taking);
}

/*
 * Look at the notify bits if somebody asked for it. Returns the time of the next look in ns, or
 * XRDMA_NEVER if all were served.
 */
static __u64 look(struct xrdma_dispatcher *dispatcher)
{
	if (!__atomic_exchange_n(&dispatcher->looks, false, __ATOMIC_ACQUIRE) ||
	    dispatcher->alarms.look(dispatcher->alarms.of))
		return XRDMA_NEVER;
	XRDMA_WRITE(dispatcher->looks, true);
	return xrdma_now() + ALARMS_EVERY_MS * XRDMA_NS_PER_MS;
}

static __u64 earlier(__u64 one, __u64 other)
{
	return one < other ? one : other;
}

void xrdma_dispatcher_wake_by(struct xrdma_dispatcher *dispatcher, __u64 when)
{
	__atomic_thread_fence(__ATOMIC_SEQ_CST); /* pairs with the one in run_alarms() */
	if (when >= XRDMA_READ(dispatcher->wakes_at))
		return;
	XRDMA_WRITE(dispatcher->wakes_at, when);
	eventfd_write(dispatcher->wake, 1);
}

/* Times at which the thread runs the alarms. */
struct schedule {
	__u64 due;   /* ns: the next alarm */
	__u64 after; /* ns: not before this time, however short the alarms are */
};

static __u64 wakes_at(const struct schedule *schedule)
{
	return schedule->due > schedule->after ? schedule->due : schedule->after;
}

/*
 * Run the alarms if it is time. A thread sets an alarm and then reads WAKES_AT. This function
 * writes WAKES_AT and then looks at the alarms. So either it finds the alarm, or the other thread
 * finds XRDMA_NEVER or a later time, and wakes this one.
 */
static void run_alarms(struct xrdma_dispatcher *dispatcher, struct schedule *schedule)
{
	if (xrdma_now() < wakes_at(schedule))
		return;
	XRDMA_WRITE(dispatcher->wakes_at, XRDMA_NEVER);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	schedule->due = dispatcher->alarms.run(dispatcher->alarms.of);
	schedule->after = xrdma_now() + ALARMS_EVERY_MS * XRDMA_NS_PER_MS;
	XRDMA_WRITE(dispatcher->wakes_at, wakes_at(schedule));
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
		{ .fd = xrdma_watch_pins_fd(dispatcher->watch), .events = POLLIN },
	};
	struct schedule alarms = { .due = XRDMA_NEVER };
	__u64 watch = XRDMA_SOON, at;
	eventfd_t woken;

	for (;;) {
		if (!eventfd_read(dispatcher->wake, &woken))
			alarms.due = XRDMA_SOON;
		if (XRDMA_OBSERVE(dispatcher->stop)) /* STOP was written before the eventfd */
			return NULL;
		if (ready[2].revents || ready[3].revents || xrdma_ms_until(watch) == 0)
			watch = xrdma_watch_look(dispatcher->watch);
		xrdma_dispatcher_quiesce(dispatcher);
		at = earlier(watch, look(dispatcher));
		run_alarms(dispatcher, &alarms);
		poll(ready, sizeof(ready) / sizeof(ready[0]),
		     xrdma_ms_until(earlier(at, wakes_at(&alarms))));
	}
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
	dispatcher->wakes_at = XRDMA_NEVER;
	dispatcher->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
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

int xrdma_dispatcher_start(struct xrdma_dispatcher *dispatcher, struct xrdma_watch *watch)
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
