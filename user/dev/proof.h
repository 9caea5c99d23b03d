/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Whether what an XDP program sends from a netdev arrives. Some drivers have native XDP and cannot
 * send from it, or only while the peer has a program too, and a driver's counters do not tell. So a
 * program of its own turns the ARP reply of a neighbour into another question, which only an answer
 * that left can have made it answer.
 */
#ifndef XRDMA_USER_DEV_PROOF_H
#define XRDMA_USER_DEV_PROOF_H

#include <xrdma/device.h>

/*
 * Ask the neighbours of the netdev IFINDEX, which has no XDP program before and after. Takes a
 * second when none of them answers, and up to five more if the driver takes its link down. Returns
 * XRDMA_REASON_PROVED, or what speaks against native mode.
 */
enum xrdma_mode_reason xrdma_prove_native(__u32 ifindex);

#endif
