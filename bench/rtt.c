// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Measure round trips between two hosts with a veth pair between them (run.sh): the time from
 * posting a request to its completion by an acknowledgement or response; or, if both programs block
 * until an event comes, to the answer of the other program. The baseline is TCP, with 64 bytes each
 * way, between two programs that poll their sockets, or block in recv(2), before XDP is loaded. It
 * is measured again right before each benchmark, because the speed of a shared machine changes.
 */
#include <err.h>
#include <errno.h>
#include <stdbool.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "bench.h"
#include "hosts.h"
#include "peer.h"

enum { ROUNDS = 50000, WARM_UP = 1000, BYTES = 64 };

/* Returns the median time of ROUND, in ns. */
static double median_of(void (*round)(void *of), void *of)
{
	const int rounds = bench_rounds(ROUNDS), warm_up = bench_rounds(WARM_UP);
	static __u32 samples[ROUNDS];
	struct timespec start, end;

	for (int i = -warm_up; i < rounds; i++) {
		clock_gettime(CLOCK_MONOTONIC, &start);
		round(of);
		clock_gettime(CLOCK_MONOTONIC, &end);
		if (i >= 0)
			samples[i] = (end.tv_sec - start.tv_sec) * 1000000000 + end.tv_nsec -
				     start.tv_nsec;
	}
	return bench_median(samples, rounds);
}

/*
 * Receive a message. FLAGS is MSG_DONTWAIT for a program that polls, or 0. Returns false if the
 * peer has closed the connection.
 */
static bool receive(int fd, int flags)
{
	char bytes[BYTES];
	ssize_t got, all = 0;

	while (all < BYTES) {
		got = recv(fd, bytes, BYTES - all, flags);
		if (!got || (got < 0 && errno != EAGAIN))
			return false;
		all += got > 0 ? got : 0;
	}
	return true;
}

static void there(int fd)
{
	const char bytes[BYTES] = { 0 };

	hosts_tcp_send(fd, bytes, BYTES);
}

struct connection {
	int fd, flags;
};

static void there_and_back(void *of)
{
	const struct connection *connection = of;

	there(connection->fd);
	if (!receive(connection->fd, connection->flags))
		errx(1, "the TCP peer has gone");
}

static void echo(const void *flags, int ready)
{
	int fd = hosts_tcp_accept(ready);

	while (receive(fd, *(const int *)flags))
		there(fd);
}

static double tcp_round_trip(bool blocks)
{
	struct connection connection = { .flags = blocks ? 0 : MSG_DONTWAIT };
	pid_t peer = hosts_start(echo, &connection.flags);
	double median;

	connection.fd = hosts_tcp_connect(0);
	median = median_of(there_and_back, &connection);
	close(connection.fd);
	hosts_end(peer);
	return median;
}

static const struct round_trip {
	const char *name;
	enum xrdma_mode mode;
	enum xrdma_tx tx;
	enum xrdma_wr_opcode opcode;
	bool events; /* both programs wait for events */
} round_trips[] = {
	{ "rtt_write_64", XRDMA_MODE_AUTO, XRDMA_TX_XDP, XRDMA_WR_RDMA_WRITE, false },
	{ "rtt_write_64_udp", XRDMA_MODE_AUTO, XRDMA_TX_UDP, XRDMA_WR_RDMA_WRITE, false },
	{ "rtt_read_64", XRDMA_MODE_AUTO, XRDMA_TX_XDP, XRDMA_WR_RDMA_READ, false },
	{ "rtt_read_64_udp", XRDMA_MODE_AUTO, XRDMA_TX_UDP, XRDMA_WR_RDMA_READ, false },
	{ "rtt_send_64", XRDMA_MODE_AUTO, XRDMA_TX_XDP, XRDMA_WR_SEND, false },
	{ "rtt_send_64_udp", XRDMA_MODE_AUTO, XRDMA_TX_UDP, XRDMA_WR_SEND, false },
	{ "rtt_send_64_event", XRDMA_MODE_AUTO, XRDMA_TX_XDP, XRDMA_WR_SEND, true },
	{ "rtt_fadd_8", XRDMA_MODE_AUTO, XRDMA_TX_XDP, XRDMA_WR_ATOMIC_FETCH_AND_ADD, false },
	{ "rtt_fadd_8_udp", XRDMA_MODE_AUTO, XRDMA_TX_UDP, XRDMA_WR_ATOMIC_FETCH_AND_ADD, false },
	{ "rtt_write_64_native", XRDMA_MODE_NATIVE, XRDMA_TX_XDP, XRDMA_WR_RDMA_WRITE, false },
};

struct requester {
	struct peer peer;
	struct xrdma_send_wr wr;
};

static void request_and_wait(void *of)
{
	struct requester *r = of;

	endpoint_send(r->peer.e.qp, &r->wr);
	endpoint_done(&r->peer.e, "request");
}

static void ask(void *of)
{
	const struct requester *r = of;

	peer_ask(&r->peer, &r->wr);
}

static double round_trip(const struct round_trip *trip)
{
	const struct peer_attr attr = {
		.mode = trip->mode,
		.tx = trip->tx,
		.bytes = BYTES,
		.receives = trip->opcode == XRDMA_WR_SEND,
		.events = trip->events,
	};
	const bool is_atomic = trip->opcode == XRDMA_WR_ATOMIC_FETCH_AND_ADD;
	struct requester r;
	double median;

	peer_open(&r.peer, &attr);
	r.wr = peer_request(&r.peer, trip->opcode, is_atomic ? 8 : BYTES);
	median = median_of(trip->events ? ask : request_and_wait, &r);
	peer_close(&r.peer);
	return median;
}

void bench_rtt(void)
{
	double tcp;

	bench_pin(0);
	for (size_t i = 0; i < sizeof(round_trips) / sizeof(round_trips[0]); i++) {
		tcp = tcp_round_trip(round_trips[i].events);
		if (!i)
			bench_report("rtt_tcp_64", "ns", tcp, tcp);
		bench_report(round_trips[i].name, "ns", round_trip(&round_trips[i]), tcp);
	}
	peers_unload();
}
