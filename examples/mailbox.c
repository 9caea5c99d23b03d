// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * mailbox DEVICE PASSWORD: provide a box for letters, and print each letter, until one is empty.
 * The program learns of a letter from a counter, which XDP increments. A peer can write to the box
 * only if it is connected, has received the box's raw key, and knows the password.
 *
 * mailbox DEVICE PASSWORD HOST LETTER...: write letters to the box.
 */
#include <endian.h>
#include <err.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <xrdma/cntr.h>

#include "endpoint.h"

enum {
	LETTERS = 64,
	LETTER = 256,
	RAW_KEY = 12,
};

/* Private data for the peer. */
struct box {
	__be64 addr;
	__u8 raw_key[RAW_KEY];
};

static char letters[LETTERS][LETTER];

/* Register the box, disabled. It is enabled when it has the counter and the queue pair. */
static struct xrdma_mr *reg(const struct endpoint *e, struct xrdma_cntr *cntr)
{
	const struct iovec all = { letters, sizeof(letters) };
	const struct xrdma_mr_attr attr = {
		.sz = sizeof(attr),
		.mr_iov = &all,
		.iov_count = 1,
		.access = XRDMA_ACCESS_REMOTE_WRITE,
	};
	struct xrdma_mr *mr;

	must(xrdma_mr_regattr(e->pd, &attr, XRDMA_RMA_EVENT, &mr));
	must(xrdma_mr_bind_cntr(mr, cntr, XRDMA_REMOTE_WRITE));
	must(xrdma_mr_bind_qp(mr, e->qp, 0));
	must(xrdma_mr_enable(mr));
	return mr;
}

static void accept_peer(const struct endpoint *e, const struct xrdma_mr *mr)
{
	size_t size = RAW_KEY;
	struct box box;
	const struct xrdma_conn_attr attr = {
		.sz = sizeof(attr),
		.access = XRDMA_ACCESS_REMOTE_WRITE,
		.private_data = &box,
		.private_len = sizeof(box),
	};
	__u64 addr;
	int listener;

	must(xrdma_mr_raw_attr(mr, &addr, box.raw_key, &size, 0));
	box.addr = htobe64(addr);
	must(xrdma_conn_listen(NULL, PORT, &listener));
	must(xrdma_conn_accept(listener, e->qp, &attr, NULL));
}

static void keep(struct endpoint *e)
{
	struct xrdma_cntr *cntr;
	struct xrdma_mr *mr;

	must(xrdma_cntr_open(e->pd, &cntr));
	mr = reg(e, cntr);
	accept_peer(e, mr);
	for (__u64 i = 0; i < LETTERS; i++) {
		while (xrdma_cntr_read(cntr) <= i)
			;
		if (!letters[i][0])
			break;
		printf("%.*s\n", LETTER, letters[i]);
	}
	must(xrdma_cntr_close(cntr));
	must(xrdma_qp_destroy(e->qp)); /* first the region, then the objects that it is bound to */
	must(xrdma_mr_close(mr));
}

static void put(const struct endpoint *e, __u64 addr, __u64 key, const char *letter)
{
	const struct xrdma_sge words = {
		.addr = (uintptr_t)letter,
		.length = strnlen(letter, LETTER - 1) + 1,
	};
	const struct xrdma_send_wr wr = {
		.opcode = XRDMA_WR_RDMA_WRITE,
		.flags = XRDMA_SEND_SIGNALED,
		.sg_list = &words,
		.num_sge = 1,
		.rkey = key,
		.remote_addr = addr,
	};

	endpoint_send(e->qp, &wr);
	endpoint_done(e, letter);
}

static void put_all(const struct endpoint *e, const char *host, char **texts)
{
	struct xrdma_conn_peer peer = { .sz = sizeof(peer) };
	struct box box;
	__u64 addr, key;

	must(xrdma_conn_connect(host, PORT, e->qp, NULL, &peer));
	if (peer.private_len != sizeof(box))
		errx(1, "the peer has no mailbox");
	memcpy(&box, peer.private_data, sizeof(box));
	addr = be64toh(box.addr);
	must(xrdma_mr_map_raw(e->pd, addr, box.raw_key, RAW_KEY, &key, 0));
	for (; *texts; texts++, addr += LETTER)
		put(e, addr, key, *texts);
	put(e, addr, key, "");
	must(xrdma_mr_unmap_key(e->pd, key));
}

int main(int argc, char **argv)
{
	struct xrdma_pd_attr domain = {
		.sz = sizeof(domain),
		.mr_mode = XRDMA_MR_MODE_VIRT_ADDR | XRDMA_MR_MODE_ALLOCATED |
			   XRDMA_MR_MODE_PROV_KEY | XRDMA_MR_MODE_RAW | XRDMA_MR_MODE_RMA_EVENT |
			   XRDMA_MR_MODE_ENDPOINT,
	};
	struct endpoint e;

	if (argc < 3 || argc == 4 || argc > 3 + LETTERS)
		errx(2, "usage: mailbox DEVICE PASSWORD [HOST LETTER...], up to %d", LETTERS - 1);
	domain.auth_key = (const __u8 *)argv[2];
	domain.auth_key_size = strlen(argv[2]);
	endpoint_open_domain(&e, argv[1], &domain);
	if (argc > 3)
		put_all(&e, argv[3], argv + 4);
	else
		keep(&e);
	return 0; /* exiting releases everything else */
}
