/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* How frames leave a netdev: a packet socket past the queueing discipline. Not thread safe: the context's lock is held. */
#ifndef XRDMA_USER_TRANSMIT_H
#define XRDMA_USER_TRANSMIT_H

#include "pkt.bpf.h"

struct xrdma_transmit {
	int fd;
	struct xrdma_frame frame; /* the next one is built here */
};

/* Returns 0, -EPERM without CAP_NET_RAW, or -ENODEV. Sets xrdma_error(). */
int xrdma_transmit_open(struct xrdma_transmit *transmit, __u32 ifindex);
void xrdma_transmit_close(struct xrdma_transmit *transmit);

/* Send the first LEN bytes of the frame. False: there is no room now. A frame that the netdev refuses counts as lost. */
bool xrdma_transmit_send(struct xrdma_transmit *transmit, size_t len);

#endif
