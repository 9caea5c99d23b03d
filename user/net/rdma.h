/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* RDMA devices of the kernel's, such as rdma_rxe's. */
#ifndef XRDMA_USER_NET_RDMA_H
#define XRDMA_USER_NET_RDMA_H

#include <stdbool.h>

/* Whether one has the netdev NETDEV: sends and receives by it, at the same UDP port. */
bool xrdma_rdma_has(const char *netdev);

#endif
