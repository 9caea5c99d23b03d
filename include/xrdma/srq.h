/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Shared receive queues (IBA 10.2.9, 11.2.3; ibv_create_srq(3)). Queue pairs of RC, UC and UD take
 * their receives from one queue, each receive for one message. Receives complete in any order, in
 * the completion queue of the queue pair that took them. All calls are thread safe.
 *
 * A queue pair takes a receive when a message begins. If the queue pair stops before the message is
 * complete, this receive completes with an error. If the queue pair is reset or destroyed, the
 * receive goes back to the shared queue.
 */
#ifndef XRDMA_SRQ_H
#define XRDMA_SRQ_H

#include "pd.h"
#include "wr.h"

#ifdef __cplusplus
extern "C" {
#endif

struct xrdma_srq;

/* Attributes of a shared receive queue; compare struct ibv_srq_attr. */
struct xrdma_srq_attr {
	size_t sz;	/* of this struct */
	__u32 max_wr;	/* receives, 1 to XRDMA_RECV_WR_MAX */
	__u32 max_sge;	/* data segments of each, up to XRDMA_RECV_SGE_MAX */
	__u32 limit;	/* see xrdma_srq_modify(); 0: none */
	__u32 reserved; /* 0 */
};

/*
 * Create a shared receive queue of PD. Destroy *SRQ with xrdma_srq_destroy().
 *
 * Returns 0 or -EINVAL (max_wr or max_sge is out of its range), -ENOMEM (the context has no more
 * srqs or segments, or no memory).
 */
XRDMA_API int xrdma_srq_create(struct xrdma_pd *pd, const struct xrdma_srq_attr *attr,
			       struct xrdma_srq **srq);

enum { XRDMA_SRQ_LIMIT = 1 << 1 }; /* in a mask, as IBV_SRQ_LIMIT */

/*
 * Set the limit of SRQ, as ibv_modify_srq(3). MASK is XRDMA_SRQ_LIMIT. When fewer receives than
 * ATTR->limit are left, or now if it is so already, there is one event SRQ_LIMIT_REACHED (async.h).
 * The limit becomes 0 with it. The number of receives cannot be changed.
 *
 * Returns 0 or -EINVAL (the limit is above max_wr), -EOPNOTSUPP (MASK has other bits).
 */
XRDMA_API int xrdma_srq_modify(struct xrdma_srq *srq, const struct xrdma_srq_attr *attr,
			       unsigned int mask);

/* Destroy SRQ, as ibv_destroy_srq(3). Returns 0 or -EBUSY (queue pairs use it). */
XRDMA_API int xrdma_srq_destroy(struct xrdma_srq *srq);

/*
 * Return the attributes of SRQ in *ATTR, as ibv_query_srq(3). Set ATTR->sz before. Returns 0 or
 * -EINVAL (ATTR->sz is not a size of the struct).
 */
XRDMA_API int xrdma_srq_query(struct xrdma_srq *srq, struct xrdma_srq_attr *attr);

/*
 * Post the chain of receives that begins with WR, in order, as ibv_post_srq_recv(3). Their memory
 * belongs to them until they are complete.
 *
 * After an error *BAD is the first receive that was not posted; all receives before it were posted.
 * Returns 0 or -EINVAL (too many segments), -ENOMEM (the queue is full; or, in a domain without
 * XRDMA_MR_MODE_LOCAL, the heap has no room, or there are no more keys).
 */
XRDMA_API int xrdma_srq_post_recv(struct xrdma_srq *srq, const struct xrdma_recv_wr *wr,
				  const struct xrdma_recv_wr **bad);

#ifdef __cplusplus
}
#endif
#endif
