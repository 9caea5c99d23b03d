// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * target DEVICE LEN: provide LEN bytes of memory to writers that connect, print where they are, and
 * do nothing more: the XDP programs on DEVICE execute the WRITEs.
 */
#include <endian.h>
#include <err.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "../endpoint.h"
#include "xrdma/abi/context.h"

int main(int argc, char **argv)
{
	const struct xrdma_qp_attr reset = { .sz = sizeof(reset), .state = XRDMA_QPS_RESET };
	__u32 len = argc == 3 ? strtoul(argv[2], NULL, 0) : 0;
	struct offer offer;
	struct xrdma_conn_attr attr = {
		.sz = sizeof(attr),
		.access = XRDMA_ACCESS_REMOTE_WRITE,
		.private_data = &offer,
		.private_len = sizeof(offer),
	};
	struct endpoint e;
	int listener;

	if (!len)
		errx(2, "usage: target DEVICE LEN");
	endpoint_open(&e, argv[1], len, XRDMA_ACCESS_LOCAL_WRITE | XRDMA_ACCESS_REMOTE_WRITE);
	offer = endpoint_offer(&e, len);
	must(xrdma_conn_listen(NULL, PORT, &listener));
	printf("%p\n", (void *)e.memory);
	fflush(stdout);
	for (;;) { /* each new writer replaces the last one */
		poll(&(struct pollfd){ .fd = listener, .events = POLLIN }, 1, -1);
		must(xrdma_qp_modify(e.qp, &reset, XRDMA_QP_STATE));
		if (xrdma_conn_accept(listener, e.qp, &attr, NULL))
			warnx("%s", xrdma_error());
	}
}
