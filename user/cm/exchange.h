/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * The messages by which two sides connect their queue pairs, each over a TCP stream of its own. The
 * active side sends REQ and RTU, the passive side REP and RDY:
 *
 *	active				passive
 *	REQ: queue pair, PSN	 ---->
 *				<----	REP: queue pair, PSN
 *	RTR, RTS
 *	RTU: UDP source port	 ---->
 *					RTR, RTS
 *				<----	RDY: UDP source port
 *
 * So the queue pair of the passive side is nobody's until a peer has answered, and both may send
 * when they return. REJ takes the place of any message. The first three, and REJ, are those of the
 * IB connection manager (IBA 12.6). The calls set xrdma_error().
 */
#ifndef XRDMA_USER_CM_EXCHANGE_H
#define XRDMA_USER_CM_EXCHANGE_H

#include <xrdma/conn.h>

#include "cm/stream.h"

enum xrdma_message_kind {
	XRDMA_MESSAGE_REQ,
	XRDMA_MESSAGE_REP,
	XRDMA_MESSAGE_RTU,
	XRDMA_MESSAGE_REJ,
	XRDMA_MESSAGE_RDY,
};

/* Each side names the most that it can do; both take the smaller. */
struct xrdma_message {
	__be32 magic;
	__be16 version;
	__be16 kind;
	__be32 qpn;
	__be32 psn; /* of the first packet */
	__be16 path_mtu;
	__u8 rd_atomic;	  /* READs and atomics of the other side that it executes at a time */
	__u8 private_len; /* in a REJ: of the reason, a text */
	__be16 udp_sport; /* of its packets; in RTU and RDY */
	__u8 is_busy;	  /* in a REJ: another try may succeed at once */
	__u8 reserved;
	__be32 addr[4];
	__u8 private_data[XRDMA_CONN_PRIVATE_MAX];
};
_Static_assert(sizeof(struct xrdma_message) == 232, "as it stands on the wire");

struct xrdma_exchange {
	struct xrdma_stream stream;
	struct xrdma_qp *qp;
	enum xrdma_qp_state from;
	struct xrdma_conn_attr attr;
	struct xrdma_message mine, theirs;
	struct xrdma_message heard; /* the next message of the peer, and */
	size_t got;		    /* how many of its bytes have come */
};

/* Check the arguments of a call, and set *E up for it, without a stream. */
int xrdma_exchange_begin(struct xrdma_exchange *e, struct xrdma_qp *qp,
			 const struct xrdma_conn_attr *attr, const struct xrdma_conn_peer *peer);

/* Once the stream is open: write down what this side says of itself. */
int xrdma_exchange_introduce(struct xrdma_exchange *e);

int xrdma_exchange_say(struct xrdma_exchange *e, enum xrdma_message_kind kind);

/* Wait for the next message, which is to be KIND. */
int xrdma_exchange_receive(struct xrdma_exchange *e, enum xrdma_message_kind kind);

/*
 * Take as much of the next message, which is to be KIND, as has come. Returns 0 when it is there,
 * -EAGAIN if more is to come, or another error.
 */
int xrdma_exchange_receive_some(struct xrdma_exchange *e, enum xrdma_message_kind kind);

/* Bring the queue pair to RTS, for the peer that E has heard of. */
int xrdma_exchange_bring_up(struct xrdma_exchange *e);

/* Take packets from the UDP source port alone that the peer has named. */
void xrdma_exchange_keep_to_port(const struct xrdma_exchange *e);

/*
 * Tell the peer that this side gives up, for the reason that xrdma_error() says, unless ERR says
 * that the peer did. Closes the stream. xrdma_error() remains.
 */
void xrdma_exchange_refuse(struct xrdma_exchange *e, int err);

/* Reset the queue pair after ERR. Returns ERR; xrdma_error() remains. */
int xrdma_exchange_reset(struct xrdma_qp *qp, int err);

/* The connection is there: close the stream, and describe the peer in PEER, which may be NULL. */
void xrdma_exchange_end(struct xrdma_exchange *e, struct xrdma_conn_peer *peer);

#endif
