// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * pingpong DEVICE: send each message back to the one peer that connects, until it ends.
 *
 * pingpong DEVICE HOST [COUNT [SIZE]]: send COUNT messages of SIZE bytes, one at a time, and wait
 * until each is back.
 */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "endpoint.h"
#include "xrdma/abi/context.h"

enum {
	ROOM = 1 << 20
}; /* bytes of the longest message; the second half of the memory is for sending */

/* Wait for the next message, and return its length. */
static __u32 wait_message(const struct endpoint *e)
{
	struct xrdma_wc wc = endpoint_wait_received(e);

	if (wc.status != XRDMA_WC_SUCCESS)
		errx(1, "message to come: %s", xrdma_wc_status_str(wc.status));
	return wc.byte_len;
}

static void receive(const struct endpoint *e)
{
	const struct xrdma_sge sge = endpoint_sge(e, 0, ROOM);

	endpoint_receive(e->qp, 0, &sge);
}

static void send(const struct endpoint *e, __u32 len)
{
	const struct xrdma_sge sge = endpoint_sge(e, ROOM, len);
	const struct xrdma_send_wr wr = {
		.opcode = XRDMA_WR_SEND,
		.flags = XRDMA_SEND_SIGNALED,
		.sg_list = &sge,
		.num_sge = 1,
	};

	endpoint_send(e->qp, &wr);
	endpoint_done(e, "message");
}

/* Send messages back. A message of no bytes is the last one. */
static void serve(const struct endpoint *e)
{
	int listener;
	__u32 len;

	must(xrdma_conn_listen(NULL, PORT, &listener));
	must(xrdma_conn_accept(listener, e->qp, NULL, NULL));
	do {
		len = wait_message(e);
		memcpy(e->memory + ROOM, e->memory, len);
		receive(e);
		send(e, len);
	} while (len);
}

static void round_trip(const struct endpoint *e, __u32 len)
{
	__u32 got;

	send(e, len);
	got = wait_message(e);
	if (got != len || memcmp(e->memory, e->memory + ROOM, len))
		errx(1, "%u bytes came back other than they were sent", got);
	receive(e);
}

static void play(const struct endpoint *e, const char *host, __u32 count, __u32 len)
{
	struct timespec begin, end;
	double us;

	must(xrdma_conn_connect(host, PORT, e->qp, NULL, NULL));
	clock_gettime(CLOCK_MONOTONIC, &begin);
	for (__u32 i = 0; i < count; i++) {
		memset(e->memory + ROOM, i, len);
		round_trip(e, len);
	}
	clock_gettime(CLOCK_MONOTONIC, &end);
	round_trip(e, 0);
	us = (end.tv_sec - begin.tv_sec) * 1e6 + (end.tv_nsec - begin.tv_nsec) / 1e3;
	printf("%u round trips of %u bytes, %.1f us each\n", count, len, us / count);
}

int main(int argc, char **argv)
{
	__u32 count = argc > 3 ? strtoul(argv[3], NULL, 0) : 1000;
	__u32 len = argc > 4 ? strtoul(argv[4], NULL, 0) : 64;
	struct endpoint e;

	if (argc < 2 || !count || !len || len > ROOM)
		errx(2, "usage: pingpong DEVICE [HOST [COUNT [SIZE]]], of up to %d bytes", ROOM);
	endpoint_open(&e, argv[1], 2 * ROOM, XRDMA_ACCESS_LOCAL_WRITE);
	endpoint_init(e.qp);
	receive(&e);
	if (argc > 2)
		play(&e, argv[2], count, len);
	else
		serve(&e);
	endpoint_close(&e);
	return 0;
}
