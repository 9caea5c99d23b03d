/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Connections between two programs of this library: what their queue pairs must know of each other
 * (QPN, first PSN, address, UDP source port, path MTU) goes over TCP, in the messages of the IB
 * connection manager (REQ, REP, RTU; IBA 12.6), of which the first two have private data of the
 * application, such as the key of a region, and one more. TCP is used for nothing else. A program
 * that exchanges all this by itself calls xrdma_qp_modify() instead. All calls are thread safe.
 */
#ifndef XRDMA_CONN_H
#define XRDMA_CONN_H

#include "qp.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
	XRDMA_CONN_PRIVATE_MAX = 192, /* bytes */
	XRDMA_CONN_WAIT_MS = 5000,
};

/* 0 stands for the default. */
struct xrdma_conn_attr {
	size_t sz;    /* of this struct */
	__u32 access; /* XRDMA_ACCESS_REMOTE_*: what the peer may ask for; default none */
	/*
	 * The time in ms in which a peer is to send all its messages; default XRDMA_CONN_WAIT_MS.
	 * TCP sends a segment that was lost again after up to 3 s.
	 */
	__u32 wait_ms;
	/* At most; default what the device carries. The smaller of both peers' is taken. */
	__u16 path_mtu;
	__u16 private_len; /* bytes for the peer, up to XRDMA_CONN_PRIVATE_MAX */
	const void *private_data;
	/*
	 * Address of the device, IPv4 as ::ffff:a.b.c.d, by which xrdma_conn_connect() goes by TCP
	 * too. Default: that of the TCP connection; to another netdev of the same host, the
	 * device's first of the family.
	 */
	__be32 source[4];
};

struct xrdma_conn_peer {
	size_t sz; /* of this struct, set by the caller */
	__u32 qpn;
	__be32 addr[4]; /* IPv4 as ::ffff:a.b.c.d */
	__u16 path_mtu; /* of the connection, bytes */
	__u16 private_len;
	__u8 private_data[XRDMA_CONN_PRIVATE_MAX];
};

/*
 * Wait at ADDRESS (a host name or number; NULL: every address, of IPv4 and IPv6) and PORT for peers
 * that connect. *LISTENER is a TCP socket that does not block. It is readable when a peer waits
 * that has sent something, and is to be closed by close(). Returns 0 or -EINVAL (no such address),
 * -EADDRINUSE, or what the kernel said.
 */
XRDMA_API int xrdma_conn_listen(const char *address, const char *port, int *listener);

/*
 * Take the next peer of LISTENER, waiting for it without limit, and connect QP to it: from RESET or
 * INIT to RTS. What the peer is and sent comes into PEER, which may be NULL. When the call returns
 * 0, the peer can send: receives for that are posted before, in INIT, to which xrdma_qp_modify()
 * takes a queue pair.
 *
 * A peer that has not sent all its messages after 50 ms keeps no others waiting. Then the next one
 * is listened to as well, up to 64 at a time. QP is connected to the first that has sent all, and
 * the others are refused. A peer that fails is refused; the call fails if no other is under way.
 *
 * Returns 0 or, QP being in RESET and the peer having been told, -EINVAL (QP is in another state, a
 * value of ATTR), -EPROTO (the peer speaks something else), -ETIMEDOUT, -ECONNRESET (it has gone),
 * -ECONNREFUSED (it has refused; the message says why), -EACCES (it names another address than it
 * has connected from), or as xrdma_qp_modify().
 */
XRDMA_API int xrdma_conn_accept(int listener, struct xrdma_qp *qp,
				const struct xrdma_conn_attr *attr, struct xrdma_conn_peer *peer);

/*
 * Connect QP to the peer that listens at ADDRESS and PORT: from RESET or INIT to RTS. When the call
 * returns 0, both can send. Returns as xrdma_conn_accept(), -ECONNREFUSED also when nobody listens,
 * and -EBUSY when the peer has connected another meanwhile: call it again. QP is in RESET then, as
 * after every other error, and has lost its receives.
 */
XRDMA_API int xrdma_conn_connect(const char *address, const char *port, struct xrdma_qp *qp,
				 const struct xrdma_conn_attr *attr, struct xrdma_conn_peer *peer);

#ifdef __cplusplus
}
#endif
#endif
