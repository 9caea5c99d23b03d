// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Measure round trips between two hosts with a veth pair between them (run.sh): the time from
 * posting a request to its completion by an acknowledgement or response. The baseline is TCP, with
 * 64 bytes each way, between two programs that poll their sockets, before XDP is loaded. It is
 * measured again right before each benchmark, because the speed of a shared machine changes.
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

/* Receive a message. Returns false if the peer has closed the connection. */
static bool receive(int fd)
{
	char bytes[BYTES];
	ssize_t got, all = 0;

	while (all < BYTES) {
		got = recv(fd, bytes, BYTES - all, MSG_DONTWAIT);
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

static void there_and_back(void *fd)
{
	there(*(int *)fd);
	if (!receive(*(int *)fd))
		errx(1, "the TCP peer has gone");
}

static void echo(const void *of, int ready)
{
	int fd = hosts_tcp_accept(ready);

	(void)of;
	while (receive(fd))
		there(fd);
}

static double tcp_round_trip(void)
{
	pid_t peer = hosts_start(echo, NULL);
	int fd = hosts_tcp_connect(0);
	double median = median_of(there_and_back, &fd);

	close(fd);
	hosts_end(peer);
	return median;
}

static const struct round_trip {
	const char *name;
	enum xrdma_mode mode;
	enum xrdma_tx tx;
	enum xrdma_wr_opcode opcode;
	__u32 bytes;
} round_trips[] = {
	{ "rtt_write_64", XRDMA_MODE_AUTO, XRDMA_TX_XDP, XRDMA_WR_RDMA_WRITE, BYTES },
	{ "rtt_write_64_udp", XRDMA_MODE_AUTO, XRDMA_TX_UDP, XRDMA_WR_RDMA_WRITE, BYTES },
	{ "rtt_read_64", XRDMA_MODE_AUTO, XRDMA_TX_XDP, XRDMA_WR_RDMA_READ, BYTES },
	{ "rtt_read_64_udp", XRDMA_MODE_AUTO, XRDMA_TX_UDP, XRDMA_WR_RDMA_READ, BYTES },
	{ "rtt_send_64", XRDMA_MODE_AUTO, XRDMA_TX_XDP, XRDMA_WR_SEND, BYTES },
	{ "rtt_send_64_udp", XRDMA_MODE_AUTO, XRDMA_TX_UDP, XRDMA_WR_SEND, BYTES },
	{ "rtt_fadd_8", XRDMA_MODE_AUTO, XRDMA_TX_XDP, XRDMA_WR_ATOMIC_FETCH_AND_ADD, 8 },
	{ "rtt_fadd_8_udp", XRDMA_MODE_AUTO, XRDMA_TX_UDP, XRDMA_WR_ATOMIC_FETCH_AND_ADD, 8 },
	{ "rtt_write_64_native", XRDMA_MODE_NATIVE, XRDMA_TX_XDP, XRDMA_WR_RDMA_WRITE, BYTES },
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

static double round_trip(const struct round_trip *trip)
{
	const struct peer_attr attr = {
		.mode = trip->mode,
		.tx = trip->tx,
		.bytes = BYTES,
		.receives = trip->opcode == XRDMA_WR_SEND,
	};
	struct requester r;
	double median;

	peer_open(&r.peer, &attr);
	r.wr = peer_request(&r.peer, trip->opcode, trip->bytes);
	median = median_of(request_and_wait, &r);
	peer_close(&r.peer);
	return median;
}

void bench_rtt(void)
{
	double tcp;

	bench_pin(0);
	for (size_t i = 0; i < sizeof(round_trips) / sizeof(round_trips[0]); i++) {
		tcp = tcp_round_trip();
		if (!i)
			bench_report("rtt_tcp_64", "ns", tcp, tcp);
		bench_report(round_trips[i].name, "ns", round_trip(&round_trips[i]), tcp);
	}
	peers_unload();
}
