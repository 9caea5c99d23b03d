/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Bursts: datagrams to one peer that are sent by one system call, and those of a context that are
 * free. One burst is one thread's at a time; those that are free are thread safe.
 */
#ifndef XRDMA_USER_NET_BURST_H
#define XRDMA_USER_NET_BURST_H

#include <linux/types.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/socket.h>

enum {
	XRDMA_BURST_DATAGRAMS = 64,
	XRDMA_BURST_BYTES = 1 << 16,
};

/* What the sender knows of a datagram. */
struct xrdma_burst_mark {
	__u64 packet;
	__u64 request;
};

struct xrdma_burst {
	struct xrdma_burst *next; /* one that is free too */
	__u32 count;
	__u32 used; /* bytes */
	struct xrdma_burst_mark marks[XRDMA_BURST_DATAGRAMS];
	struct iovec parts[XRDMA_BURST_DATAGRAMS];
	struct mmsghdr messages[XRDMA_BURST_DATAGRAMS];
	/* For those of IP and UDP, which the ICRC covers and the kernel writes. */
	_Alignas(8) __u8 headers[64];
	__u8 bytes[XRDMA_BURST_BYTES];
};

/* Room for a datagram of LEN bytes; NULL: the burst is full. */
__u8 *xrdma_burst_room(struct xrdma_burst *burst, size_t len);

/* The LEN bytes that there was room for belong to it now. */
void xrdma_burst_add(struct xrdma_burst *burst, size_t len, struct xrdma_burst_mark mark);

/* Those of a context that are free: as many as there were threads that sent at one time. */
struct xrdma_bursts {
	pthread_spinlock_t lock; /* held for some steps; the last of the order (context.h) */
	struct xrdma_burst *free;
};

void xrdma_bursts_init(struct xrdma_bursts *bursts);
void xrdma_bursts_exit(struct xrdma_bursts *bursts);

/* One that is empty; NULL: there is no memory. */
struct xrdma_burst *xrdma_bursts_take(struct xrdma_bursts *bursts);
void xrdma_bursts_give(struct xrdma_bursts *bursts, struct xrdma_burst *burst);

#endif
