/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Probe for native mode: do frames from an XDP program arrive? Some drivers have native XDP but
 * cannot send from it, or only while the other end has a program, too. Their counters do not
 * show this. So a program turns the ARP reply of a neighbour into another request. A reply to that
 * proves that the frame has left.
 */
#ifndef XRDMA_USER_DEV_PROBE_H
#define XRDMA_USER_DEV_PROBE_H

#include <xrdma/device.h>

/*
 * Probe the neighbours of the netdev IFINDEX, which has no XDP program before and after. It takes a
 * second if no neighbour replies, and up to five more if the driver takes its link down. Returns
 * XRDMA_REASON_PROVED, or the reason against native mode.
 */
enum xrdma_mode_reason xrdma_prove_native(__u32 ifindex);

#endif
