// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * server DEVICE: send each message back in capital letters, to hundreds of clients. All clients
 * share one receive queue. All completions come by one channel, so the server sleeps, and uses no
 * CPU, while no client wants anything. An empty message is a client's last one.
 */
#include <ctype.h>
#include <err.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <xrdma/xrdma.h>

#include "../endpoint.h"
#include "text.h"

enum {
	CLIENTS = 1000,
	BUCKETS = 1024,	     /* of the table of clients */
	SLOTS = 256,	     /* receives; each has TEXT_MAX bytes of the memory */
	ANSWERS = 8,	     /* the most that are under way to one client */
	IS_ANSWER = 1 << 16, /* bit of a wr_id; the others are the number of a slot */
};

struct client {
	struct xrdma_qp *qp;
	__u32 qpn;
	__u32 answers; /* under way */
	bool leaves;
	struct client *next; /* in its bucket */
};

static struct server {
	struct endpoint e; /* without a queue pair of its own */
	struct xrdma_srq *srq;
	struct client *buckets[BUCKETS]; /* by QPN */
	__u32 clients;
} server;

static void open_server(const char *device)
{
	const struct xrdma_context_attr attr = { .sz = sizeof(attr), .qps = CLIENTS };
	const struct xrdma_srq_attr receives = { .sz = sizeof(receives),
						 .max_wr = SLOTS,
						 .max_sge = 1 };
	struct xrdma_cq_init_attr cq = { .sz = sizeof(cq), .entries = SLOTS };
	struct endpoint *e = &server.e;
	void *memory;

	must(xrdma_context_open(device, &attr, &e->context));
	must(xrdma_pd_alloc(e->context, &e->pd));
	must(xrdma_comp_channel_create(e->context, &e->channel));
	cq.channel = e->channel;
	must(xrdma_cq_create_ex(e->context, &cq, &e->cq));
	must(xrdma_srq_create(e->pd, &receives, &server.srq));
	must(xrdma_alloc(e->context, SLOTS * TEXT_MAX, 4096, &memory));
	e->memory = memory;
	must(xrdma_mr_reg(e->pd, memory, SLOTS * TEXT_MAX, XRDMA_ACCESS_LOCAL_WRITE, &e->mr));
}

/* Post the receive of SLOT. */
static void receive(__u64 slot)
{
	struct xrdma_sge sge = endpoint_sge(&server.e, slot * TEXT_MAX, TEXT_MAX);
	const struct xrdma_recv_wr wr = { .wr_id = slot, .sg_list = &sge, .num_sge = 1 };
	const struct xrdma_recv_wr *bad;

	must(xrdma_srq_post_recv(server.srq, &wr, &bad));
}

/* Returns the place that points to the client with QPN, or to NULL if there is none. */
static struct client **find(__u32 qpn)
{
	struct client **place = &server.buckets[qpn % BUCKETS];

	while (*place && (*place)->qpn != qpn)
		place = &(*place)->next;
	return place;
}

/* Accept a client. */
static void take(int listener)
{
	const struct xrdma_qp_init_attr init = {
		.sz = sizeof(init),
		.transport = XRDMA_TRANSPORT_RC,
		.max_send_wr = ANSWERS,
		.max_send_sge = 1,
		.send_cq = server.e.cq,
		.recv_cq = server.e.cq,
		.srq = server.srq,
	};
	struct client *client = calloc(1, sizeof(*client));

	if (!client)
		err(1, "client");
	must(xrdma_qp_create(server.e.pd, &init, &client->qp));
	if (xrdma_conn_accept(listener, client->qp, NULL, NULL)) {
		warnx("%s", xrdma_error());
		must(xrdma_qp_destroy(client->qp));
		free(client);
		return;
	}
	client->qpn = xrdma_qp_number(client->qp);
	*find(client->qpn) = client;
	server.clients++;
}

/* Let the client at PLACE leave, when no answer to it is under way any more. */
static void leave(struct client **place)
{
	struct client *client = *place;
	const struct xrdma_qp_attr error = { .sz = sizeof(error), .state = XRDMA_QPS_ERR };

	if (!client->leaves)
		must(xrdma_qp_modify(client->qp, &error, XRDMA_QP_STATE));
	client->leaves = true;
	if (client->answers)
		return;
	must(xrdma_qp_destroy(client->qp));
	*place = client->next;
	free(client);
	server.clients--;
}

/* Answer the message of LEN bytes in SLOT. */
static void answer(struct client *client, __u64 slot, __u32 len)
{
	struct xrdma_sge sge = endpoint_sge(&server.e, slot * TEXT_MAX, len);
	const struct xrdma_send_wr wr = {
		.wr_id = slot | IS_ANSWER,
		.opcode = XRDMA_WR_SEND,
		.flags = XRDMA_SEND_SIGNALED,
		.sg_list = &sge,
		.num_sge = 1,
	};
	char *text = server.e.memory + slot * TEXT_MAX;

	for (__u32 i = 0; i < len; i++)
		text[i] = toupper((unsigned char)text[i]);
	endpoint_send(client->qp, &wr);
	client->answers++;
}

/* Handle a message, or the end of an answer. Either way its slot can receive the next message. */
static void handle(const struct xrdma_wc *wc)
{
	struct client **place = find(wc->qpn), *client = *place;
	const __u64 slot = wc->wr_id & ~(__u64)IS_ANSWER;
	const bool is_answer = wc->wr_id & IS_ANSWER;

	if (is_answer)
		client->answers--;
	if (!is_answer && wc->status == XRDMA_WC_SUCCESS && wc->byte_len &&
	    client->answers < ANSWERS) {
		answer(client, slot, wc->byte_len);
		return;
	}
	receive(slot);
	if (!is_answer || wc->status != XRDMA_WC_SUCCESS || client->leaves)
		leave(place);
}

/* Take all completions after an event. */
static void serve(void)
{
	struct xrdma_cq *cq;
	struct xrdma_wc wc;

	must(xrdma_comp_channel_read(server.e.channel, &cq));
	must(xrdma_cq_ack_events(cq, 1));
	must(xrdma_cq_req_notify(cq, false));
	while (xrdma_cq_poll(cq, 1, &wc) > 0)
		handle(&wc);
}

int main(int argc, char **argv)
{
	struct pollfd ready[2] = { [1].events = POLLIN };

	if (argc != 2)
		errx(2, "usage: server DEVICE");
	open_server(argv[1]);
	for (int slot = 0; slot < SLOTS; slot++)
		receive(slot);
	must(xrdma_conn_listen(NULL, PORT, &ready[0].fd));
	ready[1].fd = xrdma_comp_channel_fd(server.e.channel);
	must(xrdma_cq_req_notify(server.e.cq, false));
	for (;;) {
		ready[0].events = server.clients < CLIENTS ? POLLIN : 0;
		if (poll(ready, 2, -1) < 0)
			err(1, "poll");
		if (ready[0].revents)
			take(ready[0].fd);
		if (ready[1].revents)
			serve();
	}
}
