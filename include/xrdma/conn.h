/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Connections between two programs of this library. Each side sends the data of its queue pair
 * (QPN, first PSN, address, UDP source port, path MTU) over TCP, in messages of the IB connection
 * manager (REQ, REP, RTU; IBA 12.6) and one more. REQ and REP carry private data of the
 * application, such as the key of a region. TCP is used for nothing else. A program that exchanges
 * these data by itself calls xrdma_qp_modify() instead. All calls are thread safe.
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

/* Attributes of a connection. A field of 0 stands for the default. */
struct xrdma_conn_attr {
	size_t sz;    /* of this struct */
	__u32 access; /* XRDMA_ACCESS_REMOTE_* of the peer; default none */
	/*
	 * Time limit in ms for all messages of a peer; default XRDMA_CONN_WAIT_MS. TCP repeats a
	 * lost segment after up to 3 s.
	 */
	__u32 wait_ms;
	/* Upper limit; default that of the device. The smaller value of both peers is used. */
	__u16 path_mtu;
	__u16 private_len; /* bytes for the peer, up to XRDMA_CONN_PRIVATE_MAX */
	const void *private_data;
	/*
	 * Address of the device, IPv4 as ::ffff:a.b.c.d. xrdma_conn_connect() uses it for TCP, too.
	 * The default is the address of the TCP connection; if the peer is on another netdev of the
	 * same host, it is the device's first address of the family.
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
 * Listen for peers at ADDRESS (a host name or number; NULL: every address, of IPv4 and IPv6) and
 * PORT. *LISTENER is a nonblocking TCP socket. It is readable when a peer has connected and sent
 * something. Close it with close(2). Returns 0 or -EINVAL (the address does not exist), -EADDRINUSE
 * (another socket has the port), or another error of the kernel.
 */
XRDMA_API int xrdma_conn_listen(const char *address, const char *port, int *listener);

/*
 * Accept the next peer of LISTENER, and connect QP to it: from RESET or INIT to RTS. The call waits
 * without limit for a peer. *PEER describes it; PEER may be NULL. The peer can send when the call
 * returns 0. Post receives before, in INIT; xrdma_qp_modify() brings a queue pair there.
 *
 * A slow peer does not block others. If it has not sent all messages after 50 ms, the call accepts
 * more peers, up to 64 at a time. QP is connected to the first one with all messages, and the
 * others are refused. A peer with an error is refused; the call fails only if no other peer is
 * left.
 *
 * After an error QP is in RESET, and the peer was informed. Returns 0 or -EINVAL (QP is in another
 * state, or ATTR has a wrong value), -EPROTO (the peer uses another protocol), -ETIMEDOUT (the peer
 * was too slow), -ECONNRESET (the peer has gone), -ECONNREFUSED (the peer has refused; the message
 * has the reason), -EACCES (the peer names another address than the one of its connection), or an
 * error of xrdma_qp_modify().
 */
XRDMA_API int xrdma_conn_accept(int listener, struct xrdma_qp *qp,
				const struct xrdma_conn_attr *attr, struct xrdma_conn_peer *peer);

/*
 * Connect QP to the peer that listens at ADDRESS and PORT: from RESET or INIT to RTS. Both can send
 * when the call returns 0. After an error QP is in RESET and has lost its receives. Returns 0 or an
 * error of xrdma_conn_accept(); -ECONNREFUSED (also if nobody listens), -EBUSY (the peer has
 * connected another one meanwhile: call again).
 */
XRDMA_API int xrdma_conn_connect(const char *address, const char *port, struct xrdma_qp *qp,
				 const struct xrdma_conn_attr *attr, struct xrdma_conn_peer *peer);

#ifdef __cplusplus
}
#endif
#endif
