/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* What stands behind the handle of qp.h. */
#ifndef XRDMA_USER_QP_H
#define XRDMA_USER_QP_H

#include <xrdma/qp.h>

#include "context.h"
#include "cq.h"
#include "fetches.h"
#include "rq.h"
#include "sq.h"

enum { XRDMA_PKEY_DEFAULT = 0xffff }; /* of index 0 (10.9.1.2) */

struct xrdma_qp {
	struct xrdma_pd *pd;
	struct xrdma_qp_row *row; /* what XDP knows of it */
	__u32 qpn;
	__u8 mac[6]; /* of the next hop, from RTR on */
	__u8 own_mac[6];
	struct xrdma_qp_init_attr init;
	struct xrdma_qp_attr attr; /* what was set, and the state */
	struct xrdma_sq sq;
	struct xrdma_rq rq;
	struct xrdma_fetches fetches;
	TAILQ_ENTRY(xrdma_qp) sender;	   /* while the send queue is not empty */
	TAILQ_ENTRY(xrdma_qp) flushing;	   /* in ERR, while the receive queue is not empty */
	enum xrdma_wc_status flush_status; /* of the next receive that is flushed */
	__u32 flush_after;		   /* entry of the completion queue */
};

/* Back to RESET: when it returns, XDP uses the row no more. The context's lock is held. */
void xrdma_qp_reset(struct xrdma_qp *qp);

/* Into ERR: when it returns, nothing is answered or sent any more. The context's lock is held. */
void xrdma_qp_stop(struct xrdma_qp *qp);

/* The receives of a queue pair in ERR are to be flushed: there are some now. The context's lock is held. */
void xrdma_qp_flush(struct xrdma_qp *qp);

/* Move a queue pair whose responder has refused a request into ERR (9.9.3). The context's lock is held. */
void xrdma_qp_notice(struct xrdma_qp *qp);

#endif
