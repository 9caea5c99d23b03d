/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Event queues (fi_eq(3)). The library reports the results of asynchronous calls by events.
 * Applications can add events of their own. All calls are thread safe.
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
 * Open an event queue of CONTEXT. It has room for any number of events. Close *EQ with
 * xrdma_eq_close(). Returns 0 or -ENOMEM (no memory), -EMFILE (no file descriptor).
 */
XRDMA_API int xrdma_eq_open(struct xrdma_context *context, struct xrdma_eq **eq);

/* Close EQ, and drop unread events. Returns 0 or -EBUSY (objects are bound to EQ). */
XRDMA_API int xrdma_eq_close(struct xrdma_eq *eq);

#define XRDMA_REG_MR (1ULL << 59) /* flag of xrdma_pd_bind_eq(), with the bit of FI_* */

/*
 * Make registration in PD asynchronous, as fi_domain_bind() with FI_REG_MR. From now on
 * xrdma_mr_regattr() only checks its arguments. A thread of the context registers the memory, and
 * EQ reports the result. xrdma_mr_reg() remains synchronous. FLAGS is XRDMA_REG_MR. PD stays bound
 * until it is closed.
 *
 * Returns 0 or -EINVAL (EQ is of another context), -EBUSY (PD is bound), -XRDMA_EBADFLAGS (FLAGS is
 * not XRDMA_REG_MR), -EAGAIN (the process may not have more threads).
 */
XRDMA_API int xrdma_pd_bind_eq(struct xrdma_pd *pd, struct xrdma_eq *eq, __u64 flags);

/* Events of the library, with the numbers of FI_*. */
enum { XRDMA_EVENT_MR_COMPLETE = 4 };

/* Event with a context; compare struct fi_eq_entry. */
struct xrdma_eq_entry {
	void *fid;     /* for XRDMA_EVENT_MR_COMPLETE: the struct xrdma_mr */
	void *context; /* argument of the call */
	__u64 data;    /* 0 */
};

/* Event about an error; compare struct fi_eq_err_entry. */
struct xrdma_eq_err_entry {
	void *fid; /* NULL: there is no object */
	void *context;
	__u64 data;
	int err;	/* positive error number */
	int prov_errno; /* equal to err */
};

enum { XRDMA_EQ_POST_MAX = 65536 }; /* bytes of an event of the application */

/*
 * Add an event of the application to EQ, as fi_eq_write(): number EVENT with the LEN bytes of BUF.
 * Begin the bytes with a struct xrdma_eq_entry if readers expect one (fi_eq(3)). LEN may be 0.
 * FLAGS is 0.
 *
 * Returns LEN, or -EINVAL (LEN is more than XRDMA_EQ_POST_MAX), -XRDMA_EBADFLAGS (FLAGS is not 0),
 * -ENOMEM (no memory).
 */
XRDMA_API ssize_t xrdma_eq_post(struct xrdma_eq *eq, __u32 event, const void *buf, size_t len,
				__u64 flags);

#define XRDMA_PEEK (1ULL << 19) /* flag of xrdma_eq_read(), as FI_PEEK: keep the event */

/*
 * Take the oldest event of EQ, as fi_eq_read(). *EVENT becomes its number. BUF, a buffer of LEN
 * bytes, gets its bytes; those of an event of the library are a struct xrdma_eq_entry.
 *
 * Returns the number of bytes in BUF, or -EAGAIN (there is no event), -XRDMA_EAVAIL (the oldest
 * event is an error: call xrdma_eq_readerr()), -XRDMA_ETOOSMALL (the event has more than LEN
 * bytes), -XRDMA_EBADFLAGS (FLAGS is neither 0 nor XRDMA_PEEK).
 */
XRDMA_API ssize_t xrdma_eq_read(struct xrdma_eq *eq, __u32 *event, void *buf, size_t len,
				__u64 flags);

/*
 * Read an event like xrdma_eq_read(), but wait for one up to TIMEOUT milliseconds. -1 waits without
 * limit. Returns like xrdma_eq_read(), -EAGAIN (no event came in time), -EINTR (a signal came).
 */
XRDMA_API ssize_t xrdma_eq_sread(struct xrdma_eq *eq, __u32 *event, void *buf, size_t len,
				 int timeout, __u64 flags);

/*
 * Take the error at the head of EQ into *ENTRY, as fi_eq_readerr(). Afterwards xrdma_error()
 * describes it. Returns the size of *ENTRY, or -EAGAIN (the oldest event is not an error, or there
 * is none), -XRDMA_EBADFLAGS (FLAGS is neither 0 nor XRDMA_PEEK).
 */
XRDMA_API ssize_t xrdma_eq_readerr(struct xrdma_eq *eq, struct xrdma_eq_err_entry *entry,
				   __u64 flags);

/*
 * Return a file descriptor for poll(2), which is readable while EQ has an event. It belongs to EQ:
 * do not read from it or close it.
 */
XRDMA_API int xrdma_eq_fd(const struct xrdma_eq *eq);

#ifdef __cplusplus
}
#endif
#endif
