// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "peer.h"

#include <endian.h>
#include <err.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"
#include "hosts.h"
#include "xrdma/abi/context.h"

enum {
	REMOTE = XRDMA_ACCESS_REMOTE_WRITE | XRDMA_ACCESS_REMOTE_READ | XRDMA_ACCESS_REMOTE_ATOMIC,
};

static bool is_loaded;
static enum xrdma_mode loaded_mode;

/*
 * Open the endpoint of PEER like endpoint_open(), but with a longer send queue, with TX, and with
 * events if ATTR has them.
 */
static void open_endpoint(struct peer *peer, const char *device, const struct peer_attr *attr,
			  enum xrdma_tx tx)
{
	struct xrdma_cq_init_attr recv_cq = { .sz = sizeof(recv_cq), .entries = PEER_WRS };
	struct endpoint *e = &peer->e;
	const struct xrdma_context_attr context = { .sz = sizeof(context), .tx = tx };
	struct xrdma_qp_init_attr init = {
		.sz = sizeof(init),
		.transport = XRDMA_TRANSPORT_RC,
		.max_send_wr = PEER_WRS,
		.max_send_sge = 1,
		.max_recv_wr = PEER_WRS,
		.max_recv_sge = 1,
	};
	void *memory;

	must(xrdma_context_open(device, &context, &e->context));
	must(xrdma_pd_alloc(e->context, &e->pd));
	must(xrdma_cq_create(e->context, PEER_WRS, &e->cq));
	e->channel = NULL;
	if (attr->events)
		must(xrdma_comp_channel_create(e->context, &e->channel));
	recv_cq.channel = e->channel;
	must(xrdma_cq_create_ex(e->context, &recv_cq, &e->recv_cq));
	if (attr->events)
		must(xrdma_cq_req_notify(e->recv_cq, false));
	init.send_cq = e->cq;
	init.recv_cq = e->recv_cq;
	must(xrdma_qp_create(e->pd, &init, &e->qp));
	must(xrdma_alloc(e->context, attr->bytes, 4096, &memory));
	memset(memory, 0, attr->bytes);
	e->memory = memory;
	must(xrdma_mr_reg(e->pd, memory, attr->bytes, REMOTE | XRDMA_ACCESS_LOCAL_WRITE, &e->mr));
}

/* Wait for a message without polling, and post its receive again. */
static void wait_received(const struct peer *peer)
{
	struct xrdma_cq *cq;
	struct xrdma_wc wc;
	int count;

	do {
		must(xrdma_comp_channel_read(peer->e.channel, &cq));
		must(xrdma_cq_ack_events(cq, 1));
		must(xrdma_cq_req_notify(cq, false));
		count = xrdma_cq_poll(cq, 1, &wc);
		must(count < 0 ? count : 0);
	} while (!count);
	if (wc.status)
		errx(1, "a receive failed: %s", xrdma_wc_status_str(wc.status));
	endpoint_receive(peer->e.qp, 0, &peer->sge);
}

/* Send WR, and remove completions of earlier requests. */
static void send_by(const struct peer *peer, const struct xrdma_send_wr *wr)
{
	struct xrdma_wc wcs[8];
	int count = xrdma_cq_poll(peer->e.cq, 8, wcs);

	must(count < 0 ? count : 0);
	for (int i = 0; i < count; i++)
		if (wcs[i].status)
			errx(1, "a request failed: %s", xrdma_wc_status_str(wcs[i].status));
	endpoint_send(peer->e.qp, wr);
}

void peer_ask(const struct peer *peer, const struct xrdma_send_wr *wr)
{
	send_by(peer, wr);
	wait_received(peer);
}

/* Answer each message with one of the same length. */
static void answer(struct peer *peer, __u32 len)
{
	const struct xrdma_send_wr wr = peer_request(peer, XRDMA_WR_SEND, len);

	for (;;) {
		wait_received(peer);
		send_by(peer, &wr);
	}
}

static void post_receives(struct peer *peer, __u32 len)
{
	peer->sge = endpoint_sge(&peer->e, 0, len);
	endpoint_init(peer->e.qp);
	for (int i = 0; i < PEER_WRS; i++)
		endpoint_receive(peer->e.qp, 0, &peer->sge);
}

/* Serve one peer on xb, until this process is ended. */
static void serve(const void *of, int ready)
{
	const struct peer_attr *attr = of;
	struct offer offer;
	const struct xrdma_conn_attr conn = {
		.sz = sizeof(conn),
		.access = REMOTE,
		.private_data = &offer,
		.private_len = sizeof(offer),
	};
	struct peer peer = { 0 };
	struct endpoint *e = &peer.e;
	int listener;

	open_endpoint(&peer, "xb", attr, XRDMA_TX_AUTO);
	offer = endpoint_offer(e, attr->bytes);
	post_receives(&peer, attr->bytes);
	must(xrdma_conn_listen(NULL, PORT, &listener));
	hosts_ready(ready);
	must(xrdma_conn_accept(listener, e->qp, &conn, NULL));
	if (attr->events)
		answer(&peer, attr->bytes);
	while (attr->receives) {
		endpoint_wait_received(e);
		endpoint_receive(e->qp, 0, &peer.sge);
	}
	pause();
}

static void load(enum xrdma_mode mode)
{
	if (is_loaded && loaded_mode == mode)
		return;
	peers_unload();
	hosts_load("a", "xa", mode);
	hosts_load("b", "xb", mode);
	is_loaded = true;
	loaded_mode = mode;
}

void peers_unload(void)
{
	if (!is_loaded)
		return;
	hosts_unload("a", "xa");
	hosts_unload("b", "xb");
	is_loaded = false;
}

void peer_open(struct peer *peer, const struct peer_attr *attr)
{
	const struct xrdma_conn_attr conn = { .sz = sizeof(conn), .path_mtu = attr->path_mtu };
	struct xrdma_conn_peer theirs = { .sz = sizeof(theirs) };

	load(attr->mode);
	peer->target = hosts_start(serve, attr);
	open_endpoint(peer, "xa", attr, attr->tx);
	if (attr->events)
		post_receives(peer, attr->bytes);
	must(xrdma_conn_connect("10.66.0.2", PORT, peer->e.qp, &conn, &theirs));
	peer->offer = endpoint_take_offer(&theirs);
}

void peer_close(struct peer *peer)
{
	hosts_end(peer->target);
	endpoint_close(&peer->e);
	if (!bench_is_quick())
		peers_unload();
}

struct xrdma_send_wr peer_request(struct peer *peer, enum xrdma_wr_opcode opcode, __u32 len)
{
	peer->sge = endpoint_sge(&peer->e, 0, len);
	return (struct xrdma_send_wr){
		.opcode = opcode,
		.flags = XRDMA_SEND_SIGNALED,
		.sg_list = &peer->sge,
		.num_sge = 1,
		.remote_addr = be64toh(peer->offer.addr),
		.rkey = be32toh(peer->offer.rkey),
	};
}
