/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* TCP connections with a deadline for all steps. The calls set xrdma_error(). */
#ifndef XRDMA_USER_CM_STREAM_H
#define XRDMA_USER_CM_STREAM_H

#include <linux/types.h>
#include <stddef.h>

struct xrdma_stream {
	int fd;
	__u64 deadline; /* ms, CLOCK_MONOTONIC */
};

/* Do the work of xrdma_conn_listen(). */
int xrdma_stream_listen(const char *address, const char *port, int *listener);

/*
 * Chooser of the local address for connecting to DEST. It sets SOURCE, which is all 0 before: any
 * address. Addresses of IPv4 are ::ffff:a.b.c.d.
 */
struct xrdma_stream_chooser {
	int (*choose)(const __be32 dest[4], __be32 source[4], void *arg);
	void *arg;
	__u32 ifindex; /* the netdev that has the address */
};

/*
 * Open a stream, which must finish within WAIT_MS. Returns 0, -EINVAL (the address does not exist),
 * -EAGAIN (no peer has connected), or another -errno.
 */
int xrdma_stream_accept(int listener, __u32 wait_ms, struct xrdma_stream *stream);
int xrdma_stream_connect(const char *address, const char *port,
			 const struct xrdma_stream_chooser *chooser, __u32 wait_ms,
			 struct xrdma_stream *stream);
void xrdma_stream_close(struct xrdma_stream *stream);

/*
 * Send or receive all LEN bytes. These functions return 0, -ETIMEDOUT, -ECONNRESET (the peer has
 * closed the connection), or an error of the kernel.
 */
int xrdma_stream_send(struct xrdma_stream *stream, const void *bytes, size_t len);
int xrdma_stream_receive(struct xrdma_stream *stream, void *bytes, size_t len);

/*
 * Receive those of LEN bytes that have arrived, after the first *DONE. Returns 0 when all LEN are
 * there, -EAGAIN if some are missing, or an error of xrdma_stream_receive().
 */
int xrdma_stream_receive_some(struct xrdma_stream *stream, void *bytes, size_t len, size_t *done);

/* Get the local address and the peer's address. IPv4 is ::ffff:a.b.c.d. */
void xrdma_stream_addr(const struct xrdma_stream *stream, __be32 addr[4]);
void xrdma_stream_peer(const struct xrdma_stream *stream, __be32 addr[4]);

#endif
