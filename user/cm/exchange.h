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

/* Message of one side. Each side sends its own limits, and both use the smaller ones. */
struct xrdma_message {
	__be32 magic;
	__be16 version;
	__be16 kind;
	__be32 qpn;
	__be32 psn; /* PSN of the sender's first packet */
	__be16 path_mtu;
	__u8 rd_atomic; /* READs and atomics of the other side that the sender executes at a time */
	__u8 private_len; /* in a REJ: bytes of the reason, a text */
	__be16 udp_sport; /* of the sender's packets; only in RTU and RDY */
	__u8 is_busy;	  /* in a REJ: another try may succeed at once */
	__u8 transport;	  /* XRDMA_TRANSPORT_* of the queue pair; in REQ and REP */
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
	struct xrdma_message received; /* the next message of the peer, and */
	size_t got;		       /* number of its bytes that have arrived */
};

/* Check the arguments of a call, and initialize *E, which has no stream yet. */
int xrdma_exchange_begin(struct xrdma_exchange *e, struct xrdma_qp *qp,
			 const struct xrdma_conn_attr *attr, const struct xrdma_conn_peer *peer);

/* Fill in our message. The stream must be open. */
int xrdma_exchange_introduce(struct xrdma_exchange *e);

int xrdma_exchange_send(struct xrdma_exchange *e, enum xrdma_message_kind kind);

/* Wait for the peer's next message, which must be of KIND. */
int xrdma_exchange_receive(struct xrdma_exchange *e, enum xrdma_message_kind kind);

/*
 * Receive as much of the peer's next message as has arrived. The message must be of KIND. Returns 0
 * when it is complete, -EAGAIN if it is not, or another error.
 */
int xrdma_exchange_receive_some(struct xrdma_exchange *e, enum xrdma_message_kind kind);

/* Move the queue pair to RTS, connected to the peer that sent the messages in E. */
int xrdma_exchange_bring_up(struct xrdma_exchange *e);

/* Accept packets only from the UDP source port in the peer's message. */
void xrdma_exchange_keep_to_port(const struct xrdma_exchange *e);

/*
 * Refuse the connection, and close the stream. The peer gets the text of xrdma_error(), unless ERR
 * says that the peer has refused. xrdma_error() does not change.
 */
void xrdma_exchange_refuse(struct xrdma_exchange *e, int err);

/* Reset the queue pair after the error ERR. Returns ERR. xrdma_error() does not change. */
int xrdma_exchange_reset(struct xrdma_qp *qp, int err);

/*
 * Close the stream after success. Set *PEER to the peer's address and private data, unless it is
 * NULL.
 */
void xrdma_exchange_end(struct xrdma_exchange *e, struct xrdma_conn_peer *peer);

#endif
