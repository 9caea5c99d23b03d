/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * A device's program at tc ingress: of its netdev, and of lo, by which the host's own packets to
 * the netdev's addresses go. It stands before all that are there. Links (tcx, Linux 6.6) hold it
 * for as long as they are pinned; on older kernels it is a filter of a clsact qdisc, which is made
 * if there is none, and stays.
 */
#ifndef XRDMA_USER_DEV_TC_H
#define XRDMA_USER_DEV_TC_H

#include <stdbool.h>

struct xrdma_program_visitor;

/* Place of the program: at the netdev, or at lo, where each device has one too. */
enum xrdma_tc_place { XRDMA_TC_AT_NETDEV, XRDMA_TC_AT_LO, XRDMA_TC_PLACES };

/* The names that the links are pinned by. */
extern const char *const xrdma_tc_pins[XRDMA_TC_PLACES];

/*
 * Attach the program of file descriptor PROGRAM, of the netdev DEVICE. Returns 0 with the
 * descriptors of the links in LINKS, or -1 there where it is a filter; or -errno.
 */
int xrdma_tc_attach(int program, int device, int links[XRDMA_TC_PLACES]);

/* Close them: what is not pinned goes. */
void xrdma_tc_close(const int links[XRDMA_TC_PLACES]);

/*
 * Attach PROGRAM by filters of clsact, on every kernel. Returns 0 or -errno, -EEXIST: DEVICE has
 * them.
 */
int xrdma_tc_attach_filters(int program, int device);

/* Take the filters off that are of PROGRAM. Returns 0, also when there are none, or -errno. */
int xrdma_tc_detach_filters(int program, int device);

/*
 * Returns 1 if PROGRAM is at both places, else 0 or -errno. It is there by LINKS, or as a filter
 * where the link is negative.
 */
int xrdma_tc_attached(int program, const int links[XRDMA_TC_PLACES], int device);

/*
 * Tell VISITOR of the programs that see packets before PROGRAM does at tc ingress of the netdev
 * DEVICE, and of lo. Those of other devices of xrdma at lo, which let others' packets pass, are
 * left out. Returns what the last visit returned, or 0.
 */
int xrdma_tc_each_before(int program, int device, const struct xrdma_program_visitor *visitor);

#endif
