// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "dev/tc.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/types.h>
#include <unistd.h>

#include "net/netdev.h"

/* Of Linux 6.6: the headers of older ones, with which this is built too, lack them. */
enum { TCX_INGRESS = 46, TCX_BEFORE = 1 << 3 };

/*
 * Where our filters are found again: before those of others, under a number that is the device's,
 * and none that the kernel gives by itself.
 */
enum { FILTER_PRIORITY = 1 };
#define FILTER_HANDLE 0x80000000

const char *const xrdma_tc_pins[] = { "xrdma_tc_link", "xrdma_lo_link" };

static int places_of(int device)
{
	return device == XRDMA_LO ? XRDMA_TC_AT_LO : XRDMA_TC_PLACES;
}

static int netdev_at(int device, enum xrdma_tc_place place)
{
	return place == XRDMA_TC_AT_LO ? XRDMA_LO : device;
}

static struct bpf_tc_hook hook_at(int device, enum xrdma_tc_place place)
{
	return (struct bpf_tc_hook){
		.sz = sizeof(struct bpf_tc_hook),
		.ifindex = netdev_at(device, place),
		.attach_point = BPF_TC_INGRESS,
	};
}

static int attach_filter(int program, int device, enum xrdma_tc_place place)
{
	struct bpf_tc_hook hook = hook_at(device, place);
	LIBBPF_OPTS(bpf_tc_opts, opts, .prog_fd = program, .handle = FILTER_HANDLE | device,
		    .priority = FILTER_PRIORITY);
	int err = bpf_tc_hook_create(&hook);

	return err && err != -EEXIST ? err : bpf_tc_attach(&hook, &opts);
}

static int attach_at(int program, int device, enum xrdma_tc_place place, int *link)
{
	LIBBPF_OPTS(bpf_link_create_opts, opts, .flags = TCX_BEFORE);

	*link = bpf_link_create(program, netdev_at(device, place),
				(enum bpf_attach_type)TCX_INGRESS, &opts);
	if (*link >= 0)
		return 0;
	*link = -1;
	return attach_filter(program, device, place);
}

static __u32 program_id(int program)
{
	struct bpf_prog_info info = { 0 };
	__u32 len = sizeof(info);

	return bpf_obj_get_info_by_fd(program, &info, &len) ? 0 : info.id;
}

static bool has_filter(int program, int device, enum xrdma_tc_place place)
{
	struct bpf_tc_hook hook = hook_at(device, place);
	LIBBPF_OPTS(bpf_tc_opts, opts, .handle = FILTER_HANDLE | device,
		    .priority = FILTER_PRIORITY);

	return !bpf_tc_query(&hook, &opts) && opts.prog_id == program_id(program);
}

static int detach_filter(int program, int device, enum xrdma_tc_place place)
{
	struct bpf_tc_hook hook = hook_at(device, place);
	LIBBPF_OPTS(bpf_tc_opts, opts, .handle = FILTER_HANDLE | device,
		    .priority = FILTER_PRIORITY);

	return has_filter(program, device, place) ? bpf_tc_detach(&hook, &opts) : 0;
}

int xrdma_tc_detach_filters(int program, int device)
{
	int err = 0;

	for (int i = 0; i < places_of(device); i++)
		err = detach_filter(program, device, i) ?: err;
	return err;
}

int xrdma_tc_attach_filters(int program, int device)
{
	int err = 0;

	for (int i = 0; !err && i < places_of(device); i++)
		err = attach_filter(program, device, i);
	if (err)
		xrdma_tc_detach_filters(program, device);
	return err;
}

int xrdma_tc_attach(int program, int device, int links[XRDMA_TC_PLACES])
{
	int err = 0;

	for (int i = 0; i < XRDMA_TC_PLACES; i++)
		links[i] = -1;
	for (int i = 0; !err && i < places_of(device); i++)
		err = attach_at(program, device, i, &links[i]);
	if (!err)
		return 0;
	xrdma_tc_detach_filters(program, device);
	xrdma_tc_close(links);
	return err;
}

void xrdma_tc_close(const int links[XRDMA_TC_PLACES])
{
	for (int i = 0; i < XRDMA_TC_PLACES; i++)
		if (links[i] >= 0)
			close(links[i]);
}

/* A link of tcx has its netdev where one of XDP has it; none any more: 0. */
static bool holds(int link, int ifindex)
{
	struct bpf_link_info info = { 0 };
	__u32 len = sizeof(info);

	return !bpf_obj_get_info_by_fd(link, &info, &len) && (int)info.xdp.ifindex == ifindex;
}

bool xrdma_tc_attached(int program, const int links[XRDMA_TC_PLACES], int device)
{
	for (int i = 0; i < places_of(device); i++)
		if (links[i] < 0 ? !has_filter(program, device, i)
				 : !holds(links[i], netdev_at(device, i)))
			return false;
	return true;
}
