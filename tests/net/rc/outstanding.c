// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Limits of outstanding requests on a queue pair. tests/net/rc.sh runs it. */
#include <stdlib.h>
#include <string.h>
#include <xrdma/mkey.h>

#include "support/cq.h"
#include "support/pair.h"
#include "support/test.h"

enum {
	SEND_WR = 32, /* more than the READs that may be outstanding */
	PARTS = 32,   /* times 64 MiB are 2^31 bytes */
	PSNS_MAX = 1 << 23,
};
#define PART (64U << 20)

static struct xrdma_context *open_large(const char *netns, const char *device)
{
	const struct xrdma_context_attr attr = { .sz = sizeof(attr), .heap_max = PART + (4 << 20) };
	struct xrdma_context *context;

	pair_enter(netns);
	expect_msg(xrdma_context_open(device, &attr, &context) == 0, "%s", xrdma_error());
	return context;
}

static void open_owner(struct owner *owner, const char *netns, const char *device)
{
	owner->context = open_large(netns, device);
	expect_int(xrdma_pd_alloc(owner->context, &owner->pd), ==, 0);
	expect_int(xrdma_alloc(owner->context, OWNER_BYTES, 64, (void **)&owner->memory), ==, 0);
}

static void open_owners(void)
{
	open_owner(&pair.a.owner, "a", "xa");
	open_owner(&pair.b.owner, "b", "xb");
}

/* Replace the queue pair of SIDE by one with longer queues. */
static void create_long(struct side *side)
{
	expect_int(xrdma_qp_destroy(side->qp), ==, 0);
	side->init.max_send_wr = SEND_WR;
	side->init.max_send_sge = PARTS;
	side->init.max_inline = PARTS * sizeof(struct xrdma_sge);
	expect_msg(xrdma_qp_create(side->owner.pd, &side->init, &side->qp) == 0, "%s",
		   xrdma_error());
	side->attr.max_rd_atomic = side->attr.max_dest_rd_atomic = XRDMA_RD_ATOMIC_MAX;
}

static void start(void)
{
	pair_start_read();
	create_long(&pair.a);
	create_long(&pair.b);
	pair_connect(4, 4096);
}

TestSuite(outstanding, .once = open_owners, .init = start, .fini = pair_stop, .end = pair_close);

/* 64 MiB of memory. LIST names it PARTS times, and has 2^31 bytes. */
struct large {
	__u8 *memory;
	struct xrdma_mr *mr;
	struct xrdma_sge list[PARTS];
};

static void large_open(struct large *large, const struct owner *owner, unsigned int access)
{
	expect_msg(!xrdma_alloc(owner->context, PART, 4096, (void **)&large->memory), "%s",
		   xrdma_error());
	expect_int(xrdma_mr_reg(owner->pd, large->memory, PART, access, &large->mr), ==, 0);
	for (int i = 0; i < PARTS; i++)
		large->list[i] = (struct xrdma_sge){
			.addr = (uintptr_t)large->memory,
			.length = PART,
			.lkey = xrdma_mr_key(large->mr),
		};
}

static void large_close(struct large *large, const struct owner *owner)
{
	expect_int(xrdma_mr_close(large->mr), ==, 0);
	expect_int(xrdma_free(owner->context, large->memory), ==, 0);
}

/* Create an mkey of B with the memory LIST, which peers may read. */
static struct xrdma_mkey *name(const struct xrdma_sge *list)
{
	const struct xrdma_mkey_init_attr init = {
		.sz = sizeof(init),
		.create_flags = XRDMA_MKEY_INIT_INDIRECT,
		.max_entries = PARTS,
	};
	const struct xrdma_mkey_conf_attr attr = {
		.sz = sizeof(attr), .send_flags = XRDMA_SEND_SIGNALED | XRDMA_SEND_INLINE
	};
	struct xrdma_mkey *mkey;

	expect_msg(!xrdma_mkey_create(pair.b.owner.pd, &init, &mkey), "%s", xrdma_error());
	xrdma_wr_start(pair.b.qp);
	xrdma_wr_mkey_configure(pair.b.qp, mkey, 2, &attr);
	xrdma_wr_set_mkey_access_flags(pair.b.qp, XRDMA_ACCESS_REMOTE_READ);
	xrdma_wr_set_mkey_layout_list(pair.b.qp, PARTS, list);
	expect_msg(xrdma_wr_complete(pair.b.qp) == 0, "%s", xrdma_error());
	pair_poll_recv(1);
	expect_int(recv_wc[0].status, ==, XRDMA_WC_SUCCESS);
	return mkey;
}

/* Set up wr as a READ of all of MKEY into INTO. */
static void set_read(const struct large *into, const struct xrdma_mkey *mkey)
{
	send_wr.sg_list = into->list;
	send_wr.num_sge = PARTS;
	send_wr.remote_addr = 0;
	send_wr.rkey = xrdma_mkey_key(mkey);
}

/* IBA 9.7.1, 9.4.4: the longest message has 2^31 bytes, and one request reads all of it. */
Test(outstanding, longest_read)
{
	struct large from, into;
	struct xrdma_mkey *mkey;

	large_open(&from, &pair.b.owner, XRDMA_ACCESS_LOCAL_WRITE);
	large_open(&into, &pair.a.owner, XRDMA_ACCESS_LOCAL_WRITE);
	for (__u64 *word = (__u64 *)from.memory; word < (__u64 *)(from.memory + PART); word++)
		*word = (word - (__u64 *)from.memory) * 0x9e3779b97f4a7c15;
	mkey = name(from.list);
	set_read(&into, mkey);
	expect_msg(pair_post() == 0, "%s", xrdma_error());
	expect_int(cq_poll_within(120, pair.a.cq, 1, send_wc), ==, 1);
	expect_int(send_wc[0].status, ==, XRDMA_WC_SUCCESS);
	expect_int(send_wc[0].byte_len, ==, 1U << 31);
	expect_int(pair.a.qp->row->rd_atomic[0].length, ==, 1U << 31);
	expect_int(pair.a.qp->row->req.rd_atomics_done, ==, 1);
	expect(!memcmp(from.memory, into.memory, PART));
	expect_int(xrdma_mkey_destroy(mkey), ==, 0);
	large_close(&into, &pair.a.owner);
	large_close(&from, &pair.b.owner);
}

/* Change the row as if B had responded up to PSN, and to READS READs. */
static void acknowledge(__u32 psn, __u32 reads)
{
	pair.a.qp->row->req.rd_atomics_done = reads;
	pair.a.qp->row->req.acked_psn = psn & XRDMA_PSN_MASK;
}

/*
 * IBA 9.7.1: at most half of all PSNs are unacknowledged. A READ that needs all of them waits for
 * the requests before it. The requests after it wait for its first response.
 */
Test(outstanding, half_of_all_psns)
{
	const struct xrdma_send_wr read = send_wr;
	struct large from, into;
	struct xrdma_mkey *mkey;
	__u32 first;

	large_open(&from, &pair.b.owner, XRDMA_ACCESS_LOCAL_WRITE);
	large_open(&into, &pair.a.owner, XRDMA_ACCESS_LOCAL_WRITE);
	mkey = name(from.list);
	pair_connect(4, XRDMA_MTU_MIN);
	first = pair.a.qp->row->sent_psn;
	link_cut(&pair.b);
	expect_int(pair_post(), ==, 0);
	set_read(&into, mkey);
	expect_int(pair_post(), ==, 0);
	expect_int(pair.a.qp->row->sent_psn, ==, (first + 1) & XRDMA_PSN_MASK);
	acknowledge(first + 1, 1);
	send_wr = read;
	expect_int(pair_post(), ==, 0);
	expect_int(pair.a.qp->row->sent_psn, ==, (first + 1 + PSNS_MAX) & XRDMA_PSN_MASK);
	acknowledge(first + 2, 1);
	expect_int(pair_post(), ==, 0);
	expect_int(pair.a.qp->row->sent_psn, ==, (first + 2 + PSNS_MAX) & XRDMA_PSN_MASK);
	side_bring_to(&pair.a, XRDMA_QPS_RESET);
	expect_int(xrdma_mkey_destroy(mkey), ==, 0);
	large_close(&into, &pair.a.owner);
	large_close(&from, &pair.b.owner);
}

/* IBA 11.2.5.3: both ends limit the number of outstanding READs. */
Test(outstanding, sixteen_reads)
{
	link_cut(&pair.b);
	for (int i = 0; i < XRDMA_RD_ATOMIC_MAX + 2; i++) {
		pair_set_read(64 + i * 5000, 5000);
		expect_int(pair_post(), ==, 0);
	}
	expect_int(pair.a.qp->row->rd_atomics, ==, XRDMA_RD_ATOMIC_MAX);
	link_restore(&pair.b);
	for (int i = 0; i < XRDMA_RD_ATOMIC_MAX + 2; i++) {
		pair_poll(1);
		expect_int(send_wc[0].status, ==, XRDMA_WC_SUCCESS);
	}
	pair_expect_written(64, (XRDMA_RD_ATOMIC_MAX + 2) * 5000);
}
