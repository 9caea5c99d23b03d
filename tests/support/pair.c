// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "pair.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <sched.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static void enter(const char *netns)
{
	int fd = open(netns, O_RDONLY | O_CLOEXEC);

	cr_assert(fd >= 0 && !setns(fd, CLONE_NEWNET), "cannot enter %s", netns);
	close(fd);
}

static __u8 *memory(struct side *side, unsigned int access, struct xrdma_mr **mr)
{
	void *bytes;

	cr_assert_eq(xrdma_alloc(side->owner.context, PAIR_BYTES, 64, &bytes), 0);
	cr_assert_eq(xrdma_mr_reg(side->owner.pd, bytes, PAIR_BYTES, access, mr), 0);
	return bytes;
}

void pair_open(struct pair *p)
{
	enter("/run/netns/a");
	side_open(&p->a, "xa");
	enter("/run/netns/b");
	side_open(&p->b, "xb");
	p->source = memory(&p->a, 0, &p->source_mr);
	p->target =
		memory(&p->b, XRDMA_ACCESS_LOCAL_WRITE | XRDMA_ACCESS_REMOTE_WRITE, &p->target_mr);
	p->lkey = xrdma_mr_key(p->source_mr);
	p->rkey = xrdma_mr_key(p->target_mr);
	for (int i = 0; i < PAIR_BYTES; i++)
		p->source[i] = rand();
	memset(p->target, 0, PAIR_BYTES);
}

void pair_close(struct pair *p)
{
	cr_expect_eq(xrdma_mr_dereg(p->source_mr), 0);
	if (p->target_mr)
		cr_expect_eq(xrdma_mr_dereg(p->target_mr), 0);
	side_close(&p->a);
	side_close(&p->b);
}

/* The PSNs wrap within the first messages. */
void pair_connect(struct pair *p, int ip_version, int mtu)
{
	p->a.attr.path_mtu = p->b.attr.path_mtu = mtu;
	p->a.attr.dest_qpn = xrdma_qp_number(p->b.qp);
	p->b.attr.dest_qpn = xrdma_qp_number(p->a.qp);
	p->a.attr.sq_psn = p->b.attr.rq_psn = 0xfffff0;
	p->b.attr.sq_psn = p->a.attr.rq_psn = 5;
	set_address(p->a.attr.av.dest, ip_version == 4 ? "10.66.0.2" : "fd66::2");
	set_address(p->b.attr.av.dest, ip_version == 4 ? "10.66.0.1" : "fd66::1");
	enter("/run/netns/a");
	side_bring_to(&p->a, XRDMA_QP_RTS);
	enter("/run/netns/b");
	side_bring_to(&p->b, XRDMA_QP_RTS);
}

struct xrdma_send_wr pair_write(const struct pair *p, struct xrdma_sge *sge, __u32 offset,
				__u32 len)
{
	*sge = (struct xrdma_sge){
		.addr = (uintptr_t)p->source + offset,
		.length = len,
		.lkey = p->lkey,
	};
	return (struct xrdma_send_wr){
		.wr_id = 1,
		.sg_list = sge,
		.num_sge = 1,
		.opcode = XRDMA_WR_RDMA_WRITE,
		.flags = XRDMA_SEND_SIGNALED,
		.rkey = p->rkey,
		.remote_addr = (uintptr_t)p->target + offset,
	};
}

void pair_poll(struct pair *p, int count, struct xrdma_wc *wc)
{
	time_t end = time(NULL) + 10;
	int got = 0;

	while (got < count && time(NULL) < end)
		got += xrdma_cq_poll(p->a.cq, count - got, wc + got);
	cr_assert_eq(got, count, "%d completions of %d", got, count);
}

void pair_expect(struct pair *p, const struct xrdma_send_wr *wr, enum xrdma_wc_status status)
{
	const struct xrdma_send_wr *bad;
	struct xrdma_wc wc;

	cr_assert_eq(xrdma_qp_post_send(p->a.qp, wr, &bad), 0, "%s", xrdma_error());
	pair_poll(p, 1, &wc);
	cr_expect(wc.status == status, "'%s' instead of '%s'", xrdma_wc_status_str(wc.status),
		  xrdma_wc_status_str(status));
	cr_expect_eq(wc.wr_id, wr->wr_id);
	cr_expect_eq(wc.qpn, xrdma_qp_number(p->a.qp));
}
