/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Bind memory windows. key/windows.h declares their struct. */
#ifndef XRDMA_USER_KEY_MW_H
#define XRDMA_USER_KEY_MW_H

#include <xrdma/verdict.h>

#include "key/windows.h"
#include "lib/wr.h"

/*
 * Check the bind request WR before it is posted, through xrdma_mw_bind() if BY_CALL is set, else
 * through xrdma_qp_post_send() (IBA 11.4.1.1; ibv_bind_mw(3), ibv_post_send(3)). Returns 0 or
 * -EINVAL.
 */
int xrdma_mw_check(const struct xrdma_send_wr *wr, bool by_call);

/* Choose the next key of MW, a window of type 1. */
__u32 xrdma_mw_next_key(struct xrdma_mw *mw);

/* Extract the arguments of a bind from WR, which xrdma_mw_check() has accepted. */
struct xrdma_bind xrdma_mw_bind_of(const struct xrdma_send_wr *wr);

/*
 * Bind a window as BIND says, under KEY, for queue pair QPN of PD, and add it to WINDOWS, the list
 * of that queue pair. Returns XRDMA_V_OK, or the verdict on the request with nothing changed.
 */
enum xrdma_verdict xrdma_mw_execute(const struct xrdma_pd *pd, __u32 qpn,
				    struct xrdma_mw_list *windows, const struct xrdma_bind *bind,
				    __u32 key);

#endif
