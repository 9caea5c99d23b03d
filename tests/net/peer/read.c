// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* READs of any length, from another implementation. tests/net/peer.sh runs these tests. */
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include "support/peer.h"
#include "support/test.h"

TestSuite(peer_read, .once = peer_open, .init = peer_start, .fini = peer_stop, .end = peer_close);

Tests(peer_read, every_size, 6)
{
	const __u32 mtu = (const __u32[]){ 256, 1024, 4096 }[i % 3];
	const __u32 lengths[] = {
		0,	     1,	       mtu - 1,	     mtu,      mtu + 1, 2 * mtu,
		3 * mtu - 1, 64 * mtu, 64 * mtu + 1, 65 * mtu, 100003,
	};
	struct peer_asked asked;

	peer_connect(i < 3 ? 4 : 6, mtu);
	for (size_t n = 0; n < sizeof(lengths) / sizeof(lengths[0]); n++) {
		asked = peer_ask_read(n, lengths[n]);
		peer_expect_read(&asked);
	}
	peer_expect_nothing();
	expect_int(peer.b.qp->row->respq.since, ==, 0);
}

/* A response of 2048 packets needs many runs of the program. */
Test(peer_read, all_of_the_memory)
{
	struct peer_asked asked;

	peer_connect(4, 256);
	asked = peer_ask_read(0, OWNER_BYTES);
	peer_expect_read(&asked);
	asked = peer_ask_read(7, 1);
	peer_expect_read(&asked);
}

/*
 * IBA 9.7.3: responses have the order of the requests. The acknowledgement of a request waits for
 * the responses to earlier READs, because it would acknowledge them, too.
 */
Test(peer_read, order)
{
	struct peer_asked reads[3], add, write, writes[2];

	peer_let_others_send(true);
	reads[0] = peer_ask_read(1000, 5000);
	writes[0] = peer_ask(XRDMA_RC_WRITE_ONLY, 100000, 64);
	reads[1] = peer_ask_read(0, 10);
	add = peer_ask(XRDMA_RC_FETCH_ADD, 104, 8);
	reads[2] = peer_ask_read(200000, 70000);
	writes[1] = peer_ask(XRDMA_RC_WRITE_ONLY, 100100, 64);
	write = peer_ask(XRDMA_RC_WRITE_ONLY, 100200, 64);
	peer_expect_nothing();
	expect_int(peer.b.qp->row->resp.pending, ==, 4);
	expect(peer.b.owner.memory[100063] == 63 && peer.b.owner.memory[100263] == 63);
	peer_let_others_send(false);
	peer_ask_again(&reads[0], 0);
	peer_expect_read(&reads[0]);
	peer_expect_read(&reads[1]);
	peer_expect_original(&add);
	peer_expect_read(&reads[2]);
	peer_expect_ack(&write);
	peer_expect_nothing();
	expect_int(peer.b.qp->row->respq.since, ==, 0);
	(void)writes;
}

/* The sender was stopped before it could send. A repeated request restarts it. */
Test(peer_read, stalled)
{
	struct peer_asked read;

	peer_let_others_send(true);
	read = peer_ask_read(0, 5000);
	peer_expect_nothing();
	peer.b.qp->row->respq.since = 1;
	peer_ask_again(&read, 0);
	peer_expect_read(&read);
	peer_expect_nothing();
}

/*
 * If a requester has received only a part of a response, it requests the rest, and repeats all
 * later requests.
 */
Test(peer_read, rest_of_a_response)
{
	struct peer_asked reads[3], rest;

	reads[0] = peer_ask_read(0, 5000);
	reads[1] = peer_ask_read(10000, 3000);
	reads[2] = peer_ask_read(20000, 100);
	for (int n = 0; n < 3; n++)
		peer_expect_read(&reads[n]);
	for (__u32 packets = 0; packets < 5; packets++) {
		rest = peer_ask_again(&reads[0], packets);
		peer_expect_read_again(&rest);
	}
	peer_let_others_send(true);
	rest = peer_ask_again(&reads[1], 2);
	peer_ask_again(&reads[2], 0);
	peer_let_others_send(false);
	peer_ask_again(&reads[2], 0);
	peer_expect_read_again(&rest);
	peer_expect_read_again(&reads[2]);
	peer_expect_nothing();
}

/* A requester repeats its oldest request. It gets all later responses, in order, each once. */
Test(peer_read, older_than_pending)
{
	struct peer_asked reads[4], rest;

	for (int n = 0; n < 4; n++) {
		reads[n] = peer_ask_read(n * 10000, 1500);
		peer_expect_read(&reads[n]);
	}
	peer_let_others_send(true);
	peer_ask_again(&reads[2], 1);
	peer_ask_again(&reads[3], 0);
	rest = peer_ask_again(&reads[0], 1);
	peer_let_others_send(false);
	peer_ask_again(&reads[3], 0);
	peer_expect_read_again(&rest);
	for (int n = 1; n < 4; n++)
		peer_expect_read_again(&reads[n]);
	peer_expect_nothing();
}

/* Two requests are repeated. The responses between them are sent, too. */
Test(peer_read, newer_than_pending)
{
	struct peer_asked reads[4];

	for (int n = 0; n < 4; n++) {
		reads[n] = peer_ask_read(n * 10000, 1500);
		peer_expect_read(&reads[n]);
	}
	peer_let_others_send(true);
	peer_ask_again(&reads[1], 0);
	peer_let_others_send(false);
	peer_ask_again(&reads[3], 0);
	for (int n = 1; n < 4; n++)
		peer_expect_read_again(&reads[n]);
	peer_expect_nothing();
}

/* While a response is being sent, the requester repeats the request from an earlier packet on. */
Test(peer_read, from_an_earlier_packet)
{
	struct peer_asked read, rest;

	peer_let_others_send(true);
	read = peer_ask_read(0, 10000);
	peer.b.qp->row->respq.sent = 7;
	peer_let_others_send(false);
	rest = peer_ask_again(&read, 3);
	peer_expect_read(&rest);
	peer_expect_nothing();
}

/* A duplicate lies within the original request, and is not longer. */
Test(peer_read, no_duplicate)
{
	struct peer_asked read = peer_ask_read(4096, 5000), bad;

	peer_expect_read(&read);
	for (int n = 0; n < 5; n++) {
		bad = read;
		switch (n) {
		case 0:
			bad.packet.length++;
			break;
		case 1:
			bad.packet.va--;
			break;
		case 2: /* its responses would have PSNs of the next request */
			bad.packet.psn = (bad.packet.psn + 1) & XRDMA_PSN_MASK;
			break;
		case 3:
			bad.packet.key ^= 1;
			break;
		case 4:
			bad.packet.psn = (bad.packet.psn - 1) & XRDMA_PSN_MASK;
			break;
		}
		peer_send(&bad.packet);
		peer_expect_nothing();
	}
	peer_ask_again(&read, 0);
	peer_expect_read(&read);
}

/*
 * IBA 9.7.4.1.5: the peer may have only so many requests outstanding. If it has more, the last one
 * is refused. The earlier ones stay pending.
 */
Test(peer_read, too_many)
{
	peer.b.attr.max_dest_rd_atomic = 2;
	peer_connect(4, 1024);
	peer_let_others_send(true);
	peer_ask_read(0, 3000);
	peer_ask_read(0, 3000);
	expect_int(peer.b.qp->row->resp.error, ==, 0);
	peer_ask_read(0, 3000);
	expect_int(peer.b.qp->row->resp.error, ==, XRDMA_V_RD_ATOMIC);
	expect_int(peer.b.qp->row->respq.ack >> 24, ==, XRDMA_AETH_NAK_INVALID_REQUEST);
	expect_int(peer.b.qp->row->resp.pending, ==, 2);
	peer_expect_nothing();
}

/* A repeated request does not count as a further one, and leaves room for new requests. */
Test(peer_read, duplicates_are_not_too_many)
{
	struct peer_asked reads[4];

	peer.b.attr.max_dest_rd_atomic = 2;
	peer_connect(4, 1024);
	for (int n = 0; n < 2; n++) {
		reads[n] = peer_ask_read(n * 10000, 1500);
		peer_expect_read(&reads[n]);
	}
	peer_let_others_send(true);
	peer_ask_again(&reads[0], 0);
	peer_ask_again(&reads[1], 0);
	reads[2] = peer_ask_read(20000, 1500);
	reads[3] = peer_ask_read(30000, 1500);
	peer_let_others_send(false);
	peer_ask_again(&reads[0], 0);
	for (int n = 0; n < 2; n++)
		peer_expect_read_again(&reads[n]);
	for (int n = 2; n < 4; n++)
		peer_expect_read(&reads[n]);
	peer_expect_nothing();
}

/*
 * If all resources have pending responses, a new request replaces the oldest one, whose response
 * was sent before.
 */
Test(peer_read, all_are_pending)
{
	struct peer_asked reads[XRDMA_RD_ATOMIC_MAX + 1];

	for (int n = 0; n < XRDMA_RD_ATOMIC_MAX; n++) {
		reads[n] = peer_ask_read(n * 10000, 1500);
		peer_expect_read(&reads[n]);
	}
	peer_let_others_send(true);
	peer_ask_again(&reads[0], 0);
	peer_ask_again(&reads[XRDMA_RD_ATOMIC_MAX - 1], 0);
	reads[XRDMA_RD_ATOMIC_MAX] = peer_ask_read(300000, 1500);
	peer_let_others_send(false);
	peer_ask_again(&reads[XRDMA_RD_ATOMIC_MAX], 0);
	for (int n = 1; n <= XRDMA_RD_ATOMIC_MAX; n++)
		peer_expect_read_again(&reads[n]);
	peer_expect_nothing();
}

enum { CPUS = 2, READS = 16, ROUNDS = 400, PARTS = 3 };

static struct peer_asked reads[READS];
static int begun;

/* Repeat requests, from a CPU of this thread's own if there are several. */
static void *ask_again(void *arg)
{
	const int thread = (intptr_t)arg;
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(thread % sysconf(_SC_NPROCESSORS_ONLN), &cpus);
	sched_setaffinity(0, sizeof(cpus), &cpus);
	__atomic_fetch_add(&begun, 1, __ATOMIC_RELAXED);
	while (__atomic_load_n(&begun, __ATOMIC_RELAXED) < CPUS)
		;
	for (int i = 0; i < ROUNDS; i++)
		peer_ask_again(&reads[(i * (thread + 3)) % READS], 0);
	return NULL;
}

/*
 * Requests arrive on several CPUs at the same time. A run that finds another one sending adds to
 * the pending responses, and the sender sends all of them before it ends. If the sender is stopped,
 * fewer responses may arrive.
 */
Test(peer_read, on_several_cpus)
{
	pthread_t threads[CPUS];

	for (int n = 0; n < READS; n++) {
		reads[n] = peer_ask_read(n * 10000, PARTS * 1024 - 500);
		peer_expect_read(&reads[n]);
	}
	for (int n = 0; n < READS; n++)
		reads[n].msn = peer.msn;
	for (int t = 0; t < CPUS; t++)
		expect_int(pthread_create(&threads[t], NULL, ask_again, (void *)(intptr_t)t), ==,
			   0);
	for (int t = 0; t < CPUS; t++)
		pthread_join(threads[t], NULL);
	expect_int(peer_expect_parts(reads, READS), >=, PARTS);
	expect_int(peer.b.qp->row->resp.pending, ==, 0);
	expect_int(peer.b.qp->row->respq.since, ==, 0);
	for (int n = 0; n < READS; n++)
		peer_ask_again(&reads[n], 0);
	for (int n = 0; n < READS; n++)
		peer_expect_read(&reads[n]);
	peer_expect_nothing();
}

/* A queue pair that is reset has no pending responses. */
Test(peer_read, reset)
{
	struct peer_asked read;

	peer_let_others_send(true);
	peer_ask_read(0, 5000);
	peer_connect(4, 1024);
	expect_int(peer.b.qp->row->resp.pending, ==, 0);
	expect_int(peer.b.qp->row->respq.since, ==, 0);
	read = peer_ask_read(0, 5000);
	peer_expect_read(&read);
	peer_expect_nothing();
}
