// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * counter DEVICE: provide a counter for all clients that connect. The program takes no part in
 * counting. After a line of input it prints the counter, and ends.
 *
 * counter DEVICE HOST TIMES: get TIMES numbers from the counter, each of which no other client
 * gets, and print them.
 */
#include <endian.h>
#include <err.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>

#include "endpoint.h"
#include "xrdma/abi/context.h"

/* Accept clients. Each one gets a queue pair of its own. */
static void serve(const struct endpoint *e)
{
	const struct offer offer = endpoint_offer(e, sizeof(__u64));
	const struct xrdma_conn_attr attr = {
		.sz = sizeof(attr),
		.access = XRDMA_ACCESS_REMOTE_ATOMIC,
		.private_data = &offer,
		.private_len = sizeof(offer),
	};
	struct pollfd ready[] = { { .fd = 0, .events = POLLIN }, { .events = POLLIN } };
	struct xrdma_qp *qp;

	must(xrdma_conn_listen(NULL, PORT, &ready[1].fd));
	while (poll(ready, 2, -1) > 0 && !ready[0].revents) {
		qp = endpoint_add_qp(e);
		if (!xrdma_conn_accept(ready[1].fd, qp, &attr, NULL))
			continue;
		warnx("%s", xrdma_error());
		must(xrdma_qp_destroy(qp));
	}
	getchar();
	printf("%" PRIu64 "\n", __atomic_load_n((uint64_t *)e->memory, __ATOMIC_ACQUIRE));
}

static __u64 draw(const struct endpoint *e, const struct offer *offer)
{
	const struct xrdma_sge result = endpoint_sge(e, 0, sizeof(__u64));
	const struct xrdma_send_wr wr = {
		.opcode = XRDMA_WR_ATOMIC_FETCH_AND_ADD,
		.flags = XRDMA_SEND_SIGNALED,
		.sg_list = &result,
		.num_sge = 1,
		.remote_addr = be64toh(offer->addr),
		.rkey = be32toh(offer->rkey),
		.compare_add = 1,
	};

	endpoint_send(e->qp, &wr);
	endpoint_done(e, "atomic");
	return *(__u64 *)e->memory;
}

static void count(const struct endpoint *e, const char *host, unsigned long times)
{
	struct xrdma_conn_peer peer = { .sz = sizeof(peer) };
	struct offer offer;

	must(xrdma_conn_connect(host, PORT, e->qp, NULL, &peer));
	offer = endpoint_take_offer(&peer);
	while (times--)
		printf("%llu\n", draw(e, &offer));
}

int main(int argc, char **argv)
{
	struct endpoint e;

	if (argc != 2 && argc != 4)
		errx(2, "usage: counter DEVICE [HOST TIMES]");
	endpoint_open(&e, argv[1], sizeof(__u64),
		      XRDMA_ACCESS_LOCAL_WRITE | XRDMA_ACCESS_REMOTE_ATOMIC);
	if (argc == 4)
		count(&e, argv[2], strtoul(argv[3], NULL, 0));
	else
		serve(&e);
	return 0; /* exiting releases everything else */
}
