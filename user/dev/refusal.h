/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Why the kernel does not take the programs. */
#ifndef XRDMA_USER_DEV_REFUSAL_H
#define XRDMA_USER_DEV_REFUSAL_H

#include <xrdma/device.h>

struct xrdma_netdev;

/*
 * Say what the kernel's ERROR means, which loading the programs, or attaching to NETDEV the one
 * that stands there in MODE, ended in. What the kernel lacks is looked for now that it has refused,
 * never before. Returns -errno, and sets xrdma_error().
 */
int xrdma_refusal(const struct xrdma_netdev *netdev, enum xrdma_mode mode, int error);

#endif
