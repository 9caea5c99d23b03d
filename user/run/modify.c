// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Change the state and the attributes of a queue pair (IBA 10.3.1, 11.2.5.3). */
#include <errno.h>
#include <string.h>

#include "key/windows.h"
#include "lib/attr.h"
#include "lib/error.h"
#include "lib/frame.h"
#include "lib/order.h"
#include "queue/ah.h"
#include "queue/qp.h"
#include "queue/report.h"
#include "queue/stop.h"
#include "run/requester.h"
#include "run/transition.h"
#include "wire/header.h"

/* A new path for a queue pair, and the socket that sends on it. */
struct route {
	struct xrdma_path path;
	struct xrdma_udp udp;
};

static void set_route(struct xrdma_qp *qp, const struct route *route)
{
	const struct xrdma_path *path = &route->path;

	xrdma_udp_close(&qp->udp);
	qp->path = *path;
	qp->udp = route->udp;
	qp->by_udp = false;
	memcpy(qp->attr.ah_attr.source, path->source, sizeof(path->source));
	qp->attr.ah_attr.udp_sport = path->udp_sport;
	qp->attr.ah_attr.hop_limit = path->hop_limit;
	xrdma_qp_set_peer_sport(qp, qp->attr.ah_attr.peer_sport);
}

/* Write the attributes, and the initial PSNs of both sides, to the row that XDP reads. */
static void fill_row(struct xrdma_qp *qp, enum xrdma_qp_state from)
{
	const struct xrdma_qp_attr *attr = &qp->attr;
	const struct xrdma_path *path = &qp->path;
	struct xrdma_qp_row *row = qp->row;

	row->transport = qp->init.transport;
	row->access = attr->access & ~XRDMA_ACCESS_LOCAL_WRITE;
	row->mtu = path->mtu;
	row->pkey = XRDMA_PKEY_DEFAULT;
	row->pd = qp->pd->number;
	row->peer_qpn = attr->dest_qpn;
	memcpy(row->peer_addr, path->dest, sizeof(row->peer_addr));
	memcpy(row->addr, path->source, sizeof(row->addr));
	row->udp_sport = path->udp_sport;
	row->qkey = attr->qkey;
	row->qpn = qp->qpn;
	row->rq = qp->rq->number;
	row->send_cq = qp->init.send_cq->number;
	row->recv_events = qp->init.recv_cq->channel != NULL;
	row->recv_cq = qp->init.recv_cq->number;
	row->rnr_timer = attr->min_rnr_timer;
	row->max_dest_rd_atomic = attr->max_dest_rd_atomic;
	row->max_rd_atomic = attr->max_rd_atomic;
	row->tclass = path->tclass;
	row->ack_icrc = xrdma_frame_ack_icrc(row);
	if (attr->state == XRDMA_QPS_RTR)
		row->resp.psn = attr->rq_psn;
	if (attr->state == XRDMA_QPS_RTS && from == XRDMA_QPS_RTR) {
		row->sent_psn = row->req.acked_psn = attr->sq_psn;
		xrdma_sq_start(&qp->sq, attr->sq_psn);
		xrdma_flow_start(&qp->flow, attr->sq_psn);
	}
	XRDMA_PUBLISH(row->state, attr->state);
}

/* Copy the fields of ATTR that are in MASK. */
static void set_attrs(struct xrdma_qp_attr *into, const struct xrdma_qp_attr *attr,
		      unsigned int mask)
{
#define X(symbol, bit, field, ...)    \
	if (mask & XRDMA_QP_##symbol) \
		into->field = attr->field;
	XRDMA_QP_ATTRS(X)
#undef X
	if (mask & XRDMA_QP_AV)
		into->ah_attr = attr->ah_attr;
}

/* Stop the handling of packets for QP, while its addresses change. */
static void stop_packets(struct xrdma_qp *qp)
{
	XRDMA_PUBLISH(qp->row->state, XRDMA_QPS_INIT);
	xrdma_epochs_wait(&qp->pd->context->slots.epochs);
}

/* Wait for program runs that have found an access allowed, if QP no longer allows it. */
static void withdraw(const struct xrdma_qp *qp, unsigned int before)
{
	if (before & ~qp->row->access)
		xrdma_epochs_wait(&qp->pd->context->slots.epochs);
}

/* Returns whether the change opens a socket: along a new path, or in RTR for any destination. */
static bool is_routed(const struct xrdma_qp *qp, const struct xrdma_qp_attr *attr,
		      unsigned int mask)
{
	return mask & XRDMA_QP_AV ||
	       (!qp->is_connected && mask & XRDMA_QP_STATE && attr->state == XRDMA_QPS_RTR);
}

static void apply(struct xrdma_qp *qp, const struct xrdma_qp_attr *attr, unsigned int mask,
		  const struct route *route)
{
	enum xrdma_qp_state from = qp->attr.state;
	const unsigned int access = qp->row->access;

	set_attrs(&qp->attr, attr, mask);
	if (mask & XRDMA_QP_AV && from == XRDMA_QPS_SQD)
		stop_packets(qp);
	if (route)
		set_route(qp, route);
	if (qp->sq.current == qp->sq.begun && qp->attr.state == XRDMA_QPS_SQD)
		qp->sq.due = false;
	if (from == XRDMA_QPS_SQE)
		xrdma_sq_restart(&qp->sq);
	if (from == XRDMA_QPS_RTS && qp->attr.state == XRDMA_QPS_SQD)
		qp->reports_drained =
			mask & XRDMA_QP_EN_SQD_ASYNC_NOTIFY && qp->attr.en_sqd_async_notify;
	xrdma_report_drained(qp);
	fill_row(qp, from);
	withdraw(qp, access);
	if (from == XRDMA_QPS_SQD)
		xrdma_requester_progress(qp); /* send the requests that waited */
}

/* Move to the new state. RESET and ERR take no attributes. */
static void go(struct xrdma_qp *qp, const struct xrdma_qp_attr *attr, unsigned int mask,
	       const struct route *route)
{
	enum xrdma_qp_state to = mask & XRDMA_QP_STATE ? attr->state : qp->attr.state;

	if (to == XRDMA_QPS_RESET)
		xrdma_qp_reset(qp);
	else if (to == XRDMA_QPS_ERR)
		xrdma_requester_stop(qp);
	else
		apply(qp, attr, mask, route);
}

/*
 * Update the state of QP, which XDP may have stopped. A program that waits for SQD to be drained
 * may call only xrdma_qp_query().
 */
static void look(struct xrdma_qp *qp)
{
	if (qp->attr.state == XRDMA_QPS_SQD)
		xrdma_requester_wake(qp);
	else
		xrdma_requester_notice(qp);
}

/* Returns the seed of the flow label and the UDP source port, which differ by connection. */
static __u32 flow_seed(__u32 qpn, __u32 dest_qpn)
{
	return qpn ^ dest_qpn ^ dest_qpn >> 14;
}

/* Open the socket of QP, whose datagrams name their destinations. The lock of QP is kept. */
static int open_any(const struct xrdma_qp *qp, struct route *route)
{
	const struct xrdma_device *device = &qp->pd->context->device;
	int mtu = xrdma_device_refresh(device) ?: xrdma_port_mtu(device->ifindex), err;

	if (mtu < 0)
		return mtu;
	err = xrdma_udp_open_any(&route->udp, qp->qpn);
	route->path = (struct xrdma_path){
		.ifindex = device->ifindex,
		.mtu = mtu,
		.hop_limit = XRDMA_HOP_LIMIT,
		.udp_sport = route->udp.sport,
	};
	return err;
}

/*
 * Open the route to the peer that ATTR and MASK name. The lock of QP is released meanwhile, so that
 * other threads can go on. The UDP source port of QP stays, because the peer may know it.
 */
static int open_route(struct xrdma_qp *qp, const struct xrdma_qp_attr *attr, unsigned int mask,
		      struct route *route)
{
	const struct xrdma_device *device = &qp->pd->context->device;
	struct xrdma_qp_attr all = qp->attr;
	int err;

	if (!qp->is_connected)
		return open_any(qp, route);
	set_attrs(&all, attr, mask);
	if (!all.ah_attr.udp_sport && qp->attr.state == XRDMA_QPS_SQD)
		all.ah_attr.udp_sport = qp->attr.ah_attr.udp_sport;
	route->path = xrdma_ah_path(device, &all.ah_attr, all.path_mtu);
	xrdma_mutex_unlock(&qp->lock);
	err = xrdma_device_refresh(device) ?: xrdma_path_resolve(&route->path)
	      ?: xrdma_udp_open(&route->udp, &route->path, flow_seed(qp->qpn, all.dest_qpn));
	xrdma_mutex_lock(&qp->lock);
	if (!err)
		route->path.udp_sport = route->udp.sport;
	return err;
}

static int modify(struct xrdma_qp *qp, const struct xrdma_qp_attr *attr, unsigned int mask)
{
	struct route route;
	bool is_new;
	int err;

	look(qp);
	err = xrdma_transition_check(qp, attr, mask);
	if (!err && mask & XRDMA_QP_STATE && attr->state == XRDMA_QPS_RESET)
		err = xrdma_mws_check_qp(qp->pd->context->keys, &qp->windows);
	is_new = !err && is_routed(qp, attr, mask);
	if (is_new) {
		err = open_route(qp, attr, mask, &route);
		if (err)
			return err;
		err = xrdma_transition_check(qp, attr, mask);
		if (err)
			xrdma_udp_close(&route.udp);
	}
	if (!err)
		go(qp, attr, mask, is_new ? &route : NULL);
	return err;
}

int xrdma_qp_modify(struct xrdma_qp *qp, const struct xrdma_qp_attr *attr, unsigned int mask)
{
	struct xrdma_qp_attr all;
	int err = xrdma_attr_read(attr, &all, sizeof(all), "xrdma_qp_attr");

	if (!err)
		err = xrdma_context_enter(qp->pd->context);
	if (err)
		return err;
	xrdma_mutex_lock(&qp->lock);
	err = modify(qp, &all, mask);
	xrdma_mutex_unlock(&qp->lock);
	return err;
}

int xrdma_qp_query(struct xrdma_qp *qp, struct xrdma_qp_attr *attr)
{
	struct xrdma_qp_attr all;
	int err = xrdma_attr_check(attr, "xrdma_qp_attr");

	if (!err)
		err = xrdma_context_own(qp->pd->context);
	if (err)
		return err;
	xrdma_mutex_lock(&qp->lock);
	look(qp);
	all = qp->attr;
	all.sq_draining = xrdma_qp_is_draining(qp);
	all.cur_state = all.state;
	all.port = 1;
	if (all.state >= XRDMA_QPS_RTR)
		all.rq_psn = XRDMA_READ(qp->row->resp.psn);
	if (all.state >= XRDMA_QPS_RTS)
		all.sq_psn = XRDMA_READ(qp->row->sent_psn);
	xrdma_mutex_unlock(&qp->lock);
	xrdma_attr_write(attr, &all, sizeof(all));
	return 0;
}
