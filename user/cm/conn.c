// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <sys/random.h>
#include <xrdma/conn.h>

#include "lib/addr.h"
#include "lib/attr.h"
#include "lib/error.h"
#include "obj/qp.h"
#include "cm/stream.h"
#include "net/neigh.h"
#include "run/path.h"

/*
 * Of every connection: what the defaults of rdma_cm's users are (ibv_modify_qp(3) says what the
 * numbers mean).
 */
enum { TIMEOUT = 14, RETRIES = 7, MIN_RNR_TIMER = 12 };

/* Who connects sends its request at once. Others are not kept waiting for one that does not. */
enum { REQ_WAIT_MS = 1000 };

enum { MESSAGE_MAGIC = 0x78726d61, MESSAGE_VERSION = 2 };

/* The messages of the IB connection manager that a connection takes (12.6). */
enum kind { REQ, REP, RTU, REJ };

/* What one side tells the other. Each names the most that it can; both take the smaller. */
struct message {
	__be32 magic;
	__be16 version;
	__be16 kind;
	__be32 qpn;
	__be32 psn; /* of its first packet */
	__be16 path_mtu;
	__u8 rd_atomic;	  /* of the other's that it executes at a time */
	__u8 private_len; /* of REJ: the reason, a text */
	__be16 udp_sport; /* of its packets, once it is known: not in a REQ */
	__u8 reserved[2];
	__be32 addr[4];
	__u8 private_data[XRDMA_CONN_PRIVATE_MAX];
};
_Static_assert(sizeof(struct message) == 232, "as it stands on the wire");

struct exchange {
	struct xrdma_stream stream;
	struct xrdma_qp *qp;
	enum xrdma_qp_state from;
	struct xrdma_conn_attr attr;
	struct message mine, theirs;
};

static int begin(struct exchange *e, struct xrdma_qp *qp, const struct xrdma_conn_attr *attr,
		 const struct xrdma_conn_peer *peer)
{
	struct xrdma_qp_attr now = { .sz = sizeof(now) };
	int err;

	*e = (struct exchange){ .qp = qp };
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

/* By which of the device's addresses to go to DEST: for xrdma_stream_connect(). */
static int choose_source(const __be32 dest[4], __be32 source[4], void *arg)
{
	const struct exchange *e = arg;

	if (xrdma_addr_is_unset(e->attr.source))
		return xrdma_route_source(e->qp->pd->context->device.ifindex, dest, source);
	if (xrdma_addr_is_ipv4(e->attr.source) != xrdma_addr_is_ipv4(dest))
		return -EAFNOSUPPORT;
	memcpy(source, e->attr.source, sizeof(e->attr.source));
	return 0;
}

/* What there is to say once the stream is open. */
static int fill_mine(struct exchange *e)
{
	const struct xrdma_context *context = e->qp->pd->context;
	struct message *mine = &e->mine;
	int mtu = e->attr.path_mtu, err;
	__be32 peer[4];
	__u32 psn = 0;

	memcpy(mine->addr, e->attr.source, sizeof(mine->addr));
	if (xrdma_addr_is_unset(mine->addr))
		xrdma_stream_addr(&e->stream, mine->addr);
	xrdma_stream_peer(&e->stream, peer);
	if (!mtu)
		mtu = xrdma_path_mtu(context, peer);
	if (mtu < 0)
		return mtu;
	err = xrdma_path_check_source(context, mine->addr);
	if (err)
		return err;
	(void)!getrandom(&psn, sizeof(psn), 0);
	mine->qpn = htonl(e->qp->qpn);
	mine->psn = htonl(psn & XRDMA_PSN_MASK);
	mine->path_mtu = htons(mtu);
	mine->rd_atomic = XRDMA_RD_ATOMIC_MAX;
	mine->private_len = e->attr.private_len;
	if (mine->private_len)
		memcpy(mine->private_data, e->attr.private_data, mine->private_len);
	return 0;
}

static int say(struct exchange *e, enum kind kind)
{
	e->mine.magic = htonl(MESSAGE_MAGIC);
	e->mine.version = htons(MESSAGE_VERSION);
	e->mine.kind = htons(kind);
	return xrdma_stream_send(&e->stream, &e->mine, sizeof(e->mine));
}

/* The peer's reason may be written to a terminal. */
static int refused(struct message *theirs)
{
	for (int i = 0; i < theirs->private_len; i++)
		if (!isprint(theirs->private_data[i]))
			theirs->private_data[i] = '?';
	return xrdma_fail(ECONNREFUSED, "the peer refused: %.*s", theirs->private_len,
			  (const char *)theirs->private_data);
}

/* The numbers in it are checked where they are used, by xrdma_qp_modify(). */
static int hear(struct exchange *e, enum kind kind)
{
	struct message heard;
	int err = xrdma_stream_receive(&e->stream, &heard, sizeof(heard));

	if (err)
		return err;
	if (heard.magic != htonl(MESSAGE_MAGIC) || heard.version != htons(MESSAGE_VERSION))
		return xrdma_fail(EPROTO,
				  "the peer is no program of libxrdma, or one of another version");
	if (heard.private_len > XRDMA_CONN_PRIVATE_MAX)
		return xrdma_fail(EPROTO, "the peer sent %u bytes of private data: at most %d",
				  heard.private_len, XRDMA_CONN_PRIVATE_MAX);
	if (heard.kind == htons(REJ))
		return refused(&heard);
	if (heard.kind != htons(kind))
		return xrdma_fail(EPROTO, "the peer sent message %u instead of %u",
				  ntohs(heard.kind), kind);
	if (kind == RTU)
		e->theirs.udp_sport = heard.udp_sport;
	else
		e->theirs = heard;
	return 0;
}

static __u32 smaller(__u32 a, __u32 b)
{
	return a < b ? a : b;
}

static int bring_up(struct exchange *e)
{
	const struct message *theirs = &e->theirs;
	struct message *mine = &e->mine;
	struct xrdma_qp_attr attr = {
		.sz = sizeof(attr),
		.access = e->attr.access,
		.path_mtu = smaller(ntohs(mine->path_mtu), ntohs(theirs->path_mtu)),
		.port = 1,
		.timeout = TIMEOUT,
		.retry_cnt = RETRIES,
		.rnr_retry = RETRIES,
		.min_rnr_timer = MIN_RNR_TIMER,
		.max_rd_atomic = smaller(mine->rd_atomic, theirs->rd_atomic),
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
	int err = 0;

	memcpy(attr.av.dest, theirs->addr, sizeof(attr.av.dest));
	memcpy(attr.av.source, mine->addr, sizeof(attr.av.source));
	attr.av.peer_sport = ntohs(theirs->udp_sport);
	for (size_t i = e->from == XRDMA_QPS_INIT; !err && i < sizeof(steps) / sizeof(steps[0]);
	     i++) {
		attr.state = steps[i].state;
		err = xrdma_qp_modify(e->qp, &attr, XRDMA_QP_STATE | steps[i].mask);
	}
	mine->udp_sport = htons(e->qp->attr.av.udp_sport);
	return err;
}

/*
 * The peer learns the reason, unless it was the peer that refused. Returns ERR, with its message.
 */
static int give_up(struct exchange *e, int err)
{
	const struct xrdma_qp_attr reset = { .sz = sizeof(reset), .state = XRDMA_QPS_RESET };
	char reason[XRDMA_CONN_PRIVATE_MAX + 1];

	strncpy(reason, xrdma_error(), sizeof(reason) - 1);
	reason[sizeof(reason) - 1] = 0;
	xrdma_qp_modify(e->qp, &reset, XRDMA_QP_STATE);
	if (err != -ECONNREFUSED) {
		e->mine.private_len = strlen(reason);
		memcpy(e->mine.private_data, reason, e->mine.private_len);
		say(e, REJ);
	}
	return xrdma_fail(-err, "%s", reason);
}

static void tell_peer(const struct exchange *e, struct xrdma_conn_peer *peer)
{
	const struct message *theirs = &e->theirs;
	struct xrdma_conn_peer all = {
		.qpn = ntohl(theirs->qpn),
		.path_mtu = smaller(ntohs(e->mine.path_mtu), ntohs(theirs->path_mtu)),
		.private_len = theirs->private_len,
	};

	memcpy(all.addr, theirs->addr, sizeof(all.addr));
	memcpy(all.private_data, theirs->private_data, theirs->private_len);
	xrdma_attr_write(peer, &all, sizeof(all));
}

static int end(struct exchange *e, int err, struct xrdma_conn_peer *peer)
{
	if (err)
		err = give_up(e, err);
	else if (peer)
		tell_peer(e, peer);
	xrdma_stream_close(&e->stream);
	return err;
}

int xrdma_conn_listen(const char *address, const char *port, int *listener)
{
	return xrdma_stream_listen(address, port, listener);
}

/* The passive side is brought up before the active one has its port. */
static void keep_to_port(const struct exchange *e)
{
	xrdma_mutex_lock(&e->qp->lock);
	xrdma_path_set_peer_sport(e->qp, ntohs(e->theirs.udp_sport));
	xrdma_mutex_unlock(&e->qp->lock);
}

/* Whoever connects may have this side send packets to where it comes from, not elsewhere. */
static int check_peer(const struct exchange *e)
{
	char says[INET6_ADDRSTRLEN], is[INET6_ADDRSTRLEN];
	__be32 addr[4];

	xrdma_stream_peer(&e->stream, addr);
	if (!memcmp(addr, e->theirs.addr, sizeof(addr)))
		return 0;
	return xrdma_fail(EACCES, "the peer says that it is %s, but has connected from %s",
			  xrdma_addr_print(e->theirs.addr, says), xrdma_addr_print(addr, is));
}

int xrdma_conn_accept(int listener, struct xrdma_qp *qp, const struct xrdma_conn_attr *attr,
		      struct xrdma_conn_peer *peer)
{
	struct exchange e;
	int err = begin(&e, qp, attr, peer);

	if (!err)
		err = xrdma_stream_accept(listener, smaller(e.attr.wait_ms, REQ_WAIT_MS),
					  &e.stream);
	if (err)
		return err;
	err = fill_mine(&e);
	if (!err)
		err = hear(&e, REQ);
	xrdma_stream_limit(&e.stream, e.attr.wait_ms);
	if (!err)
		err = check_peer(&e);
	if (!err)
		err = bring_up(&e);
	if (!err)
		err = say(&e, REP);
	if (!err)
		err = hear(&e, RTU);
	if (!err)
		keep_to_port(&e);
	return end(&e, err, peer);
}

int xrdma_conn_connect(const char *address, const char *port, struct xrdma_qp *qp,
		       const struct xrdma_conn_attr *attr, struct xrdma_conn_peer *peer)
{
	struct exchange e;
	const struct xrdma_stream_chooser chooser = {
		.choose = choose_source,
		.arg = &e,
		.ifindex = qp->pd->context->device.ifindex,
	};
	int err = begin(&e, qp, attr, peer);

	if (!err && !xrdma_addr_is_unset(e.attr.source))
		err = xrdma_path_check_source(qp->pd->context, e.attr.source);
	if (!err)
		err = xrdma_stream_connect(address, port, &chooser, e.attr.wait_ms, &e.stream);
	if (err)
		return err;
	err = fill_mine(&e);
	if (!err)
		err = say(&e, REQ);
	if (!err)
		err = hear(&e, REP);
	if (!err)
		err = bring_up(&e);
	if (!err)
		err = say(&e, RTU);
	return end(&e, err, peer);
}
