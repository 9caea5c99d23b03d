/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Epochs of program runs, for the thread that revokes; bpf/obj/epoch.bpf.h is the other side. */
#ifndef XRDMA_USER_LIB_EPOCH_H
#define XRDMA_USER_LIB_EPOCH_H

#include <stddef.h>
#include <xrdma/abi/device.h>

struct xrdma_epochs {
	const struct xrdma_epoch *cpus;
	__u32 count;
};

/* Map the rows of a device's xrdma_epochs. FD may be closed afterwards. Returns 0 or -errno. */
int xrdma_epochs_map(struct xrdma_epochs *epochs, int fd);

void xrdma_epochs_unmap(struct xrdma_epochs *epochs);

/*
 * Wait until all program runs that began before the call have ended. Afterwards none uses values
 * that the caller has overwritten before. Thread safe. A run takes about a microsecond, and the
 * wait is not longer than a run.
 */
void xrdma_epochs_wait(const struct xrdma_epochs *epochs);

#endif
