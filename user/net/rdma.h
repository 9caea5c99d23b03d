/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* RDMA devices of the kernel, such as that of rdma_rxe. */
#ifndef XRDMA_USER_NET_RDMA_H
#define XRDMA_USER_NET_RDMA_H

#include <stdbool.h>

/* Returns whether an RDMA device uses the netdev NETDEV, and so the same UDP port. */
bool xrdma_rdma_has(const char *netdev);

#endif
