// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Open and close a context with all its parts. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dev/device.h"
#include "dev/quiet.h"
#include "key/fault.h"
#include "key/fork.h"
#include "key/key.h"
#include "lib/error.h"
#include "lib/parallel.h"
#include "mem/cache.h"
#include "mem/monitor.h"
#include "obj/context.h"
#include "queue/queues.h"
#include "queue/srq.h"
#include "run/alarms.h"
#include "run/attr.h"

/* Open the heap of CONTEXT, and the transmit queue, whose frames are part of the heap. */
static int open_heap(struct xrdma_context *context, const char *device,
		     const struct xrdma_context_attr *attr)
{
	struct xrdma_heap *heap = &context->heap;
	__u32 other;
	__u64 frames;
	int err = xrdma_heap_open(heap, attr->heap_size + XRDMA_TRANSMIT_SIZE,
				  attr->heap_max + XRDMA_TRANSMIT_SIZE);

	if (err)
		return err;
	err = xrdma_heap_take(heap, XRDMA_TRANSMIT_SIZE, XRDMA_TRANSMIT_FRAME, &frames);
	if (!err)
		err = xrdma_transmit_open(&context->transmit, device, heap->bytes, heap->sizes[0],
					  frames, attr->tx,
					  !xrdma_slots_alive(&context->slots, &other));
	if (err)
		xrdma_heap_close(heap);
	return err;
}

/* Free all records that create_records() has created for CONTEXT so far. */
static void free_records(struct xrdma_context *context)
{
	xrdma_channel_close(&context->async);
	xrdma_keys_exit(context->keys);
	xrdma_queues_exit(context->queues);
	xrdma_bursts_exit(&context->bursts);
}

static int enter(struct xrdma_context *context)
{
	const struct xrdma_slot_maps maps = {
		.tables = &context->tables,
		.arenas = context->heap.arenas,
		.arena_count = context->heap.arena_count,
		.notices = context->dispatcher.map,
	};
	int err = xrdma_slot_claim(&context->slots, &context->slot);

	if (err)
		return err;
	context->generation = context->slots.rows[context->slot].generation;
	err = xrdma_slot_fill(&context->slots, context->slot, &maps, context->keys->mask);
	if (!err)
		xrdma_heap_enter(&context->heap, &context->slots, context->slot);
	return err;
}

/* Handle the notice that a completion queue has notify bits. */
static void take_news(void *dispatcher, const struct xrdma_notice *notice)
{
	(void)notice;
	xrdma_dispatcher_look(dispatcher);
}

/* Start the dispatcher of CONTEXT, which has a slot. */
static int start(struct xrdma_context *context, const char *device)
{
	int err;

	context->watch = (struct xrdma_watch){
		.device = &context->device,
		.slots = &context->slots,
		.slot = context->slot,
		.async = &context->async,
		.port = &context->port,
	};
	err = xrdma_watch_open(&context->watch, device);
	if (err)
		return err;
	context->dispatcher.alarms =
		(struct xrdma_alarms){ xrdma_alarms_run, xrdma_alarms_look, context };
	context->dispatcher.handlers[XRDMA_NOTICE_NEWS] =
		(struct xrdma_notice_handler){ take_news, &context->dispatcher };
	context->dispatcher.handlers[XRDMA_NOTICE_COMPLETION] =
		(struct xrdma_notice_handler){ xrdma_cq_completed, context->queues };
	context->dispatcher.handlers[XRDMA_NOTICE_SRQ_LIMIT] =
		(struct xrdma_notice_handler){ xrdma_srq_limit_reached, context->queues };
	err = xrdma_dispatcher_start(&context->dispatcher, &context->watch);
	if (err)
		xrdma_watch_close(&context->watch);
	else
		xrdma_fork_enter(context);
	return err;
}

/* Create the records of CONTEXT that are outside its tables, and that XDP does not see. */
static int create_records(struct xrdma_context *context, const struct xrdma_context_attr *attr)
{
	int err;

	xrdma_bursts_init(&context->bursts);
	xrdma_faults_init(context->faults, context);
	xrdma_context_attr_limits(&context->limits, attr);
	context->port.object = context;
	context->progress = attr->progress;
	err = xrdma_channel_open(&context->async);
	if (err)
		return xrdma_fail(-err, "no file descriptor for asynchronous events: %s",
				  strerror(-err));
	err = xrdma_keys_init(context->keys, context, attr)
		      ?: xrdma_queues_init(context->queues, &context->tables, attr);
	if (err)
		free_records(context);
	return err;
}

static int open_context(struct xrdma_context *context, const char *device,
			const struct xrdma_context_attr *attr)
{
	int err = xrdma_device_open(&context->device, device);

	if (err)
		return err;
	err = xrdma_device_refresh(&context->device);
	if (err)
		goto err_device;
	err = xrdma_slots_open(&context->slots, device);
	if (err)
		goto err_device;
	err = xrdma_context_attr_tables(&context->tables, attr);
	if (err)
		goto err_slots;
	err = create_records(context, attr);
	if (err)
		goto err_tables;
	err = open_heap(context, device, attr);
	if (err)
		goto err_records;
	err = xrdma_dispatcher_open(&context->dispatcher);
	if (err)
		goto err_heap;
	err = enter(context);
	if (err)
		goto err_dispatcher;
	err = start(context, device);
	if (!err)
		return 0;
	xrdma_slot_free(&context->slots, context->slot, context->generation);
err_dispatcher:
	xrdma_dispatcher_close(&context->dispatcher);
err_heap:
	xrdma_transmit_close(&context->transmit);
	xrdma_heap_close(&context->heap);
err_records:
	free_records(context);
err_tables:
	xrdma_tables_close(&context->tables);
err_slots:
	xrdma_slots_close(&context->slots);
err_device:
	xrdma_device_close(&context->device);
	return err;
}

/* One allocation for a context and its parts. CONTEXT is first: free() takes its address. */
struct parts {
	struct xrdma_context context;
	struct xrdma_keys keys;
	struct xrdma_faults faults;
	struct xrdma_queues queues;
};

/* Open the context. The caller holds the lock of the device. */
static int open_locked(const char *device, const struct xrdma_context_attr *attr,
		       struct xrdma_context **context)
{
	struct parts *parts = calloc(1, sizeof(*parts));
	int err;

	if (!parts || xrdma_process_init(&parts->context.process)) {
		free(parts);
		return xrdma_fail(ENOMEM, "no memory for a context");
	}
	parts->context.keys = &parts->keys;
	parts->context.faults = &parts->faults;
	parts->context.queues = &parts->queues;
	*context = &parts->context;
	err = open_context(*context, device, attr);
	if (err) {
		xrdma_process_exit(&(*context)->process);
		free(*context);
	}
	return err;
}

int xrdma_context_open(const char *device, const struct xrdma_context_attr *attr,
		       struct xrdma_context **context)
{
	struct xrdma_context_attr all;
	int lock, err = xrdma_context_attr_read(attr, &all) ?: xrdma_monitor_set();

	if (err)
		return err;
	lock = xrdma_device_lock(device, XRDMA_PIN_SHARED);
	if (lock < 0)
		return lock;
	xrdma_quiet_begin();
	err = open_locked(device, &all, context);
	xrdma_quiet_end();
	xrdma_pin_unlock(lock);
	return err;
}

/* xrdma_parallel() runs both steps at once: in each, the kernel waits for a grace period. */
static int leave(void *of, size_t index)
{
	struct xrdma_context *context = of;

	if (index)
		xrdma_transmit_close(&context->transmit);
	else
		xrdma_slot_free(&context->slots, context->slot, context->generation);
	return 0;
}

/* Free the memory and descriptors of CONTEXT. A child of fork() does this, too. */
static void free_context(struct xrdma_context *context)
{
	xrdma_fork_leave(context);
	free_records(context);
	xrdma_slots_close(&context->slots);
	xrdma_device_close(&context->device);
	xrdma_process_exit(&context->process);
	free(context);
}

/* Close CONTEXT in a child of fork(): a thread that the child lacks may have held any lock. */
static int forget(struct xrdma_context *context)
{
	xrdma_watch_close(&context->watch);
	xrdma_dispatcher_close(&context->dispatcher);
	xrdma_transmit_close(&context->transmit);
	xrdma_heap_forget(&context->heap);
	xrdma_tables_forget(&context->tables);
	free_context(context);
	return 0;
}

int xrdma_context_close(struct xrdma_context *context)
{
	__u32 pds, cqs, eqs, channels;

	if (!xrdma_process_is_current(&context->process))
		return forget(context);
	pds = xrdma_count(&context->pds);
	cqs = xrdma_count(&context->cqs);
	eqs = xrdma_count(&context->eqs);
	channels = xrdma_count(&context->comp_channels);
	if (pds || cqs || eqs || channels)
		return xrdma_fail(
			EBUSY,
			"the context still has %u protection domains, %u completion queues, %u "
			"completion channels and %u event queues",
			pds, cqs, channels, eqs);
	xrdma_worker_stop(&context->keys->registrar);
	xrdma_dispatcher_stop(&context->dispatcher);
	xrdma_watch_close(&context->watch);
	xrdma_dispatcher_close(&context->dispatcher);
	xrdma_cache_relieve(&context->heap);
	xrdma_parallel(leave, context, 2);
	xrdma_heap_close(&context->heap);
	xrdma_tables_close(&context->tables);
	free_context(context);
	return 0;
}
