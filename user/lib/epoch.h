/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Revocation, the side of who revokes; bpf/obj/epoch.bpf.h is the other. */
#ifndef XRDMA_USER_LIB_EPOCH_H
#define XRDMA_USER_LIB_EPOCH_H

#include <stddef.h>
#include <xrdma/abi/device.h>

struct xrdma_epochs {
	const struct xrdma_epoch *cpus;
	__u32 count;
};

/*
 * Map the rows of a device's xrdma_epochs, of which FD may be closed afterwards. Returns 0 or
 * -errno.
 */
int xrdma_epochs_map(struct xrdma_epochs *epochs, int fd);

void xrdma_epochs_unmap(struct xrdma_epochs *epochs);

/*
 * Wait until no program run that began before the call is under way, so that none still uses what
 * the caller overwrote before. Thread safe. A run takes about a microsecond, and nothing longer
 * than a run is waited for.
 */
void xrdma_epochs_wait(const struct xrdma_epochs *epochs);

#endif
