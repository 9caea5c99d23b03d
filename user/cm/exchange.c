// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "cm/exchange.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <sys/random.h>

#include "lib/addr.h"
#include "lib/attr.h"
#include "lib/bounds.h"
#include "lib/error.h"
#include "lib/opcode.h"
#include "net/path.h"
#include "queue/qp.h"

/* Defaults of rdma_cm. ibv_modify_qp(3) explains the numbers. */
enum { TIMEOUT = 14, RETRIES = 7, MIN_RNR_TIMER = 12 };

/* Attributes that only a reliable service has. */
enum {
	OF_RELIABLE = XRDMA_QP_MAX_DEST_RD_ATOMIC | XRDMA_QP_MIN_RNR_TIMER | XRDMA_QP_TIMEOUT |
		      XRDMA_QP_RETRY_CNT | XRDMA_QP_RNR_RETRY | XRDMA_QP_MAX_QP_RD_ATOMIC,
};

enum { MESSAGE_MAGIC = 0x78726d61, MESSAGE_VERSION = 3 };

int xrdma_exchange_begin(struct xrdma_exchange *e, struct xrdma_qp *qp,
			 const struct xrdma_conn_attr *attr, const struct xrdma_conn_peer *peer)
{
	struct xrdma_qp_attr now = { .sz = sizeof(now) };
	int err;

	*e = (struct xrdma_exchange){ .qp = qp };
	if (!qp->is_connected)
		return xrdma_fail(EOPNOTSUPP, "the queue pair's service %s has no connections",
				  xrdma_transport_name(qp->init.transport));
	err = xrdma_attr_read(attr, &e->attr, sizeof(e->attr), "xrdma_conn_attr");
	if (!err && peer)
		err = xrdma_attr_check(peer, "xrdma_conn_peer");
	if (err)
		return err;
	if (!e->attr.wait_ms)
		e->attr.wait_ms = XRDMA_CONN_WAIT_MS;
	if (e->attr.private_len > XRDMA_CONN_PRIVATE_MAX)
		return xrdma_fail(EINVAL, "private_len is %u: at most %d bytes",
				  e->attr.private_len, XRDMA_CONN_PRIVATE_MAX);
	err = xrdma_qp_query(qp, &now);
	if (err)
		return err;
	if (now.state > XRDMA_QPS_INIT)
		return xrdma_fail(EINVAL, "the queue pair is not in RESET or INIT: set it first");
	e->from = now.state;
	return 0;
}

int xrdma_exchange_introduce(struct xrdma_exchange *e)
{
	const struct xrdma_context *context = e->qp->pd->context;
	struct xrdma_message *mine = &e->mine;
	int mtu = e->attr.path_mtu, err;
	__be32 peer[4];
	__u32 psn = 0;

	memcpy(mine->addr, e->attr.source, sizeof(mine->addr));
	if (xrdma_addr_is_unset(mine->addr))
		xrdma_stream_addr(&e->stream, mine->addr);
	xrdma_stream_peer(&e->stream, peer);
	if (!mtu)
		mtu = xrdma_path_mtu(context->device.ifindex, peer);
	if (mtu < 0)
		return mtu;
	err = xrdma_device_check_source(&context->device, mine->addr);
	if (err)
		return err;
	(void)!getrandom(&psn, sizeof(psn), 0);
	mine->qpn = htonl(e->qp->qpn);
	mine->psn = htonl(psn & XRDMA_PSN_MASK);
	mine->path_mtu = htons(mtu);
	mine->rd_atomic = XRDMA_RD_ATOMIC_MAX;
	mine->transport = e->qp->init.transport;
	mine->private_len = e->attr.private_len;
	if (mine->private_len)
		memcpy(mine->private_data, e->attr.private_data, mine->private_len);
	return 0;
}

int xrdma_exchange_send(struct xrdma_exchange *e, enum xrdma_message_kind kind)
{
	e->mine.magic = htonl(MESSAGE_MAGIC);
	e->mine.version = htons(MESSAGE_VERSION);
	e->mine.kind = htons(kind);
	return xrdma_stream_send(&e->stream, &e->mine, sizeof(e->mine));
}

/*
 * Report the peer's refusal. Its reason may be written to a terminal, so only printable characters
 * remain.
 */
static int refused(struct xrdma_message *theirs)
{
	for (int i = 0; i < theirs->private_len; i++)
		if (!isprint(theirs->private_data[i]))
			theirs->private_data[i] = '?';
	return xrdma_fail(theirs->is_busy ? EBUSY : ECONNREFUSED, "the peer refused: %.*s",
			  theirs->private_len, (const char *)theirs->private_data);
}

/* Check the peer's message. xrdma_qp_modify() checks the numbers in it. */
static int check(struct xrdma_exchange *e, enum xrdma_message_kind kind)
{
	struct xrdma_message *received = &e->received;

	e->got = 0;
	if (received->magic != htonl(MESSAGE_MAGIC) || received->version != htons(MESSAGE_VERSION))
		return xrdma_fail(EPROTO,
				  "the peer does not use libxrdma, or uses another version");
	if (received->private_len > XRDMA_CONN_PRIVATE_MAX)
		return xrdma_fail(EPROTO, "the peer sent %u bytes of private data: at most %d",
				  received->private_len, XRDMA_CONN_PRIVATE_MAX);
	if (received->kind == htons(XRDMA_MESSAGE_REJ))
		return refused(received);
	if (received->kind != htons(kind))
		return xrdma_fail(EPROTO, "the peer sent message %u instead of %u",
				  ntohs(received->kind), kind);
	if (kind != XRDMA_MESSAGE_REQ && kind != XRDMA_MESSAGE_REP) {
		e->theirs.udp_sport = received->udp_sport;
		return 0;
	}
	if (received->transport != e->qp->init.transport)
		return xrdma_fail(EPROTO, "the peer's queue pair has the service %s, ours has %s",
				  xrdma_transport_name(received->transport),
				  xrdma_transport_name(e->qp->init.transport));
	e->theirs = *received;
	return 0;
}

int xrdma_exchange_receive_some(struct xrdma_exchange *e, enum xrdma_message_kind kind)
{
	int err = xrdma_stream_receive_some(&e->stream, &e->received, sizeof(e->received), &e->got);

	return err ?: check(e, kind);
}

int xrdma_exchange_receive(struct xrdma_exchange *e, enum xrdma_message_kind kind)
{
	int err = xrdma_stream_receive(&e->stream, &e->received, sizeof(e->received));

	return err ?: check(e, kind);
}

int xrdma_exchange_bring_up(struct xrdma_exchange *e)
{
	const struct xrdma_message *theirs = &e->theirs;
	struct xrdma_message *mine = &e->mine;
	struct xrdma_qp_attr attr = {
		.sz = sizeof(attr),
		.access = e->attr.access,
		.path_mtu = xrdma_lesser(ntohs(mine->path_mtu), ntohs(theirs->path_mtu)),
		.port = 1,
		.timeout = TIMEOUT,
		.retry_cnt = RETRIES,
		.rnr_retry = RETRIES,
		.min_rnr_timer = MIN_RNR_TIMER,
		.max_rd_atomic = xrdma_lesser(mine->rd_atomic, theirs->rd_atomic),
		.max_dest_rd_atomic = mine->rd_atomic,
		.dest_qpn = ntohl(theirs->qpn),
		.rq_psn = ntohl(theirs->psn),
		.sq_psn = ntohl(mine->psn),
	};
	const struct {
		enum xrdma_qp_state state;
		unsigned int mask;
	} steps[] = {
		{ XRDMA_QPS_INIT, XRDMA_QP_PKEY_INDEX | XRDMA_QP_PORT | XRDMA_QP_ACCESS_FLAGS },
		{ XRDMA_QPS_RTR, XRDMA_QP_ACCESS_FLAGS | XRDMA_QP_AV | XRDMA_QP_PATH_MTU |
					 XRDMA_QP_DEST_QPN | XRDMA_QP_RQ_PSN |
					 XRDMA_QP_MAX_DEST_RD_ATOMIC | XRDMA_QP_MIN_RNR_TIMER },
		{ XRDMA_QPS_RTS, XRDMA_QP_SQ_PSN | XRDMA_QP_TIMEOUT | XRDMA_QP_RETRY_CNT |
					 XRDMA_QP_RNR_RETRY | XRDMA_QP_MAX_QP_RD_ATOMIC },
	};
	const unsigned int mask = e->qp->is_reliable ? ~0U : ~(unsigned int)OF_RELIABLE;
	int err = 0;

	memcpy(attr.ah_attr.dest, theirs->addr, sizeof(attr.ah_attr.dest));
	memcpy(attr.ah_attr.source, mine->addr, sizeof(attr.ah_attr.source));
	attr.ah_attr.peer_sport = ntohs(theirs->udp_sport);
	for (size_t i = e->from == XRDMA_QPS_INIT; !err && i < sizeof(steps) / sizeof(steps[0]);
	     i++) {
		attr.state = steps[i].state;
		err = xrdma_qp_modify(e->qp, &attr, XRDMA_QP_STATE | (steps[i].mask & mask));
	}
	mine->udp_sport = htons(e->qp->attr.ah_attr.udp_sport);
	return err;
}

void xrdma_exchange_keep_to_port(const struct xrdma_exchange *e)
{
	xrdma_mutex_lock(&e->qp->lock);
	xrdma_qp_set_peer_sport(e->qp, ntohs(e->theirs.udp_sport));
	xrdma_mutex_unlock(&e->qp->lock);
}

void xrdma_exchange_refuse(struct xrdma_exchange *e, int err)
{
	char reason[XRDMA_CONN_PRIVATE_MAX + 1];

	strncpy(reason, xrdma_error(), sizeof(reason) - 1);
	reason[sizeof(reason) - 1] = 0;
	if (err != -ECONNREFUSED) {
		e->mine.is_busy = err == -EBUSY;
		e->mine.private_len = strlen(reason);
		memcpy(e->mine.private_data, reason, e->mine.private_len);
		xrdma_exchange_send(e, XRDMA_MESSAGE_REJ);
	}
	xrdma_stream_close(&e->stream);
	xrdma_fail(-err, "%s", reason);
}

int xrdma_exchange_reset(struct xrdma_qp *qp, int err)
{
	const struct xrdma_qp_attr reset = { .sz = sizeof(reset), .state = XRDMA_QPS_RESET };
	char reason[XRDMA_ERROR_MAX];

	strcpy(reason, xrdma_error());
	xrdma_qp_modify(qp, &reset, XRDMA_QP_STATE);
	return xrdma_fail(-err, "%s", reason);
}

static void describe_peer(const struct xrdma_exchange *e, struct xrdma_conn_peer *peer)
{
	const struct xrdma_message *theirs = &e->theirs;
	struct xrdma_conn_peer all = {
		.qpn = ntohl(theirs->qpn),
		.path_mtu = xrdma_lesser(ntohs(e->mine.path_mtu), ntohs(theirs->path_mtu)),
		.private_len = theirs->private_len,
	};

	memcpy(all.addr, theirs->addr, sizeof(all.addr));
	memcpy(all.private_data, theirs->private_data, theirs->private_len);
	xrdma_attr_write(peer, &all, sizeof(all));
}

void xrdma_exchange_end(struct xrdma_exchange *e, struct xrdma_conn_peer *peer)
{
	if (peer)
		describe_peer(e, peer);
	xrdma_stream_close(&e->stream);
}
