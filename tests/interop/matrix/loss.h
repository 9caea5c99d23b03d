/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Loss of RoCE packets at a netdev between the ends, both ways. */
#ifndef XRDMA_TESTS_LOSS_H
#define XRDMA_TESTS_LOSS_H

#include <linux/types.h>
#include <stdbool.h>

/*
 * At DEVICE of this network namespace; close from within it. False: it cannot be, which is printed.
 */
bool loss_open(const char *device);
void loss_close(void);

void loss_set(__u32 per_mille);

/* Packets that came to the netdev, both ways, and those of them that were lost. */
__u64 loss_seen(void);
__u64 loss_lost(void);

#endif
