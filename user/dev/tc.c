// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "dev/tc.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/pkt_cls.h>
#include <linux/rtnetlink.h>
#include <linux/types.h>
#include <net/if.h>
#include <string.h>
#include <unistd.h>

#include "dev/program.h"
#include "net/netdev.h"
#include "net/netlink.h"

/* Constants of Linux 6.6, for builds with older headers. */
enum { TCX_INGRESS = 46, TCX_BEFORE = 1 << 3 };

/*
 * Our filters have the first priority, so that they run before those of others. Their number is the
 * device's, and differs from all numbers that the kernel chooses, so that they can be found again.
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

/*
 * Returns whether the filter of DEVICE at PLACE is PROGRAM (1 or 0), or -errno if the kernel
 * refused to list it.
 */
static int has_filter(int program, int device, enum xrdma_tc_place place)
{
	struct bpf_tc_hook hook = hook_at(device, place);
	LIBBPF_OPTS(bpf_tc_opts, opts, .handle = FILTER_HANDLE | device,
		    .priority = FILTER_PRIORITY);
	int err = bpf_tc_query(&hook, &opts);

	switch (err) {
	case -ENOENT: /* no such filter */
	case -EINVAL: /* no filters at all */
	case -ENODEV:
		return 0;
	default:
		return err ?: opts.prog_id == xrdma_program_id(program);
	}
}

static int detach_filter(int program, int device, enum xrdma_tc_place place)
{
	struct bpf_tc_hook hook = hook_at(device, place);
	LIBBPF_OPTS(bpf_tc_opts, opts, .handle = FILTER_HANDLE | device,
		    .priority = FILTER_PRIORITY);

	int has = has_filter(program, device, place);

	return has <= 0 ? has : bpf_tc_detach(&hook, &opts);
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

/*
 * Returns whether the tcx link LINK is attached to IFINDEX (1 or 0), or -errno. The kernel gives
 * the netdev in the same member as for an XDP link; it is 0 when the netdev is gone.
 */
static int holds(int link, int ifindex)
{
	struct bpf_link_info info = { 0 };
	__u32 len = sizeof(info);

	return bpf_obj_get_info_by_fd(link, &info, &len) ? -errno
							 : (int)info.xdp.ifindex == ifindex;
}

int xrdma_tc_attached(int program, const int links[XRDMA_TC_PLACES], int device)
{
	int is = 1;

	for (int i = 0; i < places_of(device) && is > 0; i++)
		is = links[i] < 0 ? has_filter(program, device, i)
				  : holds(links[i], netdev_at(device, i));
	return is;
}

/* Search for the programs before OURS at tc ingress of NETDEV. */
struct search {
	const struct xrdma_program_visitor *visitor;
	const char *netdev;
	__u32 ours;
	bool is_at_lo;
	bool has_ended; /* OURS was found, or the visitor stopped the search */
	int err;	/* from the visitor */
};

/*
 * Returns whether program ID is one of xrdma. The programs of all devices follow each other at lo,
 * and each passes on packets for the others.
 */
static bool is_of_xrdma(__u32 id)
{
	int program = bpf_prog_get_fd_by_id(id);
	__u32 map = 0;

	if (program < 0)
		return false;
	xrdma_program_device(program, &map);
	close(program);
	return map;
}

static void meet(struct search *search, __u32 id)
{
	if (search->has_ended)
		return;
	if (id == search->ours)
		search->has_ended = true;
	else if (!search->is_at_lo || !is_of_xrdma(id))
		search->err =
			xrdma_program_report(search->visitor, XRDMA_HOOK_TC, search->netdev, id);
	search->has_ended |= search->err != 0;
}

static void meet_links(struct search *search, int ifindex)
{
	__u32 ids[64], count = sizeof(ids) / sizeof(ids[0]); /* the kernel's limit */

	if (bpf_prog_query(ifindex, (enum bpf_attach_type)TCX_INGRESS, 0, NULL, ids, &count))
		return;
	for (__u32 i = 0; i < count; i++)
		meet(search, ids[i]);
}

/*
 * Visit the program of a filter. The kernel lists filters in the order in which they run. Filters
 * before ours have its priority, and are BPF filters too, since all filters of one priority are of
 * one kind.
 */
static int meet_filter(const struct nlmsghdr *message, void *arg)
{
	const struct tcmsg *filter = mnl_nlmsg_get_payload(message);
	const struct nlattr *attr, *option;

	if (message->nlmsg_type != RTM_NEWTFILTER)
		return MNL_CB_OK;
	mnl_attr_for_each(attr, message, sizeof(*filter))
	{
		if (mnl_attr_get_type(attr) != TCA_OPTIONS)
			continue;
		mnl_attr_for_each_nested(option, attr)
		{
			if (mnl_attr_get_type(option) == TCA_BPF_ID)
				meet(arg, mnl_attr_get_u32(option));
		}
	}
	return MNL_CB_OK;
}

static void meet_filters(struct search *search, int ifindex)
{
	char buffer[64];
	struct nlmsghdr *request = mnl_nlmsg_put_header(buffer);
	struct tcmsg *filter = mnl_nlmsg_put_extra_header(request, sizeof(*filter));

	request->nlmsg_type = RTM_GETTFILTER;
	request->nlmsg_flags = NLM_F_DUMP;
	filter->tcm_ifindex = ifindex;
	filter->tcm_parent = TC_H_MAKE(TC_H_CLSACT, TC_H_MIN_INGRESS);
	xrdma_netlink_request(NETLINK_ROUTE, request, meet_filter, search);
}

int xrdma_tc_each_before(int program, int device, const struct xrdma_program_visitor *visitor)
{
	int err = 0;

	for (int i = 0; !err && i < places_of(device); i++) {
		const int ifindex = netdev_at(device, i);
		char netdev[IF_NAMESIZE];
		struct search search = {
			.visitor = visitor,
			.netdev = netdev,
			.ours = xrdma_program_id(program),
			.is_at_lo = ifindex == XRDMA_LO,
		};

		if (!if_indextoname(ifindex, netdev))
			continue;
		meet_links(&search, ifindex);
		if (!search.has_ended)
			meet_filters(&search, ifindex);
		err = search.err;
	}
	return err;
}
