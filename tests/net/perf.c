// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * perf DEVICE HOST PORT OTHER-ADDRESS: connect to a server of xrdma perf in ways that its client
 * never does. perf.sh checks the server's messages. OTHER-ADDRESS is an address of HOST of the
 * other family.
 */
#include "../../tools/perf.h"

#include <endian.h>
#include <err.h>
#include <stdio.h>
#include <string.h>

static const struct terms {
	__u32 version, bytes, qps, depth;
} foreign[] = {
	{ PERF_VERSION + 1, 64, 1, 1 },
	{ PERF_VERSION, 7, 1, 1 },
	{ PERF_VERSION, PERF_BYTES_MAX + 1, 1, 1 },
	{ PERF_VERSION, 0xffffffff, 1, 1 },
	{ PERF_VERSION, 64, 0, 1 },
	{ PERF_VERSION, 64, PERF_QPS_MAX + 1, 1 },
	{ PERF_VERSION, 64, 1, 0 },
	{ PERF_VERSION, 64, 1, PERF_DEPTH_MAX + 1 },
	{ PERF_VERSION, 64, 0x80000001, 0x80000001 },
};

static const struct terms good = { PERF_VERSION, 64, 1, 1 };
static struct perf_end end;
static const char *host, *port;

/* Send LEN bytes of terms. Returns the port for the other queue pairs. */
static __u16 introduce(const struct terms *of, __u16 len)
{
	const struct perf_terms terms = {
		.version = htobe32(of->version),
		.bytes = htobe32(of->bytes),
		.qps = htobe32(of->qps),
		.depth = htobe32(of->depth),
	};
	const struct xrdma_conn_attr attr = {
		.sz = sizeof(attr),
		.private_data = &terms,
		.private_len = len,
	};
	struct xrdma_conn_peer peer = { .sz = sizeof(peer) };
	struct xrdma_qp *qp = perf_add_qp(&end, 1, 0);
	struct perf_reply reply;

	perf_must(xrdma_conn_connect(host, port, qp, &attr, &peer));
	memcpy(&reply, peer.private_data, sizeof(reply));
	return be16toh(reply.port);
}

/* The first queue pair comes over IPv4, the next one over IPv6. */
static void change_address(const char *other)
{
	struct xrdma_qp *qp = perf_add_qp(&end, 1, 0);
	char rest[8];

	snprintf(rest, sizeof(rest), "%u", introduce(&good, sizeof(struct perf_terms)));
	xrdma_conn_connect(other, rest, qp, NULL, NULL);
}

int main(int argc, char **argv)
{
	if (argc != 5)
		errx(2, "usage: perf DEVICE HOST PORT OTHER-ADDRESS");
	host = argv[2];
	port = argv[3];
	perf_open(&end, argv[1], XRDMA_TX_AUTO);
	for (size_t i = 0; i < sizeof(foreign) / sizeof(foreign[0]); i++)
		introduce(&foreign[i], sizeof(struct perf_terms));
	introduce(&good, sizeof(struct perf_terms) - 1);
	introduce(&good, 0);
	change_address(argv[4]);
	introduce(&good, sizeof(struct perf_terms)); /* no other queue pair connects */
	return 0;
}
