/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * The dispatcher of a context: one thread, which waits for notices of XDP, changes of the netdev
 * and alarms, and acts on them. Each kind of notice has a handler.
 */
#ifndef XRDMA_USER_OBJ_DISPATCH_H
#define XRDMA_USER_OBJ_DISPATCH_H

#include <pthread.h>
#include <xrdma/abi/notice.h>

#include "lib/mutex.h"

struct ring_buffer;
struct xrdma_watch;

/* The handler of a kind of notice is set before the thread is started. */
struct xrdma_notice_handler {
	/*
	 * Act on NOTICE. Locks that the function takes have ranks later than XRDMA_RANK_NOTICES.
	 */
	void (*call)(void *of, const struct xrdma_notice *notice);
	void *of;
};

/* The alarms of a context, which are set before the thread is started. */
struct xrdma_alarms {
	/* Act on the alarms that are due. Returns when the next one is, in ns, or XRDMA_NEVER. */
	__u64 (*run)(void *of);
	void *of;
};

struct xrdma_dispatcher {
	const struct xrdma_watch *watch;
	struct xrdma_alarms alarms;
	__u64 wakes_at; /* ns: the thread runs ALARMS then; XRDMA_NEVER while it runs them */
	struct xrdma_notice_handler handlers[XRDMA_NOTICE_KINDS];
	int map;		   /* file descriptor of the map of RING */
	struct ring_buffer *ring;  /* the notices that XDP has written */
	struct xrdma_mutex taking; /* held while RING is read */
	int wake;		   /* eventfd: the thread has to look at STOP, or run ALARMS */
	bool stop;
	pthread_t thread;
};

/* Open the files of DISPATCHER, and its ring. Returns 0 or, with xrdma_error() set, -errno. */
int xrdma_dispatcher_open(struct xrdma_dispatcher *dispatcher);

/*
 * Close what xrdma_dispatcher_open() has opened. The thread does not run: it was not started, was
 * stopped, or is the parent's of this process.
 */
void xrdma_dispatcher_close(struct xrdma_dispatcher *dispatcher);

/*
 * Start the thread, which also follows WATCH from now on. Returns 0 or, with xrdma_error() set,
 * -errno.
 */
int xrdma_dispatcher_start(struct xrdma_dispatcher *dispatcher, const struct xrdma_watch *watch);

/* End the thread, and wait for its end. */
void xrdma_dispatcher_stop(struct xrdma_dispatcher *dispatcher);

/*
 * See to it that the thread runs the alarms at the time WHEN, in ns, or before. Whoever sets an
 * alarm calls this function afterwards. Thread safe.
 */
void xrdma_dispatcher_wake_by(struct xrdma_dispatcher *dispatcher, __u64 when);

/*
 * Act on each notice that XDP has written. When this function returns, no thread acts on such a
 * notice any more. Thread safe.
 */
void xrdma_dispatcher_quiesce(struct xrdma_dispatcher *dispatcher);

#endif
