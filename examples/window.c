// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * window DEVICE: lend a part of the memory to the one peer that connects, by a memory window. When
 * the peer says that it is done, take the window back, whatever the peer still does with the key.
 * Print what the peer wrote.
 *
 * window DEVICE HOST TEXT: write TEXT there while the window is open, and try it again when the
 * window is closed.
 */
#include <endian.h>
#include <err.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <xrdma/mw.h>

#include "endpoint.h"
#include <xrdma/abi/context.h>

enum {
	LENT = 64, /* bytes in the middle of the memory */
	AT = 1024,
	BYTES = 4096,
};

/* Open the window for the one peer of the queue pair. It is open when the request has completed. */
static __u32 open_window(const struct endpoint *e, struct xrdma_mw *mw)
{
	const struct xrdma_send_wr wr = {
		.opcode = XRDMA_WR_BIND_MW,
		.flags = XRDMA_SEND_SIGNALED,
		.rkey = xrdma_inc_rkey(xrdma_mw_key(mw)),
		.mw = mw,
		.bind_info = {
			.mr = e->mr,
			.addr = (uintptr_t)e->memory + AT,
			.length = LENT,
			.access = XRDMA_ACCESS_REMOTE_WRITE | XRDMA_ACCESS_ZERO_BASED,
		},
	};

	endpoint_send(e->qp, &wr);
	endpoint_done(e, "bind");
	return wr.rkey;
}

static void close_window(const struct endpoint *e, __u32 key)
{
	const struct xrdma_send_wr wr = {
		.opcode = XRDMA_WR_LOCAL_INV,
		.flags = XRDMA_SEND_SIGNALED,
		.invalidate_key = key,
	};

	endpoint_send(e->qp, &wr);
	endpoint_done(e, "invalidate");
}

static void lend(const struct endpoint *e)
{
	const struct xrdma_conn_attr attr = {
		.sz = sizeof(attr),
		.access = XRDMA_ACCESS_REMOTE_WRITE,
	};
	struct xrdma_mw *mw;
	int listener;
	__u32 key;

	must(xrdma_mw_alloc(e->pd, XRDMA_MW_TYPE_2B, &mw));
	must(xrdma_conn_listen(NULL, PORT, &listener));
	must(xrdma_conn_accept(listener, e->qp, &attr, NULL));
	key = open_window(e, mw);
	endpoint_send_number(e, key);
	endpoint_wait_number(e);
	close_window(e, key);
	printf("%.*s\n", LENT, e->memory + AT);
	endpoint_send_number(e, 0);
	endpoint_wait_received(e); /* flushed, because the peer's attempt was refused */
	must(xrdma_mw_dealloc(mw));
}

static enum xrdma_wc_status write_text(const struct endpoint *e, __u32 key, const char *text)
{
	struct xrdma_sge sge = endpoint_sge(e, 0, strlen(text));
	const struct xrdma_send_wr wr = {
		.opcode = XRDMA_WR_RDMA_WRITE,
		.flags = XRDMA_SEND_SIGNALED,
		.sg_list = &sge,
		.num_sge = 1,
		.rkey = key,
	};

	memcpy(e->memory, text, sge.length);
	endpoint_send(e->qp, &wr);
	return endpoint_wait(e).status;
}

static void borrow(const struct endpoint *e, const char *host, const char *text)
{
	enum xrdma_wc_status status;
	__u32 key;

	must(xrdma_conn_connect(host, PORT, e->qp, NULL, NULL));
	key = endpoint_wait_number(e);
	printf("open: %s\n", xrdma_wc_status_str(write_text(e, key, text)));
	endpoint_send_number(e, 0);
	endpoint_wait_number(e);
	status = write_text(e, key, text);
	printf("closed: %s\n", xrdma_wc_status_str(status));
}

int main(int argc, char **argv)
{
	struct endpoint e;

	if ((argc != 2 && argc != 4) || (argc == 4 && strlen(argv[3]) > LENT))
		errx(2, "usage: window DEVICE [HOST TEXT], of up to %d bytes", LENT);
	endpoint_open(&e, argv[1], BYTES, XRDMA_ACCESS_LOCAL_WRITE | XRDMA_ACCESS_MW_BIND);
	endpoint_init(e.qp);
	endpoint_receive_numbers(&e);
	if (argc == 4)
		borrow(&e, argv[2], argv[3]);
	else
		lend(&e);
	endpoint_close(&e);
	return 0;
}
