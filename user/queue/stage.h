/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Stages: memory that a request or a receive uses in place of what its segments name. XDP and
 * whoever makes packets know the stage's key alone.
 *
 * If one of them is an mkey's whose data are to be transformed (xrdma/sig.h), a stage is memory of
 * the heap with what goes over the wire. If they are the program's memory, without keys, it is such
 * memory too, or theirs, registered as long as the stage is there.
 */
#ifndef XRDMA_USER_QUEUE_STAGE_H
#define XRDMA_USER_QUEUE_STAGE_H

#include <xrdma/verdict.h>

#include "key/pd.h"
#include "key/region.h"

enum xrdma_stage_kind {
	XRDMA_STAGE_TRANSFORMS,
	XRDMA_STAGE_COPIES,
	XRDMA_STAGE_REGISTERS,
};

/* Of one request or receive. */
struct xrdma_stage {
	enum xrdma_stage_kind kind;
	STAILQ_ENTRY(xrdma_stage) next;
	struct xrdma_wc *wc; /* of the receive */
	struct xrdma_context *context;
	struct xrdma_sge sge;	    /* all of it */
	struct xrdma_region region; /* of REGISTERS; the others have what follows */
	struct xrdma_mkey_row *row; /* its key */
	__u8 *bytes;
	__u8 *memory; /* of TRANSFORMS: room for what a segment has in memory */
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

/*
 * The same for what QPN brings to SGES, which are memory of the program, whatever their keys. NULL
 * is for no bytes.
 */
int xrdma_stage_take_unregistered(struct xrdma_pd *pd, __u32 qpn, const struct xrdma_sge *sges,
				  __u32 num_sge, struct xrdma_stage **stage);

/* When it returns, no access to it is under way. No spin lock is held. */
void xrdma_stage_give(struct xrdma_stage *stage);
void xrdma_stages_give(struct xrdma_stages *stages);

/* All that follows returns XRDMA_V_OK, or what is wrong with a segment. */

/* Whether LEN bytes may land. */
enum xrdma_verdict xrdma_stage_check(struct xrdma_stage *stage, __u32 len);

/* Make what goes over the wire, of a stage that transforms. */
enum xrdma_verdict xrdma_stage_fill(struct xrdma_stage *stage);

/* Bring the LEN bytes that came over the wire to where they belong, or none of them. */
enum xrdma_verdict xrdma_stage_land(struct xrdma_stage *stage, __u32 len);

#endif
