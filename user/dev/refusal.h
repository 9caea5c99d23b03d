/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Explain why the kernel refused the programs. */
#ifndef XRDMA_USER_DEV_REFUSAL_H
#define XRDMA_USER_DEV_REFUSAL_H

#include <xrdma/device.h>

struct xrdma_netdev;

/*
 * Explain the error number ERROR. The kernel returned it when the programs were loaded, or when the
 * program of MODE was attached to NETDEV. This function looks for features that the kernel lacks
 * only after a refusal. Returns -errno, and sets xrdma_error().
 */
int xrdma_refusal(const struct xrdma_netdev *netdev, enum xrdma_mode mode, int error);

#endif
