/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Loss of RoCE packets in both directions, at a netdev between the ends. */
#ifndef XRDMA_TESTS_LOSS_H
#define XRDMA_TESTS_LOSS_H

#include <linux/types.h>
#include <stdbool.h>

/*
 * Attach the program to DEVICE of this network namespace. Call loss_close() in the same namespace.
 * Returns false and prints an error if it cannot.
 */
bool loss_open(const char *device);
void loss_close(void);

void loss_set(__u32 per_mille);

/*
 * Returns the number of packets at the netdev in both directions, or the number of those that were
 * dropped.
 */
__u64 loss_seen(void);
__u64 loss_lost(void);

#endif
