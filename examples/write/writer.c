// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * writer DEVICE HOST OFFSET FILE [KEY]: connect to the target on HOST, wait for a line of input,
 * write the content of FILE to OFFSET of the target's memory, and print the result. With KEY, use
 * that key instead of the target's.
 */
#include <endian.h>
#include <err.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../endpoint.h"

enum { ROOM = 1 << 20 };

static __u32 read_file(const char *name, char *into)
{
	FILE *file = fopen(name, "r");
	size_t len;

	if (!file)
		err(1, "%s", name);
	len = fread(into, 1, ROOM, file);
	fclose(file);
	return len;
}

static struct xrdma_wc write_and_wait(struct endpoint *e, __u32 len, __u64 addr, __u32 rkey)
{
	const struct xrdma_sge sge = endpoint_sge(e, 0, len);
	const struct xrdma_send_wr wr = {
		.opcode = XRDMA_WR_RDMA_WRITE,
		.flags = XRDMA_SEND_SIGNALED,
		.sg_list = &sge,
		.num_sge = 1,
		.remote_addr = addr,
		.rkey = rkey,
	};

	endpoint_send(e->qp, &wr);
	return endpoint_wait(e);
}

int main(int argc, char **argv)
{
	struct xrdma_conn_peer peer = { .sz = sizeof(peer) };
	struct offer offer;
	struct endpoint e;
	struct xrdma_wc wc;
	__u32 len, rkey;

	if (argc < 5 || argc > 6)
		errx(2, "usage: writer DEVICE HOST OFFSET FILE [KEY]");
	endpoint_open(&e, argv[1], ROOM, 0);
	len = read_file(argv[4], e.memory);
	must(xrdma_conn_connect(argv[2], PORT, e.qp, NULL, &peer));
	offer = endpoint_take_offer(&peer);
	rkey = argc == 6 ? strtoul(argv[5], NULL, 0) : be32toh(offer.rkey);
	printf("connected to queue pair 0x%06x, %u bytes at 0x%jx under key 0x%08x\n", peer.qpn,
	       be32toh(offer.len), (uintmax_t)be64toh(offer.addr), be32toh(offer.rkey));
	fflush(stdout);
	getchar();
	wc = write_and_wait(&e, len, be64toh(offer.addr) + strtoll(argv[3], NULL, 0), rkey);
	printf("%s\n", xrdma_wc_status_str(wc.status));
	endpoint_close(&e);
	return wc.status != XRDMA_WC_SUCCESS;
}
