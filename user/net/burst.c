// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "net/burst.h"

#include <stdlib.h>

__u8 *xrdma_burst_room(struct xrdma_burst *burst, size_t len)
{
	if (burst->count == XRDMA_BURST_DATAGRAMS || len > XRDMA_BURST_BYTES - burst->used)
		return NULL;
	return burst->bytes + burst->used;
}

void xrdma_burst_add(struct xrdma_burst *burst, size_t len, struct xrdma_burst_mark mark)
{
	__u32 at = burst->count++;

	burst->parts[at] = (struct iovec){ burst->bytes + burst->used, len };
	burst->messages[at].msg_hdr = (struct msghdr){
		.msg_iov = &burst->parts[at],
		.msg_iovlen = 1,
	};
	burst->marks[at] = mark;
	burst->used += len;
}

void xrdma_bursts_init(struct xrdma_bursts *bursts)
{
	pthread_spin_init(&bursts->lock, PTHREAD_PROCESS_PRIVATE);
	bursts->free = NULL;
}

void xrdma_bursts_exit(struct xrdma_bursts *bursts)
{
	struct xrdma_burst *burst;

	while ((burst = bursts->free)) {
		bursts->free = burst->next;
		free(burst);
	}
}

struct xrdma_burst *xrdma_bursts_take(struct xrdma_bursts *bursts)
{
	struct xrdma_burst *burst;

	pthread_spin_lock(&bursts->lock);
	burst = bursts->free;
	if (burst)
		bursts->free = burst->next;
	pthread_spin_unlock(&bursts->lock);
	if (!burst)
		burst = malloc(sizeof(*burst));
	if (burst)
		burst->count = burst->used = 0;
	return burst;
}

void xrdma_bursts_give(struct xrdma_bursts *bursts, struct xrdma_burst *burst)
{
	pthread_spin_lock(&bursts->lock);
	burst->next = bursts->free;
	bursts->free = burst;
	pthread_spin_unlock(&bursts->lock);
}
