/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* What stands behind the handle of qp.h. */
#ifndef XRDMA_USER_OBJ_QP_H
#define XRDMA_USER_OBJ_QP_H

#include <xrdma/qp.h>

#include "obj/context.h"
#include "obj/cq.h"
#include "obj/rd_atomic.h"
#include "obj/rq.h"
#include "obj/sq.h"

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
	struct xrdma_rd_atomics rd_atomics;
	TAILQ_ENTRY(xrdma_qp) sender;	   /* while the send queue is not empty */
	struct xrdma_finished sends;	   /* that are acknowledged, or flushed in ERR */
	struct xrdma_finished receives;	   /* that are flushed in ERR */
	enum xrdma_wc_status flush_status; /* of the next receive that is flushed */
};

/* Back to RESET: when it returns, XDP uses the row no more. The context's lock is held. */
void xrdma_qp_reset(struct xrdma_qp *qp);

/*
 * Into ERR: when it returns, no packet to it is handled and none is sent. The context's lock is
 * held.
 */
void xrdma_qp_stop(struct xrdma_qp *qp);

/*
 * What has become complete without XDP, if anything has, is polled after all that was before:
 * requests that are acknowledged, and in ERR all that are left, and all receives. The context's
 * lock is held.
 */
void xrdma_qp_finish(struct xrdma_qp *qp);

/*
 * Move a queue pair whose responder has refused a request into ERR (9.9.3). The context's lock is
 * held.
 */
void xrdma_qp_notice(struct xrdma_qp *qp);

#endif
