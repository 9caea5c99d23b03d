/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Requests to the kernel by netlink. Thread safe. */
#ifndef XRDMA_USER_NET_NETLINK_H
#define XRDMA_USER_NET_NETLINK_H

#include <libmnl/libmnl.h>

/*
 * Send REQUEST to FAMILY (NETLINK_ROUTE, ...) and call VISIT with each message of the answer.
 * Returns 0, or -errno from the kernel or from VISIT: -EINTR if the answer is a list that has
 * changed meanwhile.
 */
int xrdma_netlink_request(int family, struct nlmsghdr *request, mnl_cb_t visit, void *arg);

#endif
