// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Ways in which packets leave a netdev. tests/net/transmit.sh runs it. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <time.h>

#include "net/netdev.h"
#include "support/pair.h"
#include "support/test.h"

TestSuite(transmit, .once = pair_open, .init = pair_start, .fini = pair_stop, .end = pair_close);

static bool has_queue(const struct xrdma_context *context)
{
	return context->transmit.xsk.socket;
}

/*
 * Expect that DEVICE has COUNT queues. Each belongs to one context, and the next context takes the
 * next queue, or none if all are taken. The kernel releases a queue some time after its socket was
 * closed, so the first context waits for that.
 */
static void expect_queues(const char *device, int count)
{
	struct xrdma_context *contexts[3];

	for (int i = 0; i < 3; i++) {
		contexts[i] = open_small(device);
		expect_msg(has_queue(contexts[i]) == (i < count), "context %d of %s", i, device);
	}
	for (int i = 0; i < 3; i++)
		expect_int(xrdma_context_close(contexts[i]), ==, 0);
}

Test(queues, each_of_one_context)
{
	pair_enter("a");
	expect_queues("xa", 1);
	expect_queues("xa", 1);
	expect_queues("ya", 2);
}

static int open_by(enum xrdma_tx tx, struct xrdma_context **context)
{
	const struct xrdma_context_attr attr = { .sz = sizeof(attr), .tx = tx };

	return xrdma_context_open("xa", &attr, context);
}

/* XRDMA_TX_UDP takes no queue. XRDMA_TX_XDP fails if no queue is free. */
Test(queues, as_asked_for)
{
	struct xrdma_context *context, *other;

	pair_enter("a");
	expect_int(open_by(XRDMA_TX_UDP, &other), ==, 0);
	expect(!has_queue(other));
	expect_int(open_by(XRDMA_TX_XDP, &context), ==, 0);
	expect(has_queue(context));
	expect_int(xrdma_context_close(other), ==, 0);
	expect_error(open_by(XRDMA_TX_XDP, &other), EBUSY, "cannot send by AF_XDP on xa");
	expect_int(xrdma_context_close(context), ==, 0);
}

/* A program that the process executes does not inherit a queue. */
Test(queues, close_on_exec)
{
	struct xrdma_context *context;

	pair_enter("a");
	context = open_small("xa");
	expect(fcntl(xsk_socket__fd(context->transmit.xsk.socket), F_GETFD) & FD_CLOEXEC);
	expect_int(xrdma_context_close(context), ==, 0);
}

/* Write PLACE into the completion ring, as if the kernel were finished with that frame. */
static void bring_back(struct xrdma_xsk *xsk, __u64 place)
{
	__u32 at = *xsk->done.producer;

	((__u64 *)xsk->done.ring)[at & xsk->done.mask] = place;
	__atomic_store_n(xsk->done.producer, at + 1, __ATOMIC_RELEASE);
}

/* Frames that the kernel returns but never got are not free. They overwrite nothing. */
Test(queues, frames_that_are_not_the_kernels)
{
	struct xrdma_transmit *transmit;
	struct xrdma_context *context;

	pair_enter("a");
	context = open_small("ya");
	transmit = &context->transmit;
	bring_back(&transmit->xsk, 0);
	bring_back(&transmit->xsk, transmit->first - 1);
	bring_back(&transmit->xsk, transmit->first);
	bring_back(&transmit->xsk, transmit->first + 5 * XRDMA_TRANSMIT_FRAME + 2);
	bring_back(&transmit->xsk, transmit->first + XRDMA_TRANSMIT_SIZE);
	bring_back(&transmit->xsk, ~0ULL);
	xrdma_transmit_queue(transmit, xrdma_transmit_take(transmit), 60);
	xrdma_transmit_flush(transmit);
	expect_int(transmit->strays, ==, 6);
	expect_int(transmit->free_count, ==, XRDMA_XSK_FRAMES);
	expect_int(xrdma_context_close(context), ==, 0);
}

/* Wait until the kernel has finished with all frames. */
static void expect_all_free(struct xrdma_transmit *transmit)
{
	time_t end = time(NULL) + 5;

	while (transmit->free_count < XRDMA_XSK_FRAMES && time(NULL) < end)
		xrdma_transmit_flush(transmit);
	expect_int(transmit->free_count, ==, XRDMA_XSK_FRAMES);
	expect_int(transmit->strays, ==, 0);
}

static __u32 sent_frames(void)
{
	struct xrdma_netdev netdev;

	pair_enter("a");
	expect_int(xrdma_netdev_query(if_nametoindex("xa"), &netdev), ==, 0);
	return netdev.tx_packets;
}

/*
 * More frames are sent than there are places, some of maximum length for AF_XDP. Each is sent, and
 * its place is used again.
 */
Test(transmit, more_frames_than_places)
{
	enum { FRAMES = 3 * XRDMA_XSK_FRAMES };
	struct xrdma_transmit *transmit = &pair.a.owner.context->transmit;
	__u32 before = sent_frames();

	expect(has_queue(pair.a.owner.context));
	for (int i = 0; i < FRAMES; i++) {
		struct xrdma_frame *frame = xrdma_transmit_take(transmit);

		expect_msg(frame, "no room for frame %d", i);
		memset(frame->bytes, 0, XRDMA_XSK_LEN_MAX);
		xrdma_transmit_queue(transmit, frame, i % 16 ? 60 + i : XRDMA_XSK_LEN_MAX);
	}
	xrdma_transmit_flush(transmit);
	expect_int(sent_frames() - before, >=, FRAMES);
	expect_all_free(transmit);
}

Test(transmit, writes_leave_no_frame_behind)
{
	pair_set_write(0, PAIR_BYTES);
	pair_expect(XRDMA_WC_SUCCESS);
	expect_all_free(&pair.a.owner.context->transmit);
}

/* Take all frames, as if the kernel had them and did not return them. */
static void expect_no_room(struct xrdma_transmit *transmit)
{
	transmit->free_count = 0;
	expect_int(pair_post(), ==, 0);
	expect_int(xrdma_cq_poll(pair.a.cq, 1, send_wc), ==, 0);
}

/* When the timer ends, packets are sent by UDP, whatever uses up the frames. */
Test(transmit, no_frame_for_ever)
{
	expect_no_room(&pair.a.owner.context->transmit);
	pair_poll(1);
	expect_int(send_wc[0].status, ==, XRDMA_WC_SUCCESS);
	expect(pair.a.qp->by_udp);
	pair_expect_written(64, 256);
}

Test(transmit, no_frame_for_some_time)
{
	struct xrdma_transmit *transmit = &pair.a.owner.context->transmit;

	expect_no_room(transmit);
	transmit->free_count = XRDMA_XSK_FRAMES;
	pair_poll(1);
	expect_int(send_wc[0].status, ==, XRDMA_WC_SUCCESS);
	expect(!pair.a.qp->by_udp);
	pair_expect_written(64, 256);
}

/* Packets of one length leave the netdev in one message, up to 32 at a time. */
Tests(transmit, many_packets_as_one, 2)
{
	enum { BYTES = 128 << 10, FRAMES_MAX = 10 };
	__u32 before = sent_frames();

	pair_connect(i ? 6 : 4, 1024);
	pair_set_write(0, BYTES);
	pair_expect(XRDMA_WC_SUCCESS);
	pair_expect_written(0, BYTES);
	expect_int(sent_frames() - before, <=, FRAMES_MAX);
	expect(!pair.a.qp->udp.is_single);
}

/* Act like a netdev that cannot compute checksums. */
Test(transmit, kernel_that_cuts_nothing)
{
	const int yes = 1;

	pair_connect(4, 1024);
	setsockopt(pair.a.qp->udp.fd, SOL_SOCKET, SO_NO_CHECK, &yes, sizeof(yes));
	pair_set_write(0, 128 << 10);
	pair_expect(XRDMA_WC_SUCCESS);
	pair_expect_written(0, 128 << 10);
	expect(pair.a.qp->udp.is_single);
}

static void run(const char *host, const char *command)
{
	pair_enter(host);
	expect_msg(!system(command), "%s", command);
}

/*
 * Post to a neighbour that is not known, and does not respond, until the kernel has no room for
 * more packets. These are sent later.
 */
static void post_without_room(void)
{
	const int bytes = 1;

	pair_connect(4, 4096);
	run("b", "ip link set xb arp off");
	run("a", "ip neigh del 10.66.0.2 dev xa");
	pair.a.qp->path.has_mac = false;
	setsockopt(pair.a.qp->udp.fd, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof(bytes));
	pair_set_write(0, 20 * 4096);
	expect_int(pair_post(), ==, 0);
	expect(pair.a.qp->sq.due);
	expect_int(pair.a.qp->sq.next, <, pair.a.qp->sq.end);
}

Test(transmit, no_room_in_the_kernel_for_some_time)
{
	pair.a.attr.timeout = 20; /* 4 s */
	post_without_room();
	run("b", "ip link set xb arp on");
	pair_poll(1);
	expect_int(send_wc[0].status, ==, XRDMA_WC_SUCCESS);
	pair_expect_written(0, 20 * 4096);
}

/*
 * The timer starts when a packet should be sent. So a request that cannot be sent fails in the end
 * (IBA 9.7.6.1.3).
 */
Test(transmit, no_room_in_the_kernel_for_ever)
{
	pair.a.attr.retry_cnt = 1;
	post_without_room();
	pair_poll(1);
	expect_int(send_wc[0].status, ==, XRDMA_WC_RETRY_EXC_ERR);
	run("b", "ip link set xb arp on");
}

/*
 * Wait until the links are up and a packet can be sent at once. The kernel notices only after a
 * while that a link is up, and frames are lost until then. It repeats an ARP request that was lost
 * only after one second, so that such requests are forgotten here.
 */
static void wait_for_links(void)
{
	run("a", "until ip link show xa | grep -q 'state UP'; do sleep 0.01; done");
	run("b", "until ip link show xb | grep -q 'state UP'; do sleep 0.01; done");
	run("a", "ip neigh flush dev xa");
	run("b", "ip neigh flush dev xb");
}

/* Expect that packets are lost while LINK of HOST is down, and do not delay later ones. */
static void expect_lost(const char *host, const char *link)
{
	char command[64];

	pair.a.attr.retry_cnt = 0;
	pair_connect(4, 1024);
	snprintf(command, sizeof(command), "ip link set %s down", link);
	run(host, command);
	send_sge.length = 200000;
	pair_expect_failure(XRDMA_WC_RETRY_EXC_ERR);
	expect_all_free(&pair.a.owner.context->transmit);
	snprintf(command, sizeof(command), "ip link set %s up", link);
	run(host, command);
	wait_for_links();
	pair_set_write(64, 256);
	pair_connect(4, 1024);
	pair_expect(XRDMA_WC_SUCCESS);
	pair_expect_written(64, 256);
}

/* A netdev that is down refuses frames. */
Test(transmit, link_that_is_down)
{
	expect_lost("a", "xa");
}

/* A netdev without carrier takes frames and loses them. */
Test(transmit, peer_that_is_down)
{
	expect_lost("b", "xb");
}
