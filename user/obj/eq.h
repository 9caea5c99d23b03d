/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Event queues: how objects are bound to them, and how the library adds events. Thread safe. */
#ifndef XRDMA_USER_OBJ_EQ_H
#define XRDMA_USER_OBJ_EQ_H

#include <sys/queue.h>
#include <xrdma/eq.h>

/* An event in a queue. It is a block of malloc(), which the queue frees when the event is read. */
struct xrdma_event {
	STAILQ_ENTRY(xrdma_event) next;
	__u32 number;		     /* as xrdma_eq_read() returns it */
	int err;		     /* a negative error number, or 0: the event is not an error */
	char *message;		     /* of the error, in a block of malloc(), or NULL */
	size_t len;		     /* bytes that are read */
	struct xrdma_eq_entry entry; /* the first of these bytes */
	__u8 more[];		     /* the others */
};

/* The event queue that an object is bound to, as a part of the object. */
struct xrdma_eq_link {
	struct xrdma_eq *eq; /* or NULL */
};

/*
 * Bind the object that has LINK, and is of CONTEXT, to EQ. Undo it with xrdma_eq_unbind(). Returns
 * 0 or, with xrdma_error() set, -EINVAL (EQ is of another context), -EBUSY (the object is bound).
 */
int xrdma_eq_bind(struct xrdma_eq_link *link, const struct xrdma_context *context,
		  struct xrdma_eq *eq);

/* The object that has LINK ends: no thread adds an event of the object any more. */
void xrdma_eq_unbind(struct xrdma_eq_link *link);

/*
 * Add EVENT to EQ. If USERS is not NULL, EVENT was one of the users of an object that are counted
 * there: it is none any more when it can be read.
 */
void xrdma_eq_add(struct xrdma_eq *eq, struct xrdma_event *event, __u32 *users);

#endif
