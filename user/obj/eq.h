/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Event queues: how the library binds objects to them and adds events. Thread safe. */
#ifndef XRDMA_USER_OBJ_EQ_H
#define XRDMA_USER_OBJ_EQ_H

#include <sys/queue.h>
#include <xrdma/eq.h>

/* An event in a queue. It is a block of malloc(), which the queue frees when the event is read. */
struct xrdma_event {
	STAILQ_ENTRY(xrdma_event) next;
	__u32 number;		     /* result of xrdma_eq_read() */
	int err;		     /* a negative error number, or 0: the event is not an error */
	char *message;		     /* text of the error, in a block of malloc(), or NULL */
	size_t len;		     /* bytes that a read returns */
	struct xrdma_eq_entry entry; /* first of these bytes */
	__u8 more[];		     /* other bytes */
};

/* Member of an object that can be bound to an event queue. */
struct xrdma_eq_link {
	struct xrdma_eq *eq; /* NULL: not bound */
};

/*
 * Bind the object of CONTEXT that has LINK to EQ. Undo this with xrdma_eq_unbind(). Returns 0 or,
 * with xrdma_error() set, -EINVAL (EQ belongs to another context) or -EBUSY (the object is bound).
 */
int xrdma_eq_bind(struct xrdma_eq_link *link, const struct xrdma_context *context,
		  struct xrdma_eq *eq);

/*
 * Unbind the object that has LINK and is being destroyed. No thread adds an event of the object any
 * more.
 */
void xrdma_eq_unbind(struct xrdma_eq_link *link);

/*
 * Add EVENT to EQ. If USERS is not NULL, it is decremented as soon as the event can be read: EVENT
 * was one of the users of an object.
 */
void xrdma_eq_add(struct xrdma_eq *eq, struct xrdma_event *event, __u32 *users);

#endif
