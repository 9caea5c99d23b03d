// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Runs that send the pending responses of queue pairs: which runs send, and how much at a time. */
#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/ip.h>
#include <linux/udp.h>
#include <net/if.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "support/case.h"

enum { MTU = 256, PACKETS = 150, AT_ONCE = 64, READERS = 40 };

static struct run run;

/*
 * A READ with a queue pair of its own. Its request arrives, and the frame arrives again as long as
 * the program redirects it.
 */
static struct reader {
	struct xrdma_qp_row *qp;
	struct target_result frame;
	__u32 mark;
} readers[READERS];

/* Set the link of lo, in a network namespace of our own. Responses leave by it and are ignored. */
static void set_link(bool up)
{
	struct ifreq request = { .ifr_name = "lo", .ifr_flags = up ? IFF_UP : 0 };
	int fd = socket(AF_INET, SOCK_DGRAM, 0);

	expect_int(ioctl(fd, SIOCSIFFLAGS, &request), ==, 0);
	close(fd);
}

static void set_room(bool any)
{
	expect_int(
		system(any ? "tc qdisc del dev lo root" : "tc qdisc add dev lo root pfifo limit 0"),
		==, 0);
}

static void load(void)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(0, &cpus);
	sched_setaffinity(0, sizeof(cpus), &cpus);
	expect_int(unshare(CLONE_NEWNET), ==, 0);
	target_load();
}

static void open_readers(void)
{
	struct packet packet;

	set_link(true);
	case_open(&run);
	case_set_read(&run);
	run.qp->mtu = MTU;
	run.mkey->offset = 0;
	run.mkey->len = PACKETS * MTU + 16;
	for (__u32 i = 0; i < READERS; i++) {
		packet = run.packet;
		packet.dest_qpn = CASE_QPN + i;
		packet.length = PACKETS * MTU;
		readers[i] = (struct reader){ .qp = run.qp + i };
		*readers[i].qp = *run.qp;
		readers[i].frame.len = packet_build(&packet, readers[i].frame.frame);
	}
}

TestSuite(tc_rounds, .once = load, .init = open_readers, .in_one_process = true);

/*
 * Run the program once. Returns how many responses were sent before the frame is redirected, or all
 * others.
 */
static __u32 run_program(struct reader *reader)
{
	const struct target_result before = reader->frame;
	__u32 sent = reader->qp->respq.sent;

	target_run_marked(&run.target, before.frame, before.len, &reader->mark, &reader->frame);
	return (reader->qp->resp.pending ? reader->qp->respq.sent : PACKETS) - sent;
}

static bool goes_on(const struct reader *reader)
{
	return reader->frame.action == XDP_TX && reader->mark;
}

/* The sender does not stall as long as its frame keeps arriving. */
Test(tc_rounds, at_work)
{
	struct reader *reader = &readers[0];

	expect_int(run_program(reader), ==, AT_ONCE);
	expect(goes_on(reader));
	reader->qp->respq.since = 1;
	expect_int(run_program(reader), ==, AT_ONCE);
	expect(goes_on(reader));
	expect(reader->qp->respq.since > 1);
	expect_int(run_program(reader), ==, PACKETS - 2 * AT_ONCE);
	expect_int(reader->frame.action, ==, XDP_DROP);
	expect_int(reader->qp->resp.pending, ==, 0);
	expect_int(reader->qp->respq.since, ==, 0);
}

static void send_all(struct reader *reader)
{
	for (__u32 left = PACKETS; left; left -= AT_ONCE < left ? AT_ONCE : left)
		expect_int(run_program(reader), ==, AT_ONCE < left ? AT_ONCE : left);
	expect_int(reader->qp->resp.pending, ==, 0);
}

/*
 * The READs have a UDP checksum, and no response has one. The frame becomes the last response of a
 * run that sends all of them, so the test finds that response in the frame.
 */
Test(tc_rounds, without_checksum)
{
	for (__u32 i = 0; i < 2; i++) {
		__u8 *frame = readers[i].frame.frame;
		struct udphdr *udp = (void *)(frame + ETH_HLEN + sizeof(struct iphdr));
		const struct xrdma_bth *bth = (void *)(udp + 1);
		struct packet packet = run.packet;

		packet.dest_qpn = CASE_QPN + i;
		packet.length = 3 * MTU;
		packet_build(&packet, frame);
		udp->check = 0x1234;
		run_program(&readers[i]);
		expect_int(readers[i].frame.action, ==, XDP_TX);
		expect_int(bth->opcode, ==, XRDMA_RC_READ_RESPONSE_LAST);
		expect_int(udp->check, ==, 0);
	}
}

/* Responses that cannot be sent stay pending. */
Test(tc_rounds, without_room)
{
	struct reader *reader = &readers[0];

	set_room(false);
	for (int i = 0; i < 2; i++) {
		expect_int(run_program(reader), ==, 0);
		expect(goes_on(reader));
		expect_int(reader->qp->resp.pending, ==, 1);
	}
	set_room(true);
	send_all(reader);
}

/*
 * A full queue may take a frame and drop its oldest one. The frame counts as sent: a second copy of
 * it would cost another place.
 */
Test(tc_rounds, into_a_full_queue)
{
	struct reader *reader = &readers[0];

	if (system("tc qdisc add dev lo root handle 1: tbf rate 8kbit burst 1600 limit 3000 && "
		   "tc qdisc add dev lo parent 1:1 pfifo_head_drop limit 10"))
		SKIP("this kernel has no tbf, or no pfifo_head_drop");
	send_all(reader);
	expect_int(system("tc qdisc del dev lo root"), ==, 0);
}

/* While the link is down, the kernel takes frames and drops them. They count as sent too. */
Test(tc_rounds, while_the_link_is_down)
{
	set_link(false);
	send_all(&readers[0]);
}

/* A run does not try for ever. The next request tries again. */
Test(tc_rounds, stuck)
{
	const __u64 since[] = { 1, 1ULL << 62 };
	struct reader *reader = &readers[0], next = *reader;

	for (int i = 0; i < 2; i++, *reader = next) {
		run_program(reader);
		expect(goes_on(reader));
		set_room(false);
		reader->qp->respq.since = since[i];
		expect_int(run_program(reader), ==, 0);
		expect_int(reader->frame.action, ==, XDP_DROP);
		set_room(true);
	}
	reader->qp->respq.since = 1;
	do
		run_program(reader);
	while (goes_on(reader));
	expect_int(reader->qp->resp.pending, ==, 0);
}

/* Two runs never send at once, even if one has stalled for a short time. */
Test(tc_rounds, one_at_a_time)
{
	struct reader *reader = &readers[0];
	struct reader other = *reader;

	expect_int(run_program(reader), ==, AT_ONCE);
	reader->qp->respq.since = 1;
	run_program(&other); /* the request is sent again */
	expect_int(reader->qp->respq.sent, ==, AT_ONCE / 2);
	expect(goes_on(&other));
	expect_int(run_program(reader), ==, 0);
	expect_int(reader->frame.action, ==, XDP_DROP);
	while (goes_on(&other))
		expect(run_program(&other) > 0);
	expect_int(reader->qp->resp.pending, ==, 0);
}

/* Queue pairs with pending responses share one budget. */
Test(tc_rounds, shared)
{
	expect_int(run_program(&readers[0]), ==, AT_ONCE);
	expect_int(run_program(&readers[1]), ==, AT_ONCE / 2);
	expect_int(run_program(&readers[0]), ==, AT_ONCE / 2);
	expect_int(run_program(&readers[1]), ==, AT_ONCE / 2);
	expect_int(run_program(&readers[2]), ==, AT_ONCE / 3);
	for (int i = 0; i < 3; i++)
		expect_int(run_program(&readers[i]), ==, AT_ONCE / 3);
	for (int i = 0; i < 2; i++)
		while (goes_on(&readers[i]))
			run_program(&readers[i]);
	expect(run_program(&readers[2]) < AT_ONCE); /* it does not know about the others yet */
	expect_int(run_program(&readers[2]), ==, AT_ONCE);
}

/* Each queue pair can send some, however many there are. */
Test(tc_rounds, many)
{
	__u32 sent;

	for (int round = 0; round < 3; round++)
		for (int i = 0; i < READERS; i++) {
			sent = run_program(&readers[i]);
			expect(goes_on(&readers[i]));
			expect(sent == 2 || (!round && sent > 2));
		}
}

/* Fill all places with one queue pair, so that no others share. */
static void let_nobody_share(void)
{
	do
		run_program(&readers[2]);
	while (goes_on(&readers[2]));
}

/*
 * A frame ends with its connection. It never sends pending responses of the queue pair's next
 * connection.
 */
Test(tc_rounds, of_a_connection_before)
{
	struct reader before = readers[1], *reader = &readers[1];

	let_nobody_share();
	expect_int(run_program(&before), ==, AT_ONCE);
	expect(goes_on(&before));
	*reader->qp = *run.qp; /* like after a reset and a new connection */
	expect_int(run_program(reader), ==, AT_ONCE / 2);
	expect_int(run_program(&before), ==, 0);
	expect_int(before.frame.action, ==, XDP_DROP);
	expect_int(reader->qp->respq.sent, ==, AT_ONCE / 2);
	while (goes_on(reader))
		expect(run_program(reader) > 0);
	expect_int(reader->qp->resp.pending, ==, 0);
}

static void set_peer(struct xrdma_qp_row *qp)
{
	qp->peer_addr[3] ^= 1;
}

static void set_own(struct xrdma_qp_row *qp)
{
	qp->addr[3] ^= 1;
}

static void set_port(struct xrdma_qp_row *qp)
{
	qp->resp.peer_sport = 1;
}

static void (*const others[])(struct xrdma_qp_row *) = { set_peer, set_own, set_port };

/*
 * A frame sends nothing after the queue pair has got another peer, even if the row still names the
 * frame.
 */
Tests(tc_rounds, of_another_peer, sizeof(others) / sizeof(others[0]))
{
	struct reader *reader = &readers[1];

	let_nobody_share();
	expect_int(run_program(reader), ==, AT_ONCE);
	others[i](reader->qp);
	expect_int(run_program(reader), ==, 0);
	expect_int(reader->frame.action, ==, XDP_DROP);
	expect_int(reader->qp->resp.pending, ==, 1);
}

/*
 * Other queue pairs get their share of the budget, whatever an application writes into its own row.
 */
Tests(tc_rounds, beside_one_that_lies, sizeof(struct xrdma_respq) / sizeof(__u64))
{
	__u64 *word = (__u64 *)&readers[0].qp->respq + i;

	let_nobody_share();
	run_program(&readers[0]);
	*word ^= 0x5a5a5a5a5a5a5a5a;
	run_program(&readers[0]);
	expect(run_program(&readers[1]) >= AT_ONCE / 2);
}

/* A frame waits for a queue pair that another CPU has locked, also before it has sent anything. */
Tests(tc_rounds, while_it_is_busy, 2)
{
	struct reader *reader = &readers[0];

	let_nobody_share();
	if (!i)
		set_room(false);
	run_program(reader);
	expect(goes_on(reader));
	if (!i)
		set_room(true);
	for (int times = 0; times < 100; times++) {
		reader->qp->resp.lock = 1;
		expect_int(run_program(reader), ==, 0);
		expect(goes_on(reader));
	}
	reader->qp->resp.lock = 0;
	while (goes_on(reader))
		expect(run_program(reader) > 0);
	expect_int(reader->qp->resp.pending, ==, 0);
}

static void set_context_state(__u32 state)
{
	run.target.slots.rows[run.target.slot].state = state;
}

/* A frame sends nothing while the process forks, and goes on afterwards. */
Test(tc_rounds, while_the_process_forks)
{
	struct reader *reader = &readers[0];

	let_nobody_share();
	expect_int(run_program(reader), ==, AT_ONCE);
	set_context_state(XRDMA_CONTEXT_PAUSED);
	for (int times = 0; times < 100; times++) {
		expect_int(run_program(reader), ==, 0);
		expect(goes_on(reader));
	}
	set_context_state(XRDMA_CONTEXT_ALIVE);
	while (goes_on(reader))
		expect(run_program(reader) > 0);
	expect_int(reader->qp->resp.pending, ==, 0);
}

/* A frame does not wait for ever for a queue pair that looks locked. */
Test(tc_rounds, busy_for_good)
{
	struct reader *reader = &readers[0];
	int runs = 0;

	let_nobody_share();
	expect_int(run_program(reader), ==, AT_ONCE);
	reader->qp->resp.lock = 1;
	for (; goes_on(reader); runs++)
		expect(runs < 10000 && !run_program(reader));
	expect(runs > 1000);
}
