// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "dev/tc.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/types.h>

/* Of Linux 6.6: the headers of older ones, with which this is built too, lack them. */
enum { TCX_INGRESS = 46, TCX_BEFORE = 1 << 3 };

/* Where our filter is found again: before those of others, under a number that is no other's. */
enum { FILTER_PRIORITY = 1, FILTER_HANDLE = 0x5844 };

static struct bpf_tc_hook hook_of(int ifindex)
{
	return (struct bpf_tc_hook){
		.sz = sizeof(struct bpf_tc_hook),
		.ifindex = ifindex,
		.attach_point = BPF_TC_INGRESS,
	};
}

int xrdma_tc_attach_filter(int program, int ifindex)
{
	struct bpf_tc_hook hook = hook_of(ifindex);
	LIBBPF_OPTS(bpf_tc_opts, opts, .prog_fd = program, .handle = FILTER_HANDLE,
		    .priority = FILTER_PRIORITY);
	int err = bpf_tc_hook_create(&hook);

	return err && err != -EEXIST ? err : bpf_tc_attach(&hook, &opts);
}

int xrdma_tc_attach(int program, int ifindex, int *link)
{
	LIBBPF_OPTS(bpf_link_create_opts, opts, .flags = TCX_BEFORE);

	*link = bpf_link_create(program, ifindex, (enum bpf_attach_type)TCX_INGRESS, &opts);
	if (*link >= 0)
		return 0;
	*link = -1;
	return xrdma_tc_attach_filter(program, ifindex);
}

static __u32 program_id(int program)
{
	struct bpf_prog_info info = { 0 };
	__u32 len = sizeof(info);

	return bpf_obj_get_info_by_fd(program, &info, &len) ? 0 : info.id;
}

static int quiet(enum libbpf_print_level level, const char *format, va_list args)
{
	(void)level, (void)format, (void)args;
	return 0;
}

/* That there is none is nothing to print. */
static bool has_filter(int program, int ifindex)
{
	libbpf_print_fn_t print = libbpf_set_print(quiet);
	struct bpf_tc_hook hook = hook_of(ifindex);
	LIBBPF_OPTS(bpf_tc_opts, opts, .handle = FILTER_HANDLE, .priority = FILTER_PRIORITY);
	int err;

	err = bpf_tc_query(&hook, &opts);
	libbpf_set_print(print);
	return !err && opts.prog_id == program_id(program);
}

int xrdma_tc_detach_filter(int program, int ifindex)
{
	struct bpf_tc_hook hook = hook_of(ifindex);
	LIBBPF_OPTS(bpf_tc_opts, opts, .handle = FILTER_HANDLE, .priority = FILTER_PRIORITY);

	return has_filter(program, ifindex) ? bpf_tc_detach(&hook, &opts) : 0;
}

bool xrdma_tc_attached(int program, int link, int ifindex)
{
	struct bpf_link_info info = { 0 };
	__u32 len = sizeof(info);

	if (link < 0)
		return has_filter(program, ifindex);
	/* A link of tcx has its netdev where one of XDP has it; none any more: 0. */
	return !bpf_obj_get_info_by_fd(link, &info, &len) && (int)info.xdp.ifindex == ifindex;
}
