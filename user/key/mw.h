/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Windows: what can be bound, and how it is. Their struct is in key/windows.h. */
#ifndef XRDMA_USER_KEY_MW_H
#define XRDMA_USER_KEY_MW_H

#include <xrdma/verdict.h>

#include "key/windows.h"
#include "lib/wr.h"

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

#endif
