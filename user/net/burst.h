/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Bursts: datagrams to one peer that are sent by one system call, and those of a context that are
 * free. Datagrams of one length, and a shorter one behind them, are one message, which the kernel
 * cuts as late as it can (udp(7), UDP_SEGMENT). One burst is one thread's at a time; those that are
 * free are thread safe.
 */
#ifndef XRDMA_USER_NET_BURST_H
#define XRDMA_USER_NET_BURST_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>

#include "lib/mutex.h"

enum {
	XRDMA_BURST_MESSAGES = 64,
	XRDMA_BURST_BYTES = 1 << 16,
	XRDMA_BURST_SEGMENTS = 32, /* of a message: our own peers look at 33 (hook_tc.bpf.h) */
	XRDMA_BURST_MESSAGE_BYTES = 65000, /* what an IP packet has room for beside its headers */
};

/* The sender's mark on a datagram. */
struct xrdma_burst_mark {
	__u64 packet;
	__u64 request;
};

/* Control message for several datagrams. */
struct xrdma_burst_control {
	_Alignas(struct cmsghdr) __u8 bytes[CMSG_SPACE(sizeof(__u16))];
};

struct xrdma_burst {
	struct xrdma_burst *next;			     /* one that is free too */
	__u32 count;					     /* of messages */
	__u32 used;					     /* bytes */
	__u32 segments;					     /* of the last message */
	__u32 segment;					     /* bytes of its first */
	bool is_open;					     /* another one may join it */
	struct xrdma_burst_mark marks[XRDMA_BURST_MESSAGES]; /* of the first of each */
	struct iovec parts[XRDMA_BURST_MESSAGES];
	struct mmsghdr messages[XRDMA_BURST_MESSAGES];
	struct xrdma_burst_control controls[XRDMA_BURST_MESSAGES];
	/* For those of IP and UDP, which the ICRC covers and the kernel writes. */
	_Alignas(8) __u8 headers[64];
	__u8 bytes[XRDMA_BURST_BYTES];
};

/* Forget all that is in it. */
void xrdma_burst_clear(struct xrdma_burst *burst);

/* Let the next datagram begin a message. */
void xrdma_burst_cut(struct xrdma_burst *burst);

/*
 * Return the index in its message that the next datagram would have with LEN bytes: 0 is the first.
 */
__u32 xrdma_burst_number(const struct xrdma_burst *burst, size_t len);

/* Room for a datagram of LEN bytes; NULL: the burst is full. */
__u8 *xrdma_burst_room(struct xrdma_burst *burst, size_t len);

/* The LEN bytes that there was room for belong to it now. */
void xrdma_burst_add(struct xrdma_burst *burst, size_t len, struct xrdma_burst_mark mark);

/* Free bursts of a context: as many as threads have sent at one time. */
struct xrdma_bursts {
	struct xrdma_spin lock; /* held for some steps */
	struct xrdma_burst *free;
};

void xrdma_bursts_init(struct xrdma_bursts *bursts);
void xrdma_bursts_exit(struct xrdma_bursts *bursts);

/* One that is empty; NULL: there is no memory. */
struct xrdma_burst *xrdma_bursts_take(struct xrdma_bursts *bursts);
void xrdma_bursts_give(struct xrdma_bursts *bursts, struct xrdma_burst *burst);

#endif
