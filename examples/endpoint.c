// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "endpoint.h"

#include <endian.h>
#include <err.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

static const __u64 OF_MESSAGE = -1; /* the wr_id of messages */

void must(int err)
{
	if (err)
		errx(1, "%s", xrdma_error());
}

void endpoint_open_domain(struct endpoint *endpoint, const char *device, struct xrdma_pd_attr *attr)
{
	*endpoint = (struct endpoint){ 0 };
	must(xrdma_context_open(device, NULL, &endpoint->context));
	if (attr)
		must(xrdma_pd_open(endpoint->context, attr, &endpoint->pd));
	else
		must(xrdma_pd_alloc(endpoint->context, &endpoint->pd));
	must(xrdma_cq_create(endpoint->context, 256, &endpoint->cq));
	must(xrdma_cq_create(endpoint->context, 256, &endpoint->recv_cq));
	endpoint->qp = endpoint_add_qp(endpoint);
}

void endpoint_open(struct endpoint *endpoint, const char *device, size_t len, unsigned int access)
{
	void *memory;

	endpoint_open_domain(endpoint, device, NULL);
	must(xrdma_alloc(endpoint->context, len, 4096, &memory));
	memset(memory, 0, len);
	endpoint->memory = memory;
	must(xrdma_mr_reg(endpoint->pd, memory, len, access, &endpoint->mr));
}

void endpoint_close(struct endpoint *endpoint)
{
	must(xrdma_qp_destroy(endpoint->qp));
	must(xrdma_cq_destroy(endpoint->cq));
	must(xrdma_cq_destroy(endpoint->recv_cq));
	if (endpoint->channel)
		must(xrdma_comp_channel_destroy(endpoint->channel));
	if (endpoint->mr)
		must(xrdma_mr_close(endpoint->mr));
	must(xrdma_pd_dealloc(endpoint->pd));
	must(xrdma_context_close(endpoint->context));
}

struct xrdma_qp *endpoint_add_qp(const struct endpoint *endpoint)
{
	const struct xrdma_qp_init_attr init = {
		.sz = sizeof(init),
		.transport = XRDMA_TRANSPORT_RC,
		.max_send_wr = ENDPOINT_WRS,
		.max_send_sge = 1,
		.max_recv_wr = ENDPOINT_WRS,
		.max_recv_sge = 1,
		.send_cq = endpoint->cq,
		.recv_cq = endpoint->recv_cq,
		.send_ops = XRDMA_QP_WITH_MKEY_CONFIGURE,
	};
	struct xrdma_qp *qp;

	must(xrdma_qp_create(endpoint->pd, &init, &qp));
	return qp;
}

void endpoint_init(struct xrdma_qp *qp)
{
	const struct xrdma_qp_attr init = {
		.sz = sizeof(init),
		.state = XRDMA_QPS_INIT,
		.port = 1,
	};

	must(xrdma_qp_modify(qp, &init,
			     XRDMA_QP_STATE | XRDMA_QP_PKEY_INDEX | XRDMA_QP_PORT |
				     XRDMA_QP_ACCESS_FLAGS));
}

struct xrdma_sge endpoint_sge(const struct endpoint *endpoint, size_t offset, __u32 len)
{
	return (struct xrdma_sge){
		.addr = (uintptr_t)endpoint->memory + offset,
		.length = len,
		.lkey = endpoint->mr ? xrdma_mr_key(endpoint->mr) : 0,
	};
}

void endpoint_receive(struct xrdma_qp *qp, __u64 wr_id, const struct xrdma_sge *sge)
{
	const struct xrdma_recv_wr wr = { .wr_id = wr_id, .sg_list = sge, .num_sge = 1 };
	const struct xrdma_recv_wr *bad;

	must(xrdma_qp_post_recv(qp, &wr, &bad));
}

void endpoint_send(struct xrdma_qp *qp, const struct xrdma_send_wr *wr)
{
	const struct xrdma_send_wr *bad;

	must(xrdma_qp_post_send(qp, wr, &bad));
}

/*
 * Poll until there is a completion. The peer usually responds at once. If it does not, give the CPU
 * to other programs.
 */
static struct xrdma_wc wait_for(struct xrdma_cq *cq)
{
	enum { POLLS = 1000, PAUSE_US = 50 };
	struct xrdma_wc wc;
	int got;

	for (int polls = 0; !(got = xrdma_cq_poll(cq, 1, &wc)); polls++)
		if (polls >= POLLS)
			usleep(PAUSE_US);
	must(got < 0 ? got : 0);
	return wc;
}

/* Wait for a completion. Completions of messages are ignored. */
struct xrdma_wc endpoint_wait(const struct endpoint *endpoint)
{
	struct xrdma_wc wc;

	do
		wc = wait_for(endpoint->cq);
	while (wc.wr_id == OF_MESSAGE && wc.status == XRDMA_WC_SUCCESS);
	return wc;
}

struct xrdma_wc endpoint_wait_received(const struct endpoint *endpoint)
{
	return wait_for(endpoint->recv_cq);
}

static void check(const struct xrdma_wc *wc, const char *what)
{
	if (wc->status != XRDMA_WC_SUCCESS)
		errx(1, "%s: %s", what, xrdma_wc_status_str(wc->status));
}

void endpoint_done(const struct endpoint *endpoint, const char *what)
{
	const struct xrdma_wc wc = endpoint_wait(endpoint);

	check(&wc, what);
}

void endpoint_receive_numbers(const struct endpoint *endpoint)
{
	const struct xrdma_sge none = endpoint_sge(endpoint, 0, 0);

	for (int i = 0; i < 2; i++) /* one is always posted, also while the other is handled */
		endpoint_receive(endpoint->qp, 0, &none);
}

static void send_number(const struct endpoint *endpoint, __u32 number, __u64 wr_id)
{
	const struct xrdma_send_wr wr = {
		.wr_id = wr_id,
		.opcode = XRDMA_WR_SEND_WITH_IMM,
		.flags = XRDMA_SEND_SIGNALED,
		.imm = htobe32(number),
	};

	endpoint_send(endpoint->qp, &wr);
}

void endpoint_send_number(const struct endpoint *endpoint, __u32 number)
{
	send_number(endpoint, number, OF_MESSAGE);
}

void endpoint_send_last_number(const struct endpoint *endpoint, __u32 number)
{
	send_number(endpoint, number, 0);
	endpoint_done(endpoint, "message");
}

__u32 endpoint_wait_number(const struct endpoint *endpoint)
{
	const struct xrdma_sge none = endpoint_sge(endpoint, 0, 0);
	const struct xrdma_wc wc = endpoint_wait_received(endpoint);
	struct xrdma_wc sent;
	int got;

	check(&wc, "message to come");
	while ((got = xrdma_cq_poll(endpoint->cq, 1, &sent)) > 0) /* makes room for more messages */
		check(&sent, "message");
	must(got);
	endpoint_receive(endpoint->qp, 0, &none);
	return be32toh(wc.imm);
}

struct offer endpoint_offer(const struct endpoint *endpoint, __u32 len)
{
	return (struct offer){
		.addr = htobe64((uintptr_t)endpoint->memory),
		.rkey = htobe32(xrdma_mr_key(endpoint->mr)),
		.len = htobe32(len),
	};
}

struct offer endpoint_take_offer(const struct xrdma_conn_peer *peer)
{
	struct offer offer;

	if (peer->private_len != sizeof(offer))
		errx(1, "the target makes no offer");
	memcpy(&offer, peer->private_data, sizeof(offer));
	return offer;
}
