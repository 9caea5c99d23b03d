// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Update a device's maps when its netdev has changed. */
#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "dev/device.h"
#include "lib/error.h"
#include "net/netdev.h"
#include "net/path.h"
#include "net/rdma.h"

enum { STEP = 64 };

static const __u32 only_row;

/* Facts about the netdev, for the maps. */
struct facts {
	struct xrdma_netdev netdev;
	__u32 features;
	__u32 count;
	__be32 (*addrs)[4]; /* allocated in multiples of STEP */
	int err;
};

static void add_addr(__u32 ifindex, const __be32 addr[4], void *arg)
{
	struct facts *facts = arg;
	void *more;

	if (ifindex != facts->netdev.ifindex)
		return;
	if (facts->count % STEP == 0) {
		more = realloc(facts->addrs, (facts->count + STEP) * sizeof(*facts->addrs));
		if (!more) {
			facts->err = -ENOMEM;
			return;
		}
		facts->addrs = more;
	}
	memcpy(facts->addrs[facts->count++], addr, sizeof(*facts->addrs));
}

/*
 * Collect the facts about the netdev. Free FACTS->addrs after use. Returns 0, or -errno without a
 * message.
 */
static int gather(__u32 ifindex, struct facts *facts)
{
	int err;

	memset(facts, 0, sizeof(*facts));
	err = xrdma_netdev_query(ifindex, &facts->netdev);
	if (!err)
		err = xrdma_netdev_addrs(add_addr, facts);
	if (!err && xrdma_rdma_has(facts->netdev.name))
		facts->features = XRDMA_FEATURE_SHARED;
	return err ? err : facts->err;
}

static bool is_among(const struct facts *facts, __u32 first, const __be32 addr[4])
{
	for (__u32 i = first; i < facts->count; i++)
		if (!memcmp(facts->addrs[i], addr, sizeof(facts->addrs[i])))
			return true;
	return false;
}

/*
 * Write the addresses that do not fit into the device's row. Missing ones are added before old ones
 * are removed.
 */
static int write_more(int map, const struct facts *facts)
{
	const __u8 there = 1;
	__be32 next[4], addr[4];
	int err = 0, more;

	for (__u32 i = XRDMA_ADDRS_MAX; !err && i < facts->count; i++)
		err = bpf_map_update_elem(map, facts->addrs[i], &there, BPF_ANY);
	more = bpf_map_get_next_key(map, NULL, next);
	while (!more) {
		memcpy(addr, next, sizeof(addr));
		more = bpf_map_get_next_key(map, addr, next);
		if (!is_among(facts, XRDMA_ADDRS_MAX, addr))
			bpf_map_delete_elem(map, addr);
	}
	return err;
}

static void fill_row(struct xrdma_device_row *row, const struct facts *facts)
{
	__u32 count = facts->count < XRDMA_ADDRS_MAX ? facts->count : XRDMA_ADDRS_MAX;

	row->addr_count = facts->count;
	row->features = facts->features;
	memcpy(row->mac, facts->netdev.mac, sizeof(row->mac));
	memset(row->addrs, 0, sizeof(row->addrs));
	if (count)
		memcpy(row->addrs, facts->addrs, count * sizeof(row->addrs[0]));
}

/*
 * Write FACTS into the device's maps. Call it only in the network namespace in which the device was
 * loaded, because the netdev cannot be found in another one. Returns 1 if something was written, 0
 * if the maps were up to date, or -errno.
 */
static int write_facts(const struct xrdma_device *device, const struct facts *facts)
{
	struct xrdma_device_row was, row;
	__u64 here;
	int err = bpf_map_lookup_elem(device->row, &only_row, &was) ?: xrdma_netns_cookie(&here);

	if (!err && was.netns != here)
		err = -ENODEV;
	row = was;
	fill_row(&row, facts);
	if (!err && (facts->count > XRDMA_ADDRS_MAX || was.addr_count > XRDMA_ADDRS_MAX))
		err = write_more(device->addrs, facts);
	if (err || !memcmp(&row, &was, sizeof(was)))
		return err;
	err = bpf_map_update_elem(device->row, &only_row, &row, BPF_ANY);
	return err ? err : 1;
}

/* Returns a number that depends on all addresses, but not on their order. */
static __u64 sum_of(const struct facts *facts)
{
	__u64 sum = 0, words[2];

	for (__u32 i = 0; i < facts->count; i++) {
		memcpy(words, facts->addrs[i], sizeof(words));
		sum += (words[0] ^ words[1] * 0x9e3779b97f4a7c15) * 0xff51afd7ed558ccd;
	}
	return sum;
}

static struct xrdma_port_state state_of(const struct facts *facts)
{
	return (struct xrdma_port_state){
		.is_running = facts->netdev.is_running,
		.addrs = sum_of(facts),
	};
}

/*
 * Repeat this until nothing has to be written: another process may write older facts at the same
 * time.
 */
int xrdma_device_refresh_to(const struct xrdma_device *device, struct xrdma_port_state *state)
{
	struct facts facts;
	int wrote, found;

	do {
		found = gather(device->ifindex, &facts); /* without a netdev there is no address */
		if (!found || found == -ENODEV)
			*state = state_of(&facts);
		wrote = found && found != -ENODEV ? found : write_facts(device, &facts);
		free(facts.addrs);
	} while (wrote > 0);
	if (!wrote)
		wrote = found;
	if (wrote == -ENODEV)
		return xrdma_fail(ENODEV, "the netdev is gone, or not in this network namespace");
	if (wrote == -E2BIG)
		return xrdma_fail(E2BIG, "the netdev has more than %d addresses",
				  XRDMA_ADDRS_MAX + XRDMA_MORE_ADDRS_MAX);
	if (wrote)
		return xrdma_fail(-wrote, "cannot write the netdev's properties: %s",
				  strerror(-wrote));
	return 0;
}

int xrdma_device_refresh(const struct xrdma_device *device)
{
	struct xrdma_port_state state;

	return xrdma_device_refresh_to(device, &state);
}

int xrdma_device_check_source(const struct xrdma_device *device, const __be32 source[4])
{
	int err = xrdma_device_refresh(device);

	return err ?: xrdma_path_check_source(device->ifindex, source);
}
