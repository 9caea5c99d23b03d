// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Datagrams of a burst are combined into messages. */
#include <netinet/in.h>
#include <linux/udp.h>
#include <stdlib.h>
#include <string.h>

#include "net/burst.h"
#include "support/test.h"

static struct xrdma_bursts bursts;
static struct xrdma_burst *burst;
static __u64 packet;

static void open_burst(void)
{
	xrdma_bursts_init(&bursts);
	burst = xrdma_bursts_take(&bursts);
	expect(burst);
	packet = 0;
}

static void close_burst(void)
{
	xrdma_bursts_give(&bursts, burst);
	xrdma_bursts_exit(&bursts);
}

TestSuite(burst, .init = open_burst, .fini = close_burst);

/* Add a datagram. Returns its index in its message. */
static __u32 add(size_t len)
{
	const struct xrdma_burst_mark mark = { .packet = packet };
	__u32 number = xrdma_burst_number(burst, len);
	__u8 *room = xrdma_burst_room(burst, len);

	expect(room);
	memset(room, packet++, len);
	xrdma_burst_add(burst, len, mark);
	return number;
}

/*
 * Expect that message AT begins with datagram PACKET, and has BYTES in datagrams of SEGMENT bytes.
 * If SEGMENT is 0, there is one datagram.
 */
static void expect_message(__u32 at, __u64 first, size_t bytes, __u16 segment)
{
	struct msghdr *msg = &burst->messages[at].msg_hdr;
	const __u8 *sent = msg->msg_iov->iov_base;
	struct cmsghdr *cmsg = CMSG_FIRSTHDR(msg);

	expect(burst->marks[at].packet == first);
	expect_int(msg->msg_iovlen, ==, 1);
	expect_int(msg->msg_iov->iov_len, ==, bytes);
	expect_int(sent[0], ==, (__u8)first);
	expect_int(!cmsg, ==, !segment);
	if (!segment)
		return;
	expect(cmsg->cmsg_level == IPPROTO_UDP && cmsg->cmsg_type == UDP_SEGMENT);
	expect(!memcmp(CMSG_DATA(cmsg), &segment, sizeof(segment)));
	expect_int(sent[segment], ==, (__u8)(first + 1));
}

/* udp(7), UDP_SEGMENT: all datagrams have the same length, but the last may be shorter. */
Test(burst, of_one_length)
{
	expect_int(add(100), ==, 0);
	expect_int(add(100), ==, 1);
	expect_int(add(40), ==, 2);
	expect_int(add(40), ==, 0);
	expect_int(add(44), ==, 0);
	expect_int(burst->count, ==, 3);
	expect_message(0, 0, 240, 100);
	expect_message(1, 3, 40, 0);
	expect_message(2, 4, 44, 0);
}

Test(burst, is_cut)
{
	add(100);
	xrdma_burst_cut(burst);
	expect_int(add(100), ==, 0);
	expect_int(add(100), ==, 1);
	expect_message(0, 0, 100, 0);
	expect_message(1, 1, 200, 100);
}

Test(burst, of_as_many_as_peers_take)
{
	for (int i = 0; i < XRDMA_BURST_SEGMENTS; i++)
		expect_int(add(32), ==, i);
	expect_int(add(32), ==, 0);
	expect_message(0, 0, XRDMA_BURST_SEGMENTS * 32, 32);
}

Test(burst, as_long_as_a_packet)
{
	for (int i = 0; i < 15; i++)
		expect_int(add(4200), ==, i);
	expect_int(xrdma_burst_number(burst, 2000), ==, 15);
	expect_int(xrdma_burst_number(burst, 2004), ==, 0);
	expect(!xrdma_burst_room(burst, 4200));
}

/* A burst is limited in messages and in bytes, and is empty after it is cleared. */
Test(burst, is_full)
{
	for (int i = 0; i < XRDMA_BURST_MESSAGES; i++)
		expect_int(add(32 + i), ==, 0);
	expect(!xrdma_burst_room(burst, 200));
	expect(xrdma_burst_room(burst, 32));
	add(32);
	expect(!xrdma_burst_room(burst, 32));
	xrdma_burst_clear(burst);
	expect_int(add(32), ==, 0);
	expect_int(burst->count, ==, 1);
}
