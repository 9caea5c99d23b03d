/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Queue pairs of the reliable connected service (IBA 10.2.4, 10.3, 11.2.5; ibv_create_qp(3),
 * ibv_modify_qp(3)). All calls are thread safe.
 */
#ifndef XRDMA_QP_H
#define XRDMA_QP_H

#include "cq.h"
#include "pd.h"

#ifdef __cplusplus
extern "C" {
#endif

struct xrdma_qp;

enum {
	XRDMA_SEND_WR_MAX = 1 << 14, /* work requests in a send queue */
	XRDMA_SEND_SGE_MAX = 32,     /* data segments of one; XRDMA_RECV_SGE_MAX of a receive */
	XRDMA_RECV_WR_MAX = 1 << 14, /* receives in a receive queue */
	XRDMA_INLINE_MAX = 4096,     /* bytes */
};

/* Optional operations of a queue pair, with the numbers of MLX5DV_QP_EX_WITH_*. */
enum {
	XRDMA_QP_WITH_MKEY_CONFIGURE = 1 << 2, /* mkey.h */
};

struct xrdma_qp_init_attr {
	size_t sz;	    /* of this struct */
	__u8 transport;	    /* XRDMA_TRANSPORT_RC */
	__u8 sq_sig_all;    /* every work request completes with an entry in the completion queue */
	__u16 max_inline;   /* bytes, up to XRDMA_INLINE_MAX */
	__u32 max_send_wr;  /* at least 1, up to XRDMA_SEND_WR_MAX */
	__u32 max_send_sge; /* up to XRDMA_SEND_SGE_MAX */
	struct xrdma_cq *send_cq;
	struct xrdma_cq *recv_cq; /* may be send_cq */
	__u32 max_recv_wr;	  /* up to XRDMA_RECV_WR_MAX; 0: SENDs to it are not received */
	__u32 max_recv_sge;	  /* up to XRDMA_RECV_SGE_MAX */
	__u32 send_ops;		  /* XRDMA_QP_WITH_* */
	/*
	 * Bytes, and an authorization key of as many, by which its requests reach regions of the
	 * peer's that have the same, and no others. 0: that of PD.
	 */
	size_t auth_key_size;
	const __u8 *auth_key;
};

/*
 * Create a queue pair of PD, in state RESET. *QP is to be ended by xrdma_qp_destroy(). Returns 0 or
 * -EINVAL (a size is out of its range, a completion queue is missing or of another context),
 * -EOPNOTSUPP (another service), -ENOMEM (the context has no more queue pairs, no more sges, or no
 * memory).
 */
XRDMA_API int xrdma_qp_create(struct xrdma_pd *pd, const struct xrdma_qp_init_attr *attr,
			      struct xrdma_qp **qp);

/*
 * When the call returns, no packet to the queue pair is handled. Returns 0 or -EBUSY (it has bound
 * memory windows of type 2A: mw.h).
 */
XRDMA_API int xrdma_qp_destroy(struct xrdma_qp *qp);

XRDMA_API __u32 xrdma_qp_number(const struct xrdma_qp *qp);

/*
 * The attributes that are numbers: X(symbol, bit as in enum ibv_qp_attr_mask, field of struct
 * xrdma_qp_attr, least and greatest value). XRDMA_QP_<symbol> stands for it in a mask, XRDMA_QP_AV
 * for the address.
 */
/* clang-format off */
#define XRDMA_QP_ATTRS(X)                                                 \
	X(STATE, 0, state, XRDMA_QPS_RESET, XRDMA_QPS_ERR)                  \
	X(CUR_STATE, 1, cur_state, XRDMA_QPS_RESET, XRDMA_QPS_ERR)          \
	X(ACCESS_FLAGS, 3, access, 0, 0xf)                                \
	X(PKEY_INDEX, 4, pkey_index, 0, 0)                                \
	X(PORT, 5, port, 1, 1)                                            \
	X(PATH_MTU, 8, path_mtu, XRDMA_MTU_MIN, XRDMA_MTU_MAX)            \
	X(TIMEOUT, 9, timeout, 0, 31)                                     \
	X(RETRY_CNT, 10, retry_cnt, 0, 7)                                 \
	X(RNR_RETRY, 11, rnr_retry, 0, 7)                                 \
	X(RQ_PSN, 12, rq_psn, 0, XRDMA_PSN_MASK)                          \
	X(MAX_QP_RD_ATOMIC, 13, max_rd_atomic, 0, XRDMA_RD_ATOMIC_MAX)    \
	X(MIN_RNR_TIMER, 15, min_rnr_timer, 0, 31)                        \
	X(SQ_PSN, 16, sq_psn, 0, XRDMA_PSN_MASK)                          \
	X(MAX_DEST_RD_ATOMIC, 17, max_dest_rd_atomic, 0, XRDMA_RD_ATOMIC_MAX) \
	X(DEST_QPN, 20, dest_qpn, 2, XRDMA_QPN_MASK)
/* clang-format on */

enum {
#define X(symbol, bit, ...) XRDMA_QP_##symbol = 1 << bit,
	XRDMA_QP_ATTRS(X)
#undef X
		XRDMA_QP_AV = 1 << 7,
};

/* The path to a peer, as struct ibv_ah_attr. */
struct xrdma_ah_attr {
	__be32 dest[4];	  /* IPv4 as ::ffff:a.b.c.d */
	__be32 source[4]; /* one of the device's addresses; all 0: what the route to DEST prefers */
	/* Source port of packets that are sent; 0: what it is, or one made from the two QPNs. */
	__u16 udp_sport;
	__u8 tclass;	/* traffic class or TOS */
	__u8 hop_limit; /* or TTL; 0: 64 */
	/*
	 * Source port of the peer's packets, all others being dropped; 0: that of the first request
	 * which is carried out, and of the first response. The peer's kernel gives the port to
	 * nobody else, so that no other user of its host can send into the connection.
	 */
	__u16 peer_sport;
	__u8 any_peer_sport; /* 1: the peer may change its port, and PEER_SPORT is not looked at */
	__u8 reserved;
};

struct xrdma_qp_attr {
	size_t sz; /* of this struct */
	enum xrdma_qp_state state;
	enum xrdma_qp_state cur_state;
	__u32 access;	  /* XRDMA_ACCESS_REMOTE_*: what the peer may ask for */
	__u16 path_mtu;	  /* bytes: 256, 512, 1024, 2048 or 4096 */
	__u16 pkey_index; /* 0 */
	__u8 port;	  /* 1 */
	/*
	 * Up to 31; 0: never. The first transmission waits 4.096 us * 2^timeout for a sign of the
	 * peer, the second waits twice as long, and all others four times. With 14 and a retry_cnt
	 * of 7, which xrdma_conn_connect() sets, a connection ends when the peer is silent for 1.8
	 * s. Linux looks once a second for links that have come up (linkwatch), so a link that was
	 * down for 0.4 s may carry nothing for 1 s. Use a greater timeout where links fail for more
	 * than 0.8 s.
	 */
	__u8 timeout;
	/*
	 * How often packets are sent again, up to 7, after the peer last acknowledged one or sent
	 * an RNR NAK.
	 */
	__u8 retry_cnt;
	/*
	 * How often a message is sent again that the peer is not ready for, up to 6, if nothing
	 * else is acknowledged meanwhile; 7: without end. A peer is not ready when it has posted no
	 * receive, when memory that is registered on demand is missing, and while it forks. Use 7
	 * where the peer's process forks often.
	 */
	__u8 rnr_retry;
	__u8 min_rnr_timer; /* code of what a peer waits that finds no receive, up to 31 */
	/*
	 * READs and atomics of this side that may be outstanding, up to XRDMA_RD_ATOMIC_MAX. A READ
	 * counts once for each packet of its response.
	 */
	__u8 max_rd_atomic;
	__u8 max_dest_rd_atomic; /* of the peer's outstanding, up to XRDMA_RD_ATOMIC_MAX */
	__u32 dest_qpn;
	__u32 rq_psn; /* of the first packet received; 24 bits */
	__u32 sq_psn; /* of the first packet sent; 24 bits */
	struct xrdma_ah_attr ah_attr;
	__u8 sq_draining; /* of xrdma_qp_query() in SQD: what was begun is not complete */
};

/*
 * Set the attributes in MASK, and with XRDMA_QP_STATE the state: RESET, INIT, RTR (from when on XDP
 * serves the peer's requests), RTS, SQD, ERR. Which attributes a change of state needs and allows
 * is the table of ibv_modify_qp(3). In SQD requests that were begun go on to their end, and none is
 * begun; then what belongs to the way to the peer can be changed, AV among it. The way to RTR, and
 * AV in SQD, look up the route, and open a UDP socket, of the network namespace that the caller is
 * in, which must be the device's. When the call returns, no packet of the peer has any access that
 * XRDMA_QP_ACCESS_FLAGS took away, and a READ of several packets that was under way has failed.
 *
 * Returns 0 or, having changed nothing, -EINVAL (no such change of state, an attribute is missing,
 * not allowed there, or out of its range; or the route to the peer is too narrow for PATH_MTU),
 * -EBUSY (the send queue is not drained yet), -ENETUNREACH (no route to the peer on this device),
 * -EADDRNOTAVAIL (SOURCE is not an address of the device), -EADDRINUSE (another user has the UDP
 * port UDP_SPORT), -EACCES (an IPsec policy covers the path, and RoCE packets would evade it; who
 * has no CAP_NET_ADMIN cannot see policies), -EMFILE (RLIMIT_NOFILE: each queue pair has a socket),
 * or what the kernel said.
 */
XRDMA_API int xrdma_qp_modify(struct xrdma_qp *qp, const struct xrdma_qp_attr *attr,
			      unsigned int mask);

/*
 * Return the attributes of QP in *ATTR, with the present state and PSNs. Set ATTR->sz before.
 * Returns 0.
 */
XRDMA_API int xrdma_qp_query(struct xrdma_qp *qp, struct xrdma_qp_attr *attr);

/*
 * Post the chain of requests that begins with WR, in order (10.8.3; ibv_post_send(3)). Each
 * completes in order, in the send completion queue: with an entry when it is SIGNALED or the queue
 * pair is sq_sig_all, or when it failed. Memory that is not INLINE belongs to the request until it
 * is complete. In ERR requests are taken, and flushed. What is flushed may have been sent and
 * carried out: its acknowledgement can come after what stopped the queue pair.
 *
 * Returns 0 or, *BAD being the first that was not posted while all before it were, -EINVAL (the
 * state is RESET, INIT or RTR, a flag is unknown, more SGEs, INLINE bytes or bytes than there may
 * be), -EOPNOTSUPP (opcode), -ENOMEM (the send queue is full: poll first; or, in a domain without
 * XRDMA_MR_MODE_LOCAL, no room in the heap for what is fetched, or no key).
 */
XRDMA_API int xrdma_qp_post_send(struct xrdma_qp *qp, const struct xrdma_send_wr *wr,
				 const struct xrdma_send_wr **bad);

/*
 * Post the chain of receives that begins with WR, in order (10.8.3; ibv_post_recv(3)). XDP fills
 * them with the messages of SENDs, without the process; each WRITE with immediate takes one too,
 * and leaves its memory alone. Each completes in order, in the receive completion queue; until then
 * its memory belongs to it. Keys are looked at when a message comes. In ERR receives are taken, and
 * flushed.
 *
 * Returns 0 or, *BAD being the first that was not posted while all before it were, -EINVAL (the
 * state is RESET, or more SGEs than there may be), -ENOMEM (the receive queue is full: poll first;
 * or, in a domain without XRDMA_MR_MODE_LOCAL, no room in the heap for what comes, or no key).
 */
XRDMA_API int xrdma_qp_post_recv(struct xrdma_qp *qp, const struct xrdma_recv_wr *wr,
				 const struct xrdma_recv_wr **bad);

#ifdef __cplusplus
}
#endif
#endif
