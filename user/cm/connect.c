// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* xrdma_conn_connect(): the active side. */
#include <errno.h>
#include <string.h>

#include "cm/exchange.h"
#include "lib/addr.h"
#include "net/neigh.h"
#include "queue/qp.h"

/* Choose the device's address for DEST, for xrdma_stream_connect(). */
static int choose_source(const __be32 dest[4], __be32 source[4], void *arg)
{
	const struct xrdma_exchange *e = arg;

	if (xrdma_addr_is_unset(e->attr.source))
		return xrdma_route_source(e->qp->pd->context->device.ifindex, dest, source);
	if (xrdma_addr_is_ipv4(e->attr.source) != xrdma_addr_is_ipv4(dest))
		return -EAFNOSUPPORT;
	memcpy(source, e->attr.source, sizeof(e->attr.source));
	return 0;
}

/* Exchange the messages over the stream, which is open. */
static int shake_hands(struct xrdma_exchange *e)
{
	return xrdma_exchange_introduce(e) ?: xrdma_exchange_send(e, XRDMA_MESSAGE_REQ)
	       ?: xrdma_exchange_receive(e, XRDMA_MESSAGE_REP) ?: xrdma_exchange_bring_up(e)
	       ?: xrdma_exchange_send(e, XRDMA_MESSAGE_RTU)
	       ?: xrdma_exchange_receive(e, XRDMA_MESSAGE_RDY);
}

int xrdma_conn_connect(const char *address, const char *port, struct xrdma_qp *qp,
		       const struct xrdma_conn_attr *attr, struct xrdma_conn_peer *peer)
{
	struct xrdma_exchange e;
	const struct xrdma_stream_chooser chooser = {
		.choose = choose_source,
		.arg = &e,
		.ifindex = qp->pd->context->device.ifindex,
	};
	int err = xrdma_exchange_begin(&e, qp, attr, peer);

	if (!err && !xrdma_addr_is_unset(e.attr.source))
		err = xrdma_device_check_source(&qp->pd->context->device, e.attr.source);
	if (!err)
		err = xrdma_stream_connect(address, port, &chooser, e.attr.wait_ms, &e.stream);
	if (err)
		return err;
	err = shake_hands(&e);
	if (err) {
		xrdma_exchange_refuse(&e, err);
		return xrdma_exchange_reset(qp, err);
	}
	xrdma_exchange_keep_to_port(&e);
	xrdma_exchange_end(&e, peer);
	return 0;
}
