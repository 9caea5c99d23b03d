// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * A program at tc ingress of netdevs, by links where the kernel has them, and as filters, which
 * older ones have instead; tests/net/device.sh runs it.
 */
#include <bpf/bpf.h>
#include <errno.h>
#include <net/if.h>
#include <unistd.h>

#include "dev/tc.h"
#include "net/netdev.h"
#include "support/test.h"

/* A program that lets all pass. */
static int load_other(void)
{
	const struct bpf_insn pass[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = -1 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	int program = bpf_prog_load(BPF_PROG_TYPE_SCHED_CLS, "other", "GPL", pass, 2, NULL);

	expect_int(program, >=, 0);
	return program;
}

static const int filters[] = { -1, -1 };

/* Of several devices, each at lo too, none is in another's way. */
Test(tc, by_filters)
{
	int xa = if_nametoindex("xa"), br0 = if_nametoindex("br0");
	int program = load_other(), other = load_other();

	expect(!xrdma_tc_attached(program, filters, xa));
	expect_int(xrdma_tc_detach_filters(program, xa), ==, 0);
	expect_int(xrdma_tc_attach_filters(program, xa), ==, 0);
	expect(xrdma_tc_attached(program, filters, xa));
	expect(!xrdma_tc_attached(other, filters, xa));
	expect_int(xrdma_tc_attach_filters(other, xa), ==, -EEXIST);
	expect_int(xrdma_tc_attach_filters(other, br0), ==, 0);
	expect_int(xrdma_tc_detach_filters(other, xa), ==, 0);
	expect(xrdma_tc_attached(program, filters, xa));
	expect_int(xrdma_tc_detach_filters(program, xa), ==, 0);
	expect(!xrdma_tc_attached(program, filters, xa));
	expect(xrdma_tc_attached(other, filters, br0));
	expect_int(xrdma_tc_detach_filters(other, br0), ==, 0);
	close(program);
	close(other);
}

/* At lo there is one place. */
Test(tc, of_lo)
{
	int program = load_other(), other = load_other();

	expect_int(xrdma_tc_attach_filters(program, XRDMA_LO), ==, 0);
	expect_int(xrdma_tc_attach_filters(other, if_nametoindex("xa")), ==, 0);
	expect_int(xrdma_tc_detach_filters(program, XRDMA_LO), ==, 0);
	expect(!xrdma_tc_attached(program, filters, XRDMA_LO));
	expect_int(xrdma_tc_detach_filters(other, if_nametoindex("xa")), ==, 0);
	close(program);
	close(other);
}

/* Each way is seen as it is: what a link holds is no filter. Both places count. */
Test(tc, by_links_if_there_are_any)
{
	int xa = if_nametoindex("xa"), program = load_other(), links[XRDMA_TC_PLACES];

	expect_int(xrdma_tc_attach(program, xa, links), ==, 0);
	expect(xrdma_tc_attached(program, links, xa));
	expect(!xrdma_tc_attached(program, links, xa + 1));
	expect_int(xrdma_tc_attached(program, filters, xa), ==, links[0] < 0);
	if (links[1] >= 0)
		expect(!xrdma_tc_attached(program, (int[]){ links[0], links[0] }, xa));
	xrdma_tc_close(links);
	xrdma_tc_detach_filters(program, xa);
	expect(!xrdma_tc_attached(program, filters, xa));
	close(program);
}
