/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Transitions between the states of a queue pair (IBA 10.3.1; ibv_modify_qp(3)). */
#ifndef XRDMA_USER_RUN_TRANSITION_H
#define XRDMA_USER_RUN_TRANSITION_H

#include <xrdma/qp.h>

/*
 * Check a change of QP to the attributes of ATTR that MASK names. QP is locked.
 *
 * Returns 0 or -EINVAL (there is no such transition, MASK lacks an attribute or has one too many,
 * or a value is out of its range), -EPERM (a privileged Q_Key without CAP_NET_RAW), -EBUSY (packets
 * in flight still need an attribute).
 */
int xrdma_transition_check(const struct xrdma_qp *qp, const struct xrdma_qp_attr *attr,
			   unsigned int mask);

#endif
