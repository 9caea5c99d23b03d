/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * A burst contains datagrams that are sent by one system call. Consecutive datagrams of one length
 * to one destination form one message, and a shorter one may end it. The kernel segments a message
 * as late as it can: see UDP_SEGMENT in udp(7). Only one thread at a time may use a burst. The list
 * of unused bursts of a context is thread safe.
 */
#ifndef XRDMA_USER_NET_BURST_H
#define XRDMA_USER_NET_BURST_H

#include <linux/types.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>

#include "lib/mutex.h"
#include "net/path.h"

enum {
	XRDMA_BURST_MESSAGES = 64,
	XRDMA_BURST_BYTES = 1 << 16,
	XRDMA_BURST_SEGMENTS = 32,	   /* of a message: our peers accept 33 (hook_tc.bpf.h) */
	XRDMA_BURST_MESSAGE_BYTES = 65000, /* payload of the largest IP packet */
};

/* Value that the sender attaches to a datagram. */
struct xrdma_burst_mark {
	__u64 packet;
	__u64 request;
};

/*
 * Control messages of a message: the segment size, if it has several datagrams, and the source
 * address, the hop limit and the traffic class, if the socket is used for several destinations.
 */
struct xrdma_burst_control {
	_Alignas(
		struct cmsghdr) __u8 bytes[CMSG_SPACE(sizeof(struct in6_pktinfo)) +
					   2 * CMSG_SPACE(sizeof(int)) + CMSG_SPACE(sizeof(__u16))];
};

struct xrdma_burst {
	struct xrdma_burst *next;    /* next unused burst */
	__u32 count;		     /* number of messages */
	__u32 used;		     /* bytes */
	__u32 segments;		     /* of the last message */
	__u32 segment;		     /* bytes of its first */
	bool is_open;		     /* another datagram may join the last message */
	const struct xrdma_path *to; /* destination of the next datagram; NULL: the socket's */
	struct xrdma_burst_mark marks[XRDMA_BURST_MESSAGES]; /* of the first datagrams */
	bool is_segmented[XRDMA_BURST_MESSAGES];	     /* the kernel segments the message */
	struct iovec parts[XRDMA_BURST_MESSAGES];
	struct mmsghdr messages[XRDMA_BURST_MESSAGES];
	struct xrdma_burst_control controls[XRDMA_BURST_MESSAGES];
	struct sockaddr_in6
		names[XRDMA_BURST_MESSAGES]; /* destinations, if they are not the socket's */
	/*
	 * Room for the headers of IP and UDP, which the ICRC covers. The kernel writes the real
	 * ones.
	 */
	_Alignas(8) __u8 headers[64];
	__u8 bytes[XRDMA_BURST_BYTES];
};

/* Remove all datagrams from BURST. */
void xrdma_burst_clear(struct xrdma_burst *burst);

/* Make the next datagram begin a new message. */
void xrdma_burst_cut(struct xrdma_burst *burst);

/*
 * Send the next datagrams along PATH, which must exist until they were added. The socket must be
 * one of xrdma_udp_open_any().
 */
void xrdma_burst_set_path(struct xrdma_burst *burst, const struct xrdma_path *path);

/* Returns the index in its message that a next datagram of LEN bytes would get, beginning at 0. */
__u32 xrdma_burst_number(const struct xrdma_burst *burst, size_t len);

/* Returns room for a datagram of LEN bytes, or NULL if BURST is full. */
__u8 *xrdma_burst_room(struct xrdma_burst *burst, size_t len);

/* Add the LEN bytes that xrdma_burst_room() returned as a datagram with MARK. */
void xrdma_burst_add(struct xrdma_burst *burst, size_t len, struct xrdma_burst_mark mark);

/*
 * Unused bursts of a context. Their number is the largest number of threads that have sent at one
 * time.
 */
struct xrdma_bursts {
	struct xrdma_spin lock; /* held for a few instructions */
	struct xrdma_burst *free;
};

void xrdma_bursts_init(struct xrdma_bursts *bursts);
void xrdma_bursts_exit(struct xrdma_bursts *bursts);

/* Returns an empty burst, or NULL if there is no memory. */
struct xrdma_burst *xrdma_bursts_take(struct xrdma_bursts *bursts);
void xrdma_bursts_give(struct xrdma_bursts *bursts, struct xrdma_burst *burst);

#endif
