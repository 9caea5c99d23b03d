/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * A device has a program at tc ingress of its netdev, and one at tc ingress of lo. The host's
 * packets to the netdev's addresses go through lo. The program runs before all programs that are
 * there when it is attached. With tcx (Linux 6.6), it stays attached as long as its link is pinned.
 * On older kernels it is a filter of the netdev's clsact qdisc. If there is no such qdisc, it is
 * added, and remains.
 */
#ifndef XRDMA_USER_DEV_TC_H
#define XRDMA_USER_DEV_TC_H

#include <stdbool.h>

struct xrdma_program_visitor;

/* Places of a device's program. */
enum xrdma_tc_place { XRDMA_TC_AT_NETDEV, XRDMA_TC_AT_LO, XRDMA_TC_PLACES };

/* Names of the pins of the links. */
extern const char *const xrdma_tc_pins[XRDMA_TC_PLACES];

/*
 * Attach program PROGRAM (a file descriptor) of the netdev DEVICE at all places. Returns 0, and
 * sets LINKS to file descriptors, or to -1 where the program is a filter. Returns -errno on error.
 */
int xrdma_tc_attach(int program, int device, int links[XRDMA_TC_PLACES]);

/* Close LINKS. A link without a pin is detached. */
void xrdma_tc_close(const int links[XRDMA_TC_PLACES]);

/*
 * Attach PROGRAM by filters of clsact, which all kernels have. Returns 0, -EEXIST (DEVICE has
 * filters already), or another -errno.
 */
int xrdma_tc_attach_filters(int program, int device);

/* Detach the filters of PROGRAM. Returns 0, also when there are none, or -errno. */
int xrdma_tc_detach_filters(int program, int device);

/*
 * Returns 1 if PROGRAM is attached at all places, 0 if it is not, or -errno. Where a link of LINKS
 * is negative, the program is a filter.
 */
int xrdma_tc_attached(int program, const int links[XRDMA_TC_PLACES], int device);

/*
 * Call VISITOR for each program that gets packets before PROGRAM at tc ingress of the netdev
 * DEVICE, or of lo. Programs of other xrdma devices at lo are left out, because they pass on
 * packets for others. Returns 0, or the result of the visit that stopped the search.
 */
int xrdma_tc_each_before(int program, int device, const struct xrdma_program_visitor *visitor);

#endif
