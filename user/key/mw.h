/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* What stands behind the handle of mw.h, and which windows are bound to what. */
#ifndef XRDMA_USER_KEY_MW_H
#define XRDMA_USER_KEY_MW_H

#include <xrdma/mw.h>
#include <xrdma/verdict.h>

#include "lib/wr.h"
#include "obj/context.h"

struct xrdma_mw {
	struct xrdma_pd *pd;
	struct xrdma_mkey_row *row;
	enum xrdma_mw_type type;
	__u32 number; /* that no other window of the context has had */
	__u32 key;    /* type 1: the next one, or the one that it has */
	/* With the lock of the notes. */
	bool bound;
	LIST_ENTRY(xrdma_mw) of_region, of_qp;
};

/*
 * Whether WR can be posted, BY_CALL of xrdma_mw_bind() or as it is (11.4.1.1; ibv_bind_mw(3),
 * ibv_post_send(3)). Returns 0 or -EINVAL.
 */
int xrdma_mw_check(const struct xrdma_send_wr *wr, bool by_call);

/* A key for the next time that the window, of type 1, is bound. */
__u32 xrdma_mw_next_key(struct xrdma_mw *mw);

/* What WR, which was checked, binds. */
struct xrdma_bind xrdma_mw_bind_of(const struct xrdma_send_wr *wr);

/*
 * Bind a window to a part of a region under KEY, or to none, for queue pair QPN of PD, whose
 * windows WINDOWS are. Returns XRDMA_V_OK or what is wrong; then nothing is changed.
 */
enum xrdma_verdict xrdma_mw_carry_out(const struct xrdma_pd *pd, __u32 qpn,
				      struct xrdma_mw_list *windows, const struct xrdma_bind *bind,
				      __u32 key);

/*
 * Make the region in ROW invalid. Returns 0 or -EBUSY: windows are bound to it. In between none can
 * be.
 */
int xrdma_mws_leave_region(struct xrdma_context *context, struct xrdma_mkey_row *row);

/* Whether a queue pair may be reset. Returns 0 or -EBUSY: it has bound windows of type 2A. */
int xrdma_mws_check_qp(struct xrdma_context *context, struct xrdma_mw_list *windows);

/* End the keys of WINDOWS, which a queue pair has that is no more. */
void xrdma_mws_leave_qp(struct xrdma_context *context, struct xrdma_mw_list *windows);

#endif
