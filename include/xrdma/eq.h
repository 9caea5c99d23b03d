/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Event queues (fi_eq(3)): the library reports the results of asynchronous calls, and applications
 * can add events of their own. All calls are thread safe.
 */
#ifndef XRDMA_EQ_H
#define XRDMA_EQ_H

#include <sys/types.h>

#include "pd.h"

#ifdef __cplusplus
extern "C" {
#endif

struct xrdma_eq;

/*
 * Open an event queue of CONTEXT, which has room for whatever comes. *EQ is to be closed by
 * xrdma_eq_close(). Returns 0 or -ENOMEM, -EMFILE (no memory, or no file descriptor).
 */
XRDMA_API int xrdma_eq_open(struct xrdma_context *context, struct xrdma_eq **eq);

/* Close EQ, and drop unread events. Returns 0 or -EBUSY (objects are bound to EQ). */
XRDMA_API int xrdma_eq_close(struct xrdma_eq *eq);

#define XRDMA_REG_MR (1ULL << 59) /* of xrdma_pd_bind_eq(), the bit of FI_* */

/*
 * Make registration in PD asynchronous, as fi_domain_bind() with FI_REG_MR: from now on
 * xrdma_mr_regattr() only checks its arguments, a thread of the context registers, and EQ reports
 * the result. xrdma_mr_reg() remains synchronous. FLAGS is XRDMA_REG_MR. PD is bound until it is
 * closed.
 *
 * Returns 0 or -EINVAL (EQ is of another context), -EBUSY (PD is bound), -XRDMA_EBADFLAGS (FLAGS is
 * not XRDMA_REG_MR), -EAGAIN (the process may not have more threads).
 */
XRDMA_API int xrdma_pd_bind_eq(struct xrdma_pd *pd, struct xrdma_eq *eq, __u64 flags);

/* Events, by numbers of FI_*. */
enum { XRDMA_EVENT_MR_COMPLETE = 4 };

/* Event with a context; compare struct fi_eq_entry. */
struct xrdma_eq_entry {
	void *fid;     /* of XRDMA_EVENT_MR_COMPLETE: the struct xrdma_mr */
	void *context; /* that the call was given */
	__u64 data;    /* 0 */
};

/* Event about an error; compare struct fi_eq_err_entry. */
struct xrdma_eq_err_entry {
	void *fid; /* NULL: there is no object */
	void *context;
	__u64 data;
	int err;	/* what the call would have returned, positive */
	int prov_errno; /* the same */
};

enum { XRDMA_EQ_POST_MAX = 65536 }; /* bytes of an event of the application */

/*
 * Add an event of the application's own to EQ: number EVENT with the LEN bytes of BUF, as
 * fi_eq_write(). Begin the bytes with a struct xrdma_eq_entry, as fi_eq(3) says, if readers expect
 * one. LEN may be 0. FLAGS is 0.
 *
 * Returns LEN, or -EINVAL (LEN is more than XRDMA_EQ_POST_MAX), -XRDMA_EBADFLAGS (FLAGS is not 0),
 * -ENOMEM.
 */
XRDMA_API ssize_t xrdma_eq_post(struct xrdma_eq *eq, __u32 event, const void *buf, size_t len,
				__u64 flags);

#define XRDMA_PEEK (1ULL << 19) /* of xrdma_eq_read(), the bit of FI_*: leave the event there */

/*
 * Take the oldest event: its number is written to *EVENT, and its bytes to BUF, a buffer of LEN
 * bytes, as fi_eq_read(). The bytes of an event of the library are a struct xrdma_eq_entry.
 *
 * Returns the bytes in BUF, or -EAGAIN (there is none), -XRDMA_EAVAIL (the oldest is an error,
 * which xrdma_eq_readerr() takes), -XRDMA_ETOOSMALL (LEN is less than the event has),
 * -XRDMA_EBADFLAGS (FLAGS is neither 0 nor XRDMA_PEEK).
 */
XRDMA_API ssize_t xrdma_eq_read(struct xrdma_eq *eq, __u32 *event, void *buf, size_t len,
				__u64 flags);

/*
 * Read an event like xrdma_eq_read(), but wait for one up to TIMEOUT milliseconds; -1 waits without
 * limit. Returns -EAGAIN if none came in time, and -EINTR after a signal.
 */
XRDMA_API ssize_t xrdma_eq_sread(struct xrdma_eq *eq, __u32 *event, void *buf, size_t len,
				 int timeout, __u64 flags);

/*
 * Take the error that is the oldest event, as fi_eq_readerr(); xrdma_error() says then what was
 * wrong. Returns the bytes of ENTRY, or -EAGAIN (the oldest is not an error, or there is none),
 * -XRDMA_EBADFLAGS (FLAGS is neither 0 nor XRDMA_PEEK).
 */
XRDMA_API ssize_t xrdma_eq_readerr(struct xrdma_eq *eq, struct xrdma_eq_err_entry *entry,
				   __u64 flags);

/*
 * The file descriptor that poll(2) and its like find readable while there is an event. It is EQ's:
 * nothing else is to be done with it.
 */
XRDMA_API int xrdma_eq_fd(const struct xrdma_eq *eq);

#ifdef __cplusplus
}
#endif
#endif
