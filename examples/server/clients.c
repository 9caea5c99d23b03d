// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * clients DEVICE HOST [COUNT [ROUNDS]]: be COUNT clients of a server. Each client sends ROUNDS
 * messages, and waits for each answer. Then all leave.
 */
#include <ctype.h>
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xrdma/xrdma.h>

#include "../endpoint.h"
#include "text.h"

enum { COUNT_MAX = 250, ANSWER = TEXT_MAX };

static struct xrdma_qp *clients[COUNT_MAX];

static void connect(const struct endpoint *e, const char *host, int client)
{
	const struct xrdma_sge sge = endpoint_sge(e, ANSWER, TEXT_MAX);

	clients[client] = endpoint_add_qp(e);
	endpoint_init(clients[client]);
	endpoint_receive(clients[client], client, &sge);
	must(xrdma_conn_connect(host, PORT, clients[client], NULL, NULL));
}

/* Send LEN bytes of the memory. */
static void send(const struct endpoint *e, int client, __u32 len)
{
	const struct xrdma_sge sge = endpoint_sge(e, 0, len);
	const struct xrdma_send_wr wr = {
		.opcode = XRDMA_WR_SEND,
		.flags = XRDMA_SEND_SIGNALED,
		.sg_list = &sge,
		.num_sge = 1,
	};

	endpoint_send(clients[client], &wr);
	endpoint_done(e, "message");
}

/* Send a text, and expect it back in capital letters. */
static void talk(const struct endpoint *e, int client, int round)
{
	const struct xrdma_sge sge = endpoint_sge(e, ANSWER, TEXT_MAX);
	int len = snprintf(e->memory, TEXT_MAX, "round %d of client %d", round, client);
	struct xrdma_wc wc;

	send(e, client, len);
	wc = endpoint_wait_received(e);
	if (wc.status != XRDMA_WC_SUCCESS)
		errx(1, "answer: %s", xrdma_wc_status_str(wc.status));
	for (int i = 0; i < len; i++)
		if (e->memory[ANSWER + i] != toupper((unsigned char)e->memory[i]))
			errx(1, "the answer is %.*s", len, e->memory + ANSWER);
	endpoint_receive(clients[client], client, &sge);
}

int main(int argc, char **argv)
{
	int count = argc > 3 ? atoi(argv[3]) : 10, rounds = argc > 4 ? atoi(argv[4]) : 3;
	struct endpoint e;

	if (argc < 3 || count < 1 || count > COUNT_MAX)
		errx(2, "usage: clients DEVICE HOST [COUNT [ROUNDS]], up to %d clients", COUNT_MAX);
	endpoint_open(&e, argv[1], 2 * TEXT_MAX, XRDMA_ACCESS_LOCAL_WRITE);
	for (int i = 0; i < count; i++)
		connect(&e, argv[2], i);
	for (int round = 0; round < rounds; round++)
		for (int i = 0; i < count; i++)
			talk(&e, i, round);
	printf("%d clients were answered %d times each\n", count, rounds);
	for (int i = 0; i < count; i++) {
		send(&e, i, 0);
		must(xrdma_qp_destroy(clients[i]));
	}
	endpoint_close(&e);
	return 0;
}
