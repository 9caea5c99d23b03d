// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * A program at tc ingress of xa, by a link where the kernel has that, and as a filter, which older
 * ones have instead; tests/net/device.sh runs it.
 */
#include <bpf/bpf.h>
#include <errno.h>
#include <net/if.h>
#include <unistd.h>

#include "dev/tc.h"
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

Test(tc, by_filter)
{
	int ifindex = if_nametoindex("xa"), program = load_other(), other = load_other();

	expect(!xrdma_tc_attached(program, -1, ifindex));
	expect_int(xrdma_tc_detach_filter(program, ifindex), ==, 0);
	expect_int(xrdma_tc_attach_filter(program, ifindex), ==, 0);
	expect(xrdma_tc_attached(program, -1, ifindex));
	expect(!xrdma_tc_attached(other, -1, ifindex));
	expect_int(xrdma_tc_attach_filter(other, ifindex), ==, -EEXIST);
	expect_int(xrdma_tc_detach_filter(other, ifindex), ==, 0);
	expect(xrdma_tc_attached(program, -1, ifindex));
	expect_int(xrdma_tc_detach_filter(program, ifindex), ==, 0);
	expect(!xrdma_tc_attached(program, -1, ifindex));
	close(program);
	close(other);
}

/* Each way is seen as it is: what a link holds is no filter. */
Test(tc, by_link_if_there_is_one)
{
	int ifindex = if_nametoindex("xa"), program = load_other(), link;

	expect_int(xrdma_tc_attach(program, ifindex, &link), ==, 0);
	expect(xrdma_tc_attached(program, link, ifindex));
	expect(!xrdma_tc_attached(program, link, ifindex + 1));
	expect_int(xrdma_tc_attached(program, -1, ifindex), ==, link < 0);
	if (link >= 0)
		close(link);
	else
		xrdma_tc_detach_filter(program, ifindex);
	expect(!xrdma_tc_attached(program, -1, ifindex));
	close(program);
}
