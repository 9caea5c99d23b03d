// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * anymem DEVICE: register one region of a page, whose quarters are different kinds of memory: a
 * variable, a block of malloc(), a part of a stack, and memory that is mapped only after the
 * registration. Print all quarters, one per line, whenever the peer says that it has written.
 *
 * anymem DEVICE HOST TEXT...: write each TEXT to that page directly from this program's memory,
 * which is not registered. Then read the page back, and print it.
 */
#include <endian.h>
#include <err.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <xrdma/eq.h>

#include "endpoint.h"

enum {
	QUARTERS = 4,
	QUARTER = 16,
	PAGE = QUARTERS * QUARTER,
	KEY = 0x7e47, /* user key of the region */
	MAPPED = 1 << 16,
};

enum { LAST, MORE }; /* the peer's message when it has written */

static char variable[QUARTER];

/* Register PAGE asynchronously, by a thread of the library, because moving memory takes time. */
static struct xrdma_mr *reg(const struct endpoint *e, struct xrdma_eq *eq, const struct iovec *page)
{
	const struct xrdma_mr_attr attr = {
		.sz = sizeof(attr),
		.mr_iov = page,
		.iov_count = QUARTERS,
		.access = XRDMA_ACCESS_REMOTE_WRITE | XRDMA_ACCESS_REMOTE_READ,
		.requested_key = KEY,
	};
	struct xrdma_eq_entry done;
	struct xrdma_eq_err_entry failed;
	struct xrdma_mr *mr;
	__u32 event;

	must(xrdma_mr_regattr(e->pd, &attr, 0, &mr));
	if (xrdma_eq_sread(eq, &event, &done, sizeof(done), -1, 0) != sizeof(done)) {
		xrdma_eq_readerr(eq, &failed, 0);
		must(-failed.err);
	}
	return done.fid;
}

/* Map memory at the place of the last quarter, and refresh the region. */
static void map_last(struct xrdma_mr *mr, const struct iovec *page)
{
	const struct iovec *last = &page[QUARTERS - 1];

	if (mprotect(last->iov_base, MAPPED, PROT_READ | PROT_WRITE))
		err(1, "mprotect");
	must(xrdma_mr_refresh(mr, last, 1, 0));
}

static void print(const struct iovec *page)
{
	for (int i = 0; i < QUARTERS; i++)
		printf("%.*s\n", QUARTER, (const char *)page[i].iov_base);
	fflush(stdout);
}

static void accept_peer(const struct endpoint *e)
{
	const struct xrdma_conn_attr attr = {
		.sz = sizeof(attr),
		.access = XRDMA_ACCESS_REMOTE_WRITE | XRDMA_ACCESS_REMOTE_READ,
	};
	int listener;

	must(xrdma_conn_listen(NULL, PORT, &listener));
	must(xrdma_conn_accept(listener, e->qp, &attr, NULL));
}

/*
 * Serve the peer. The region is closed before the program looks at what was written, and is
 * registered again afterwards.
 */
static void serve(const struct endpoint *e, struct xrdma_eq *eq)
{
	char on_stack[QUARTER] = "";
	const struct iovec page[QUARTERS] = {
		{ variable, QUARTER },
		{ calloc(1, QUARTER), QUARTER },
		{ on_stack, QUARTER },
		{ mmap(NULL, MAPPED, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), QUARTER },
	};
	struct xrdma_mr *mr = reg(e, eq, page);
	__u32 number;

	map_last(mr, page);
	accept_peer(e);
	do {
		endpoint_send_number(e, 0);
		number = endpoint_wait_number(e);
		must(xrdma_mr_close(mr));
		print(page);
		mr = reg(e, eq, page);
	} while (number == MORE);
	must(xrdma_mr_close(mr));
}

/* Write bytes of this program to the page, or read them from there. They are not registered. */
static void transfer(const struct endpoint *e, enum xrdma_wr_opcode opcode, char *bytes, size_t len)
{
	const struct xrdma_sge any = { .addr = (uintptr_t)bytes, .length = len };
	const struct xrdma_send_wr wr = {
		.opcode = opcode,
		.flags = XRDMA_SEND_SIGNALED,
		.sg_list = &any,
		.num_sge = 1,
		.rkey = KEY,
		.remote_addr = 0, /* the domain does not have XRDMA_MR_MODE_VIRT_ADDR */
	};

	endpoint_send(e->qp, &wr);
	endpoint_done(e, "transfer");
}

static void fill(const struct endpoint *e, const char *host, char **texts)
{
	char page[PAGE];

	must(xrdma_conn_connect(host, PORT, e->qp, NULL, NULL));
	for (; *texts; texts++) {
		endpoint_wait_number(e);
		transfer(e, XRDMA_WR_RDMA_WRITE, *texts, strnlen(*texts, PAGE));
		transfer(e, XRDMA_WR_RDMA_READ, page, PAGE);
		printf("%.*s\n", PAGE, page);
		if (texts[1])
			endpoint_send_number(e, MORE);
	}
	endpoint_send_last_number(e, LAST);
}

int main(int argc, char **argv)
{
	struct xrdma_pd_attr domain = { .sz = sizeof(domain), .mr_mode = XRDMA_MR_MODE_MMU_NOTIFY };
	struct xrdma_eq *eq;
	struct endpoint e;

	if (argc < 2 || argc == 3)
		errx(2, "usage: anymem DEVICE [HOST TEXT...]");
	endpoint_open_domain(&e, argv[1], &domain);
	endpoint_init(e.qp);
	endpoint_receive_numbers(&e);
	if (argc > 3) {
		fill(&e, argv[2], argv + 3);
		return 0; /* exiting releases everything else */
	}
	must(xrdma_eq_open(e.context, &eq));
	must(xrdma_pd_bind_eq(e.pd, eq, XRDMA_REG_MR));
	serve(&e, eq);
	return 0;
}
