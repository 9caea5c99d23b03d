// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Programs at tc ingress of netdevs: links where the kernel has them, and filters, which older
 * kernels use instead. tests/net/device.sh runs it.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "dev/program.h"
#include "dev/tc.h"
#include "net/netdev.h"
#include "support/test.h"

/* Load a program that passes all packets on. */
static int load(const char *name)
{
	const struct bpf_insn pass[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = -1 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	int program = bpf_prog_load(BPF_PROG_TYPE_SCHED_CLS, name, "GPL", pass, 2, NULL);

	expect_int(program, >=, 0);
	return program;
}

static int load_other(void)
{
	return load("other");
}

static const int filters[] = { -1, -1 };

/* Filters of several devices, each of which also has one at lo, do not disturb each other. */
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

/* At lo, each program is attached only once. */
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

/* Links and filters are told apart. A program counts as attached only if it is at both places. */
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

/* List of the programs that run before another one: "NETDEV NAME;", in order. */
static char met[256];

static int note(const struct xrdma_program_before *before, void *arg)
{
	size_t len = strlen(met);

	expect_int(before->hook, ==, XRDMA_HOOK_TC);
	snprintf(met + len, sizeof(met) - len, "%s %s;", before->netdev, before->name);
	return *(int *)arg;
}

/* Returns whether OTHERS run before PROGRAM. Each visit returns ENDS. */
static bool stands_behind(const char *others, int program, int ends)
{
	const struct xrdma_program_visitor visitor = { note, &ends };
	int err;

	met[0] = 0;
	err = xrdma_tc_each_before(program, if_nametoindex("xa"), &visitor);
	return err == (met[0] ? ends : 0) && !strcmp(met, others);
}

static void detach(struct bpf_tc_hook *hook, struct bpf_tc_opts *opts)
{
	opts->prog_fd = opts->prog_id = opts->flags = 0;
	expect_int(bpf_tc_detach(hook, opts), ==, 0);
}

/* The kernel puts the newest of the filters of one priority first. */
Test(tc, lists_the_filters_before_it)
{
	LIBBPF_OPTS(bpf_tc_hook, xa, .ifindex = if_nametoindex("xa"),
		    .attach_point = BPF_TC_INGRESS);
	int program = load_other(), first = load("first"), last = load("last");
	LIBBPF_OPTS(bpf_tc_opts, before, .prog_fd = first, .handle = 1, .priority = 1);
	LIBBPF_OPTS(bpf_tc_opts, behind, .prog_fd = last, .handle = 1, .priority = 2);

	expect_int(xrdma_tc_attach_filters(program, xa.ifindex), ==, 0);
	expect_msg(stands_behind("", program, 0), "%s", met);
	expect_int(bpf_tc_attach(&xa, &before), ==, 0);
	expect_int(bpf_tc_attach(&xa, &behind), ==, 0);
	expect_msg(stands_behind("xa first;", program, 0), "%s", met);
	detach(&xa, &before);
	detach(&xa, &behind);
	expect_int(xrdma_tc_detach_filters(program, xa.ifindex), ==, 0);
	close(program);
	close(first);
	close(last);
}

Test(tc, lists_the_links_before_it)
{
	int xa = if_nametoindex("xa"), program = load_other(), links[XRDMA_TC_PLACES];
	int first = load("first"), second = load("second"), others[2][XRDMA_TC_PLACES];

	expect_int(xrdma_tc_attach(program, xa, links), ==, 0);
	if (links[0] < 0) {
		xrdma_tc_detach_filters(program, xa);
		SKIP("this kernel has no links at tc");
	}
	expect_msg(stands_behind("", program, 0), "%s", met);
	expect_int(xrdma_tc_attach(second, xa, others[0]), ==, 0);
	expect_int(xrdma_tc_attach(first, xa, others[1]), ==, 0);
	expect_msg(stands_behind("xa first;xa second;lo first;lo second;", program, 0), "%s", met);
	expect_msg(stands_behind("xa first;", program, -E2BIG), "%s", met);
	expect_msg(stands_behind("xa first;lo first;", second, 0), "%s", met);
	xrdma_tc_close(others[0]);
	xrdma_tc_close(others[1]);
	xrdma_tc_close(links);
	close(program);
	close(first);
	close(second);
}
