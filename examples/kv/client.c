// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * client DEVICE HOST put KEY VALUE: send a value to the store, and wait until the store has it.
 *
 * client DEVICE HOST get KEY: read the value from the store's table. Status 3: there is no such
 * key.
 */
#include <endian.h>
#include <err.h>
#include <errno.h>
#include <stdio.h>

#include "../endpoint.h"
#include "entry.h"
#include "xrdma/abi/context.h"

enum { TRIES = 10 };

/* Execute WR with LEN bytes of the memory. If it is ANSWERED, wait for the store's answer. */
static void execute(const struct endpoint *e, struct xrdma_send_wr *wr, __u32 len, bool answered)
{
	const struct xrdma_sge sge = endpoint_sge(e, 0, len);

	wr->flags = XRDMA_SEND_SIGNALED;
	wr->sg_list = &sge;
	wr->num_sge = 1;
	endpoint_send(e->qp, wr);
	endpoint_done(e, "request");
	if (answered && endpoint_wait_received(e).status != XRDMA_WC_SUCCESS)
		errx(1, "the store does not answer");
}

static void put(const struct endpoint *e, const char *key, const char *value)
{
	struct xrdma_send_wr wr = { .opcode = XRDMA_WR_SEND };
	struct entry *entry = (struct entry *)e->memory;

	if (strlen(value) >= sizeof(entry->value))
		errx(2, "a value has at most %zu bytes", sizeof(entry->value) - 1);
	strcpy(entry->key, key);
	strcpy(entry->value, value);
	entry->sum = entry_sum(entry);
	execute(e, &wr, sizeof(*entry), true);
}

/* Read slot SLOT. Repeat this while the store is writing to it. */
static const struct entry *read_slot(const struct endpoint *e, const struct offer *table,
				     __u32 slot)
{
	const struct entry *entry = (const struct entry *)e->memory;
	struct xrdma_send_wr wr = {
		.opcode = XRDMA_WR_RDMA_READ,
		.rkey = be32toh(table->rkey),
		.remote_addr = be64toh(table->addr) + slot * sizeof(*entry),
	};

	do
		execute(e, &wr, sizeof(*entry), false);
	while (entry->sum ? entry->sum != entry_sum(entry) : entry->key[0]);
	return entry;
}

static int get(const struct endpoint *e, const struct offer *table, const char *name)
{
	char key[sizeof(((struct entry *)0)->key)] = { 0 };
	const struct entry *entry;

	strcpy(key, name);
	for (__u32 try = 0; try < SLOTS; try++) {
		entry = read_slot(e, table, entry_slot(key, try));
		if (!entry->key[0])
			break;
		if (!entry_has(entry, key))
			continue;
		puts(entry->value);
		return 0;
	}
	warnx("there is no %s", name);
	return 3;
}

/* Connect to the store, which accepts one client at a time and may be busy. */
static void enter(const struct endpoint *e, const char *host, struct xrdma_conn_peer *peer)
{
	const struct xrdma_sge answer = endpoint_sge(e, 0, 0);
	int err = -EBUSY;

	for (int tries = 0; err == -EBUSY && tries < TRIES; tries++) {
		endpoint_init(e->qp);
		endpoint_receive(e->qp, 0, &answer);
		err = xrdma_conn_connect(host, PORT, e->qp, NULL, peer);
	}
	must(err);
}

int main(int argc, char **argv)
{
	struct xrdma_send_wr bye = { .opcode = XRDMA_WR_SEND };
	struct xrdma_conn_peer peer = { .sz = sizeof(peer) };
	struct offer table;
	struct endpoint e;
	int status = 0;

	if ((argc != 5 || strcmp(argv[3], "get")) && (argc != 6 || strcmp(argv[3], "put")))
		errx(2, "usage: client DEVICE HOST get KEY | put KEY VALUE");
	if (!argv[4][0] || strlen(argv[4]) >= sizeof(((struct entry *)0)->key))
		errx(2, "a key has from 1 to %zu bytes", sizeof(((struct entry *)0)->key) - 1);
	endpoint_open(&e, argv[1], sizeof(struct entry), XRDMA_ACCESS_LOCAL_WRITE);
	enter(&e, argv[2], &peer);
	table = endpoint_take_offer(&peer);
	if (argc == 6)
		put(&e, argv[4], argv[5]);
	else
		status = get(&e, &table, argv[4]);
	execute(&e, &bye, 0, false);
	endpoint_close(&e);
	return status;
}
