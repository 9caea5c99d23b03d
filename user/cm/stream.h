/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* TCP connections whose every step ends by a deadline. The calls set xrdma_error(). */
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
 * Says by which own address to go to DEST, in SOURCE, which is all 0: any. IPv4 as ::ffff:a.b.c.d.
 */
struct xrdma_stream_chooser {
	int (*choose)(const __be32 dest[4], __be32 source[4], void *arg);
	void *arg;
	__u32 ifindex; /* of the netdev that has the address */
};

/*
 * Open a stream with a time limit of WAIT_MS for all that it does. Returns 0 or -errno; -EINVAL:
 * the address does not exist; -EAGAIN: nobody has connected.
 */
int xrdma_stream_accept(int listener, __u32 wait_ms, struct xrdma_stream *stream);
int xrdma_stream_connect(const char *address, const char *port,
			 const struct xrdma_stream_chooser *chooser, __u32 wait_ms,
			 struct xrdma_stream *stream);
void xrdma_stream_close(struct xrdma_stream *stream);

/*
 * All LEN bytes. Return 0 or -ETIMEDOUT, -ECONNRESET (the peer has gone), or what the kernel said.
 */
int xrdma_stream_send(struct xrdma_stream *stream, const void *bytes, size_t len);
int xrdma_stream_receive(struct xrdma_stream *stream, void *bytes, size_t len);

/*
 * Receive what has come of LEN bytes, of which *DONE are there already. Returns 0 when all are
 * there, -EAGAIN if more are to come, or as xrdma_stream_receive().
 */
int xrdma_stream_receive_some(struct xrdma_stream *stream, void *bytes, size_t len, size_t *done);

/* The own address and the peer's, IPv4 as ::ffff:a.b.c.d. */
void xrdma_stream_addr(const struct xrdma_stream *stream, __be32 addr[4]);
void xrdma_stream_peer(const struct xrdma_stream *stream, __be32 addr[4]);

#endif
