/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Context: a process's share of a device, and the state that all its objects share. */
#ifndef XRDMA_USER_OBJ_CONTEXT_H
#define XRDMA_USER_OBJ_CONTEXT_H

#include <sys/queue.h>
#include <xrdma/context.h>

#include "dev/device.h"
#include "dev/slot.h"
#include "lib/process.h"
#include "mem/heap.h"
#include "net/burst.h"
#include "net/transmit.h"
#include "obj/channel.h"
#include "obj/dispatch.h"
#include "obj/watch.h"

struct xrdma_faults;
struct xrdma_keys;
struct xrdma_queues;

/*
 * Each member that changes has a lock of its own, or is changed by atomic operations. The order of
 * locks is in lib/mutex.h.
 */
struct xrdma_context {
	struct xrdma_device device;
	struct xrdma_watch watch; /* watches DEVICE */
	struct xrdma_dispatcher dispatcher;
	struct xrdma_slots slots; /* slots of DEVICE */
	__u32 slot;		  /* the context's slot */
	__u32 generation;	  /* generation of SLOT */
	struct xrdma_context_tables tables;
	struct xrdma_heap heap;
	struct xrdma_keys *keys;     /* key/key.h */
	struct xrdma_faults *faults; /* key/fault.h */
	struct xrdma_queues *queues; /* queue/queues.h */
	struct xrdma_transmit transmit;
	struct xrdma_bursts bursts;
	struct xrdma_channel async;	  /* asynchronous events */
	struct xrdma_channel_source port; /* those about the netdev */
	struct xrdma_process process;
	struct xrdma_device_attr limits;
	enum xrdma_progress progress;
	__u32 pds, cqs, eqs, comp_channels; /* number of objects */
	bool paused;			    /* the process is forking (key/fork.h) */
	LIST_ENTRY(xrdma_context) next;
};

/*
 * Check that this process opened CONTEXT. Returns 0 or, with xrdma_error() set, -EPERM (this is a
 * child that was forked since).
 */
int xrdma_context_own(const struct xrdma_context *context);

/* Begin a call that needs the device. Returns 0 or -ENODEV if the device was unloaded. */
int xrdma_context_enter(const struct xrdma_context *context);

/*
 * Count one more or one less object. Several threads may create and destroy objects. COUNT is the
 * number of objects.
 */
static inline __u32 xrdma_count_in(__u32 *count)
{
	return __atomic_add_fetch(count, 1, __ATOMIC_RELAXED);
}

static inline void xrdma_count_out(__u32 *count)
{
	__atomic_sub_fetch(count, 1, __ATOMIC_RELEASE);
}

static inline __u32 xrdma_count(const __u32 *count)
{
	return __atomic_load_n(count, __ATOMIC_ACQUIRE);
}

#endif
