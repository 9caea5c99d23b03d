/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * A program at a netdev's tc ingress, before all others: by a link (tcx, Linux 6.6), which lasts as
 * long as its pin; on older kernels as a filter of the netdev's clsact qdisc, which is made when
 * there is none, and stays.
 */
#ifndef XRDMA_USER_DEV_TC_H
#define XRDMA_USER_DEV_TC_H

#include <stdbool.h>

/*
 * Attach the program of file descriptor PROGRAM. Returns 0 with the link's descriptor in *LINK, or
 * -1 there where it is a filter; or -errno.
 */
int xrdma_tc_attach(int program, int ifindex, int *link);

/* The same as a filter, whatever the kernel has. Returns 0 or -errno, -EEXIST: it has one. */
int xrdma_tc_attach_filter(int program, int ifindex);

/* Take the filter off, if it is of PROGRAM; 0 also when there is none. */
int xrdma_tc_detach_filter(int program, int ifindex);

/* Whether PROGRAM is there: by LINK, unless that is negative, or as a filter. */
bool xrdma_tc_attached(int program, int link, int ifindex);

#endif
