// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * matrix DEVICE: provide a matrix, stored row by row. One peer connects and writes a column. Then
 * print the matrix.
 *
 * matrix DEVICE HOST COLUMN: write that column, counting from 0, with one WRITE. The numbers are
 * consecutive in this program's memory. An mkey spreads them over the rows of the matrix.
 */
#include <err.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <xrdma/mkey.h>

#include "endpoint.h"
#include <xrdma/abi/context.h>

enum { ROWS = 500, COLUMNS = 4, BYTES = ROWS * COLUMNS * sizeof(__u64) };

static struct xrdma_mkey *create_mkey(const struct endpoint *e)
{
	const struct xrdma_mkey_init_attr init = {
		.sz = sizeof(init),
		.create_flags = XRDMA_MKEY_INIT_INDIRECT,
		.max_entries = 2, /* the pattern, and its one entry */
	};
	struct xrdma_mkey *mkey;

	must(xrdma_mkey_create(e->pd, &init, &mkey));
	return mkey;
}

/*
 * Configure the mkey as the column: one number, then skip the rest of the row, repeated ROWS times.
 */
static void configure(const struct endpoint *e, struct xrdma_mkey *mkey, __u32 column)
{
	const struct xrdma_mkey_conf_attr attr = {
		.sz = sizeof(attr),
		.send_flags = XRDMA_SEND_INLINE | XRDMA_SEND_SIGNALED,
	};
	const struct xrdma_mr_interleaved number = {
		.addr = (uintptr_t)e->memory + column * sizeof(__u64),
		.bytes_count = sizeof(__u64),
		.bytes_skip = (COLUMNS - 1) * sizeof(__u64),
		.lkey = xrdma_mr_key(e->mr),
	};

	xrdma_wr_start(e->qp);
	xrdma_wr_mkey_configure(e->qp, mkey, 2, &attr);
	xrdma_wr_set_mkey_access_flags(e->qp, XRDMA_ACCESS_REMOTE_WRITE);
	xrdma_wr_set_mkey_layout_interleaved(e->qp, ROWS, 1, &number);
	must(xrdma_wr_complete(e->qp));
	endpoint_done(e, "configuration");
}

static void print(const __u64 *numbers)
{
	for (int row = 0; row < ROWS; row++)
		for (int column = 0; column < COLUMNS; column++)
			printf("%llu%c", numbers[row * COLUMNS + column],
			       column < COLUMNS - 1 ? ' ' : '\n');
}

static void serve(const struct endpoint *e)
{
	const struct xrdma_conn_attr attr = {
		.sz = sizeof(attr),
		.access = XRDMA_ACCESS_REMOTE_WRITE,
	};
	struct xrdma_mkey *mkey = create_mkey(e);
	int listener;

	must(xrdma_conn_listen(NULL, PORT, &listener));
	must(xrdma_conn_accept(listener, e->qp, &attr, NULL));
	configure(e, mkey, endpoint_wait_number(e) % COLUMNS);
	endpoint_send_number(e, xrdma_mkey_key(mkey));
	endpoint_wait_number(e);
	print((const __u64 *)e->memory);
	must(xrdma_mkey_destroy(mkey));
}

static void write_column(const struct endpoint *e, const char *host, __u32 column)
{
	struct xrdma_sge numbers = endpoint_sge(e, 0, ROWS * sizeof(__u64));
	struct xrdma_send_wr wr = {
		.opcode = XRDMA_WR_RDMA_WRITE,
		.flags = XRDMA_SEND_SIGNALED,
		.sg_list = &numbers,
		.num_sge = 1,
	};

	for (__u64 row = 0; row < ROWS; row++)
		((__u64 *)e->memory)[row] = row + 1;
	must(xrdma_conn_connect(host, PORT, e->qp, NULL, NULL));
	endpoint_send_number(e, column);
	wr.rkey = endpoint_wait_number(e);
	endpoint_send(e->qp, &wr);
	endpoint_done(e, "WRITE");
	endpoint_send_last_number(e, 0);
}

int main(int argc, char **argv)
{
	struct endpoint e;

	if (argc != 2 && argc != 4)
		errx(2, "usage: matrix DEVICE [HOST COLUMN]");
	endpoint_open(&e, argv[1], BYTES, XRDMA_ACCESS_LOCAL_WRITE);
	endpoint_init(e.qp);
	endpoint_receive_numbers(&e);
	if (argc == 4)
		write_column(&e, argv[2], strtoul(argv[3], NULL, 10));
	else
		serve(&e);
	endpoint_close(&e);
	return 0;
}
