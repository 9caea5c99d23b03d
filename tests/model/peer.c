// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "peer.h"

#include <time.h>
#include <xrdma/cq.h>
#include <xrdma/mr.h>

#include "life.h"
#include "support/pair.h"

static struct pair pairs[2]; /* A: the peer, B: a context */
static struct xrdma_mr *peer_mr;

struct owner open_owner(const char *name)
{
	const struct xrdma_context_attr attr = {
		.sz = sizeof(attr),
		.heap_max = 64 << 20,
		.mkeys = 128,
		.qps = 4,
	};
	struct owner owner = { 0 };

	must(!xrdma_context_open(name, &attr, &owner.context), "%s", xrdma_error());
	must(!xrdma_pd_alloc(owner.context, &owner.pd), "%s", xrdma_error());
	return owner;
}

void peer_connect(int context)
{
	pair = pairs[context];
	pair_connect(4, 4096);
	pairs[context] = pair;
}

static void open_pair(int context, struct owner peer)
{
	struct pair *pair = &pairs[context];

	pair->a.owner = peer;
	pair->b.owner = open_owner("xb");
	side_create(&pair->a);
	side_create(&pair->b);
	pair->b.attr.access = XRDMA_ACCESS_REMOTE_WRITE | XRDMA_ACCESS_REMOTE_READ;
	peer_connect(context);
}

void peer_open(void)
{
	struct owner peer;
	void *memory;

	pair_enter("a");
	peer = open_owner("xa");
	must(!xrdma_alloc(peer.context, PEER_BYTES, 64, &memory), "%s", xrdma_error());
	peer.memory = memory;
	must(!xrdma_mr_reg(peer.pd, memory, PEER_BYTES, XRDMA_ACCESS_LOCAL_WRITE, &peer_mr), "%s",
	     xrdma_error());
	pair_enter("b");
	for (int i = 0; i < 2; i++)
		open_pair(i, peer);
}

static void close_owner(struct owner owner)
{
	must(!xrdma_pd_dealloc(owner.pd), "%s", xrdma_error());
	must(!xrdma_context_close(owner.context), "%s", xrdma_error());
}

void peer_close(void)
{
	for (int i = 0; i < 2; i++) {
		side_destroy(&pairs[i].a);
		side_destroy(&pairs[i].b);
		close_owner(pairs[i].b.owner);
	}
	must(!xrdma_mr_close(peer_mr), "%s", xrdma_error());
	close_owner(pairs[0].a.owner);
}

__u8 *peer_memory(void)
{
	return pairs[0].a.owner.memory;
}

const struct owner *owner_of(int context)
{
	return &pairs[context].b.owner;
}

enum xrdma_wc_status peer_try(int context, enum xrdma_wr_opcode opcode, __u64 key, const void *addr,
			      size_t len)
{
	struct side *peer = &pairs[context].a;
	struct xrdma_sge of = { (uintptr_t)peer->owner.memory, len, xrdma_mr_lkey(peer_mr) };
	struct xrdma_send_wr request = side_request(opcode, &of, addr, key);
	const time_t end = time(NULL) + 20;
	struct xrdma_wc done;
	int polled;

	must(!xrdma_qp_post_send(peer->qp, &request, &send_bad), "%s", xrdma_error());
	while (!(polled = xrdma_cq_poll(peer->cq, 1, &done)))
		must(time(NULL) < end, "the peer got no answer");
	must(polled == 1, "xrdma_cq_poll(): %d", polled);
	return done.status;
}

void peer_execute(int context, enum xrdma_wr_opcode opcode, __u64 key, const void *addr, size_t len)
{
	const enum xrdma_wc_status status = peer_try(context, opcode, key, addr, len);

	must(status == XRDMA_WC_SUCCESS, "the peer's request: %s", xrdma_wc_status_str(status));
}
