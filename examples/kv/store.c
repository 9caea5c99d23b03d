// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * store DEVICE: keep a table of keys and values. Clients ask for changes by SENDs. They read the
 * table by READs, in which the store takes no part.
 */
#include <endian.h>
#include <err.h>
#include <poll.h>

#include "../endpoint.h"
#include "entry.h"
#include "xrdma/abi/context.h"

enum { CLIENTS = 64 };

static struct xrdma_qp *clients[CLIENTS];

struct memory {
	struct entry table[SLOTS];
	struct entry asked[CLIENTS]; /* request of each client */
};

static void put(struct entry *table, const struct entry *entry)
{
	for (__u32 try = 0; try < SLOTS; try++) {
		struct entry *slot = &table[entry_slot(entry->key, try)];

		if (slot->key[0] && !entry_has(slot, entry->key))
			continue;
		*slot = *entry;
		return;
	}
	warnx("the table is full");
}

static void receive(const struct endpoint *e, int client)
{
	struct xrdma_sge sge =
		endpoint_sge(e, offsetof(struct memory, asked[client]), sizeof(struct entry));

	endpoint_receive(clients[client], client, &sge);
}

static void leave(int client)
{
	must(xrdma_qp_destroy(clients[client]));
	clients[client] = NULL;
}

/* Accept clients. If there are too many, further ones wait until a client leaves. */
static void take(const struct endpoint *e, int listener, const struct offer *offer)
{
	const struct xrdma_conn_attr attr = {
		.sz = sizeof(attr),
		.access = XRDMA_ACCESS_REMOTE_READ,
		.private_data = offer,
		.private_len = sizeof(*offer),
	};
	int client = 0;

	while (client < CLIENTS && clients[client])
		client++;
	if (client == CLIENTS)
		return;
	clients[client] = endpoint_add_qp(e);
	endpoint_init(clients[client]);
	receive(e, client);
	if (!xrdma_conn_accept(listener, clients[client], &attr, NULL))
		return;
	warnx("%s", xrdma_error());
	leave(client);
}

/*
 * Handle a client's request. If the message is empty, or the connection fails, the client leaves.
 */
static void serve(const struct endpoint *e, const struct xrdma_wc *wc)
{
	const struct xrdma_send_wr done = { .wr_id = wc->wr_id, .opcode = XRDMA_WR_SEND };
	struct memory *memory = (struct memory *)e->memory;
	const struct entry *asked = &memory->asked[wc->wr_id];

	if (!clients[wc->wr_id])
		return;
	if (wc->status != XRDMA_WC_SUCCESS || wc->byte_len != sizeof(*asked)) {
		leave(wc->wr_id);
		return;
	}
	if (asked->key[0] && asked->sum == entry_sum(asked))
		put(memory->table, asked);
	receive(e, wc->wr_id);
	endpoint_send(clients[wc->wr_id], &done);
}

int main(int argc, char **argv)
{
	struct pollfd ready = { .events = POLLIN };
	struct xrdma_mr *table;
	struct offer offer;
	struct endpoint e;
	struct xrdma_wc wc;

	if (argc != 2)
		errx(2, "usage: store DEVICE");
	endpoint_open(&e, argv[1], sizeof(struct memory), XRDMA_ACCESS_LOCAL_WRITE);
	must(xrdma_mr_reg(e.pd, e.memory, sizeof(struct entry) * SLOTS, XRDMA_ACCESS_REMOTE_READ,
			  &table));
	offer = endpoint_offer(&e, sizeof(struct entry) * SLOTS);
	offer.rkey = htobe32(xrdma_mr_key(table));
	must(xrdma_conn_listen(NULL, PORT, &ready.fd));
	for (;;) {
		/* Sleep for at most a millisecond, so that other programs have the CPU. */
		if (poll(&ready, 1, 1) > 0)
			take(&e, ready.fd, &offer);
		while (xrdma_cq_poll(e.recv_cq, 1, &wc) > 0)
			serve(&e, &wc);
		xrdma_cq_poll(e.cq, 1, &wc); /* resends an answer that was lost */
	}
}
