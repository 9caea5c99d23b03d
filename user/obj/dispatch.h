/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Dispatcher of a context: one thread, which waits for notices of XDP, changes of the netdev and
 * alarms, and handles them. Each kind of notice has a handler.
 */
#ifndef XRDMA_USER_OBJ_DISPATCH_H
#define XRDMA_USER_OBJ_DISPATCH_H

#include <pthread.h>
#include <xrdma/abi/notice.h>

#include "lib/mutex.h"

struct ring_buffer;
struct xrdma_watch;

/* Handler of one kind of notice. Set it before the thread is started. */
struct xrdma_notice_handler {
	/* Handle NOTICE. The function may take locks with ranks later than XRDMA_RANK_NOTICES. */
	void (*call)(void *of, const struct xrdma_notice *notice);
	void *of;
};

/* Alarms of a context. Set them before the thread is started. */
struct xrdma_alarms {
	/* Run the alarms that are due. Returns the time of the next one in ns, or XRDMA_NEVER. */
	__u64 (*run)(void *of);
	/*
	 * Look at the notify bits of all completion queues. Returns false if it has to be called
	 * again later.
	 */
	bool (*look)(void *of);
	void *of;
};

struct xrdma_dispatcher {
	struct xrdma_watch *watch;
	struct xrdma_alarms alarms;
	__u64 wakes_at; /* ns: when ALARMS run next; XRDMA_NEVER while they run */
	struct xrdma_notice_handler handlers[XRDMA_NOTICE_KINDS];
	int map;		   /* file descriptor of the map of RING */
	struct ring_buffer *ring;  /* notices from XDP */
	struct xrdma_mutex taking; /* held while RING is read */
	int wake;		   /* eventfd: wakes the thread to look at STOP, or to run ALARMS */
	bool stop;
	bool looks; /* the thread has to call ALARMS.look */
	pthread_t thread;
};

/* Open the files of DISPATCHER, and its ring. Returns 0 or, with xrdma_error() set, -errno. */
int xrdma_dispatcher_open(struct xrdma_dispatcher *dispatcher);

/*
 * Close the files of DISPATCHER. The thread must not run in this process: it was not started, was
 * stopped, or is the parent's.
 */
void xrdma_dispatcher_close(struct xrdma_dispatcher *dispatcher);

/*
 * Start the thread, which also handles changes that WATCH reports. Returns 0 or, with xrdma_error()
 * set, -errno.
 */
int xrdma_dispatcher_start(struct xrdma_dispatcher *dispatcher, struct xrdma_watch *watch);

/* Stop the thread, and wait until it has ended. */
void xrdma_dispatcher_stop(struct xrdma_dispatcher *dispatcher);

/*
 * Make the thread run the alarms at the time WHEN, in ns, or earlier. Call this function after an
 * alarm was set. Thread safe.
 */
void xrdma_dispatcher_wake_by(struct xrdma_dispatcher *dispatcher, __u64 when);

/*
 * Make the thread look at the notify bits of all completion queues. Handlers of notices call this.
 * Thread safe.
 */
void xrdma_dispatcher_look(struct xrdma_dispatcher *dispatcher);

/*
 * Handle all notices that XDP has written. When this function returns, no thread handles one of
 * them any more. Thread safe.
 */
void xrdma_dispatcher_quiesce(struct xrdma_dispatcher *dispatcher);

#endif
