// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Both ends on one host. tests/net/local.sh runs it. */
#include <errno.h>
#include <net/if.h>

#include "net/netdev.h"
#include "net/path.h"
#include "support/pair.h"
#include "support/test.h"

/* Two devices of the host, or one, and the addresses that are used. */
struct place {
	const char *device_a, *device_b;
	const char *a, *b;
};

static const struct place places[] = {
	{ "xa", "xa", "10.66.0.1", "10.66.0.1" }, { "xa", "xa", "10.66.0.1", "10.66.0.11" },
	{ "xa", "xa", "fd66::1", "fd66::1" },	  { "xa", "xa", "fe80::a", "fe80::a" },
	{ "xa", "xb", "10.66.0.1", "10.66.0.2" }, /* connected by a cable */
	{ "xa", "xb", "fd66::1", "fd66::2" },	  { "d0", "d0", "10.99.0.1", "10.99.0.1" },
	{ "d0", "d0", "fd99::1", "fd99::1" },	  { "d0", "xb", "10.99.0.1", "10.66.0.2" },
	{ "lo", "lo", "127.0.0.1", "127.0.0.1" }, { "lo", "lo", "::1", "::1" },
	{ "lo", "xa", "127.0.0.1", "10.66.0.1" },
};
enum { PLACES = sizeof(places) / sizeof(places[0]) };

/* FEW packets are less than a transfer takes, but more than other traffic. */
enum { BYTES = 200001, FEW = 10 };

static __u64 sent_packets(const char *name)
{
	struct xrdma_netdev netdev;

	pair_enter("a");
	expect_int(xrdma_netdev_query(if_nametoindex(name), &netdev), ==, 0);
	return netdev.tx_packets;
}

static void open_at(const struct place *place)
{
	pair_enter("a");
	owner_open(&pair.a.owner, place->device_a);
	owner_open(&pair.b.owner, place->device_b);
}

static void connect_at(const struct place *place, int mtu)
{
	pair.a.attr.ah_attr = pair.b.attr.ah_attr = (struct xrdma_ah_attr){ 0 };
	set_address(pair.a.attr.ah_attr.source, place->a);
	set_address(pair.b.attr.ah_attr.source, place->b);
	pair_connect_by(place->a, place->b, mtu);
}

static void write_and_send(const struct place *place, int mtu)
{
	pair_start();
	connect_at(place, mtu);
	pair_set_write(64, BYTES);
	pair_expect(XRDMA_WC_SUCCESS);
	pair_expect_written(64, BYTES);
	pair_set_send(7, BYTES);
	pair_send_once();
	pair_expect_written(7, BYTES);
	pair_stop();
}

static void read_all(const struct place *place, int mtu)
{
	pair_start_read();
	connect_at(place, mtu);
	for (__u32 len = 1; len < BYTES; len = len * 7 + 1) {
		pair_set_read(64, len);
		pair_expect(XRDMA_WC_SUCCESS);
		pair_expect_written(64, len);
	}
	pair_stop();
}

static void add_once(const struct place *place)
{
	__u64 before, *counter;

	pair_start_atomic();
	connect_at(place, 1024);
	counter = (__u64 *)(pair.source + 64);
	before = *counter;
	pair_set_fetch_add(64, 5);
	pair_expect(XRDMA_WC_SUCCESS);
	expect_int(*counter, ==, before + 5);
	expect_int(*(__u64 *)(pair.target + 64), ==, before);
	pair_stop();
}

/* Packets to any local address go through lo, and through no other netdev. */
Tests(local, every_operation, PLACES)
{
	const struct place *place = &places[i];
	__u64 left = sent_packets("xa") + sent_packets("xb");

	open_at(place);
	for (int mtu = 1024; mtu <= 4096; mtu *= 4) {
		write_and_send(place, mtu);
		read_all(place, mtu);
	}
	add_once(place);
	expect_int(sent_packets("xa") + sent_packets("xb") - left, <, FEW);
	pair_close();
}

/*
 * A link-local address belongs to its link. That of the netdev at the other end is reached by the
 * cable.
 */
Test(local, link_local_by_the_cable)
{
	const struct place cabled = { "xa", "xb", "fe80::a", "fe80::b" };
	__u64 left = sent_packets("xa");

	open_at(&cabled);
	write_and_send(&cabled, 1024);
	expect_int(sent_packets("xa") - left, >=, FEW);
	pair_close();
}

/*
 * The source address of packets to this host can be chosen: the destination itself, or the device's
 * first address.
 */
Tests(local, source_is_chosen, 2)
{
	const char *dest = i ? "10.66.0.2" : "10.66.0.11", *source = i ? "10.66.0.1" : dest;
	struct xrdma_qp_attr attr = { .sz = sizeof(attr) };
	__be32 expected[4];

	open_at(&places[0]);
	pair_start();
	set_address(pair.a.attr.ah_attr.dest, dest);
	side_bring_to(&pair.a, XRDMA_QPS_RTS);
	expect_int(xrdma_qp_query(pair.a.qp, &attr), ==, 0);
	set_address(expected, source);
	expect(!memcmp(attr.ah_attr.source, expected, sizeof(expected)));
	pair_stop();
	pair_close();
}

/*
 * lo allows every path MTU, whatever the netdev allows. But the address must still be one of the
 * netdev.
 */
Test(local, limits)
{
	open_at(&places[0]);
	pair_start();
	pair_enter("a");
	expect_int(xrdma_path_mtu(pair.a.owner.context->device.ifindex, pair.b.attr.ah_attr.dest),
		   ==, 4096);
	side_bring_to(&pair.a, XRDMA_QPS_INIT);
	set_address(pair.a.attr.ah_attr.source, "10.66.0.2");
	expect_error(side_modify(&pair.a, XRDMA_QPS_RTR, TO_RTR), EADDRNOTAVAIL,
		     "not one of the device");
	pair_stop();
	pair_close();
}
