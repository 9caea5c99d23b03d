// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "key/fault.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "dev/quiet.h"
#include "key/key.h"
#include "lib/error.h"
#include "lib/order.h"
#include "lib/thread.h"

void xrdma_faults_init(struct xrdma_faults *faults, struct xrdma_context *context)
{
	faults->context = context;
	xrdma_mutex_init(&faults->lock, XRDMA_RANK_FAULTS);
	xrdma_mutex_init(&faults->taking, XRDMA_RANK_FAULTS_RING);
	LIST_INIT(&faults->buffers);
}

static bool may_miss(const struct xrdma_buffer *buffer)
{
	return buffer->backing == XRDMA_ON_DEMAND && buffer->pages.offset & XRDMA_PAGED;
}

void xrdma_faults_enter(struct xrdma_faults *faults, struct xrdma_buffer *buffer)
{
	if (!may_miss(buffer))
		return;
	xrdma_mutex_lock(&faults->lock);
	LIST_INSERT_HEAD(&faults->buffers, buffer, next);
	xrdma_mutex_unlock(&faults->lock);
}

void xrdma_faults_leave(struct xrdma_faults *faults, struct xrdma_buffer *buffer)
{
	if (!may_miss(buffer))
		return;
	xrdma_mutex_lock(&faults->lock);
	LIST_REMOVE(buffer, next);
	xrdma_mutex_unlock(&faults->lock);
}

/* The lock is held. What was mapped otherwise around the page since is let go of too. */
static bool bring(struct xrdma_context *context, struct xrdma_buffer *buffer, __u64 page)
{
	struct xrdma_adopted old;

	if (xrdma_page_is_there(&buffer->pages, &context->heap, page))
		return true;
	if (xrdma_buffer_fill(&context->heap, buffer, page, &old))
		return false;
	xrdma_keys_settle(context->keys);
	xrdma_disown(&old);
	return xrdma_page_is_there(&buffer->pages, &context->heap, page);
}

/* Whether there is memory now where MISSED, an XRDMA_PAGED address, was missed. */
static bool bring_missed(struct xrdma_faults *faults, __u64 missed)
{
	struct xrdma_buffer *buffer;
	bool there = false;
	__u64 page;

	xrdma_mutex_lock(&faults->lock);
	LIST_FOREACH(buffer, &faults->buffers, next)
	if (xrdma_pages_have(&buffer->pages, missed, &page))
		break;
	if (buffer)
		there = bring(faults->context, buffer, page);
	xrdma_mutex_unlock(&faults->lock);
	return there;
}

bool xrdma_fault_retry(struct xrdma_faults *faults, __u64 missed, enum xrdma_verdict *verdict)
{
	if (*verdict != XRDMA_V_FAULT)
		return false;
	if (bring_missed(faults, missed))
		return true;
	*verdict = XRDMA_V_HEAP;
	return false;
}

/*
 * Whether the request of FAULT may come again with the PSN of FAULT: it is still expected, or it is
 * a READ that was accepted and of which the response with that PSN missed the page. PSN is what the
 * responder expects next.
 */
static bool may_come_again(const struct xrdma_fault *fault, __u32 psn)
{
	return ((psn - fault->psn) & XRDMA_PSN_MASK) <= XRDMA_PSN_MASK / 2;
}

/*
 * Have the request of FAULT refused for good when it comes again. No request has the number of a
 * response, which has XRDMA_OF_RESPONSE: a response misses its page each time, until the retries of
 * our own request are used up.
 */
static void refuse(const struct xrdma_context *context, const struct xrdma_fault *fault)
{
	struct xrdma_qp_row *rows = context->tables.qps.rows;
	const __u32 index = fault->qpn & (XRDMA_QP_ROWS_MAX - 1);

	if (index < context->tables.qps.size / sizeof(*rows) &&
	    may_come_again(fault, XRDMA_READ(rows[index].resp.psn)))
		XRDMA_WRITE(rows[index].resp.unbacked, XRDMA_UNBACKED | fault->psn);
}

static int take(void *of, void *data, size_t size)
{
	struct xrdma_faults *faults = of;
	const struct xrdma_fault *fault = data;

	(void)size;
	if (!bring_missed(faults, fault->missed))
		refuse(faults->context, fault);
	return 0;
}

static void take_all(struct xrdma_faults *faults, struct ring_buffer *ring)
{
	xrdma_mutex_lock(&faults->taking);
	ring_buffer__consume(ring);
	xrdma_mutex_unlock(&faults->taking);
}

void xrdma_faults_settle(struct xrdma_faults *faults)
{
	struct ring_buffer *ring = XRDMA_OBSERVE(faults->ring);

	if (ring)
		take_all(faults, ring);
}

/* That which its thread is started with. */
static struct ring_buffer *ring_of(struct xrdma_faults *faults)
{
	struct ring_buffer *ring;

	xrdma_mutex_lock(&faults->lock);
	ring = faults->ring;
	xrdma_mutex_unlock(&faults->lock);
	return ring;
}

/* It shares the process's files, unlike that of obj/watch.h: the heap grows by files. */
static void *serve(void *arg)
{
	struct xrdma_faults *faults = arg;
	struct ring_buffer *ring = ring_of(faults);
	struct pollfd ready[] = {
		{ .fd = ring_buffer__epoll_fd(ring), .events = POLLIN },
		{ .fd = faults->stop, .events = POLLIN },
	};

	while (!ready[1].revents) {
		take_all(faults, ring);
		poll(ready, 2, -1);
	}
	return NULL;
}

static int open_ring(struct xrdma_faults *faults)
{
	struct xrdma_context *context = faults->context;
	struct ring_buffer *ring;
	int err;

	faults->map =
		bpf_map_create(BPF_MAP_TYPE_RINGBUF, "faults", 0, 0, sysconf(_SC_PAGESIZE), NULL);
	if (faults->map < 0)
		return faults->map;
	faults->stop = eventfd(0, EFD_CLOEXEC);
	if (faults->stop < 0) {
		err = -errno;
		goto err_map;
	}
	xrdma_quiet_begin();
	ring = ring_buffer__new(faults->map, take, faults, NULL);
	xrdma_quiet_end();
	if (!ring) {
		err = -errno;
		goto err_stop;
	}
	err = xrdma_slot_add_faults(&context->slots, context->slot, faults->map)
		      ?: xrdma_thread_start(&faults->thread, NULL, serve, faults);
	if (!err) {
		XRDMA_PUBLISH(faults->ring, ring);
		return 0;
	}
	ring_buffer__free(ring);
err_stop:
	close(faults->stop);
err_map:
	close(faults->map);
	return err;
}

int xrdma_faults_start(struct xrdma_faults *faults)
{
	int err = 0;

	xrdma_mutex_lock(&faults->lock);
	if (!faults->ring)
		err = open_ring(faults);
	xrdma_mutex_unlock(&faults->lock);
	return err ? xrdma_fail(-err, "cannot look for memory when it is missed: %s",
				strerror(-err))
		   : 0;
}

void xrdma_faults_forget(struct xrdma_faults *faults)
{
	if (!faults->ring)
		return;
	ring_buffer__free(faults->ring);
	close(faults->stop);
	close(faults->map);
}

void xrdma_faults_stop(struct xrdma_faults *faults)
{
	if (!faults->ring)
		return;
	eventfd_write(faults->stop, 1);
	pthread_join(faults->thread, NULL);
	xrdma_faults_forget(faults);
}
