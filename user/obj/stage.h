/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Stages: memory of the heap that a request or a receive uses in place of its own, if that is an
 * mkey's whose data are to be transformed (xrdma/sig.h). What stands there is what goes over the
 * wire. XDP and whoever makes packets know the stage's key alone.
 */
#ifndef XRDMA_USER_OBJ_STAGE_H
#define XRDMA_USER_OBJ_STAGE_H

#include <xrdma/verdict.h>

#include "obj/context.h"

/* Of one request or receive. */
struct xrdma_stage {
	STAILQ_ENTRY(xrdma_stage) next;
	struct xrdma_wc *wc; /* of the receive */
	struct xrdma_context *context;
	struct xrdma_mkey_row *row; /* its key */
	struct xrdma_sge sge;	    /* all of it */
	__u8 *bytes;
	__u8 *memory; /* room for what a segment has in memory */
	__u32 pd;
	__u32 qpn;
	__u32 right; /* XRDMA_ACCESS_*, of what is used */
	__u32 num_sge;
	struct xrdma_sge sges[]; /* what is used in its place */
};

STAILQ_HEAD(xrdma_stages, xrdma_stage);

/*
 * A stage for what QPN of PD uses SGES for, which must allow RIGHT, or NULL if it needs none.
 * Returns 0 or -ENOMEM. To be given back.
 */
int xrdma_stage_take(struct xrdma_pd *pd, __u32 qpn, __u32 right, const struct xrdma_sge *sges,
		     __u32 num_sge, struct xrdma_stage **stage);

/* When it returns, no access to it is under way. No spin lock is held. */
void xrdma_stage_give(struct xrdma_stage *stage);
void xrdma_stages_give(struct xrdma_stages *stages);

/* All that follows returns XRDMA_V_OK, or what is wrong with a segment. */

/* Whether LEN bytes may land. */
enum xrdma_verdict xrdma_stage_check(struct xrdma_stage *stage, __u32 len);

/* Make what goes over the wire. */
enum xrdma_verdict xrdma_stage_fill(struct xrdma_stage *stage);

/* Bring the LEN bytes that came over the wire to where they belong, or none of them. */
enum xrdma_verdict xrdma_stage_land(struct xrdma_stage *stage, __u32 len);

#endif
