// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Round trips between two hosts joined by a veth pair (run.sh): a request, from its posting to its
 * completion, which is the target's acknowledgement or response; and as their baseline TCP, 64
 * bytes there and back between two programs that ask the socket without pause, before XDP is
 * loaded.
 */
#include <arpa/inet.h>
#include <endian.h>
#include <err.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <xrdma/device.h>

#include "../examples/endpoint.h"
#include "bench.h"
#include "support/netns.h"

enum { ROUNDS = 50000, WARM_UP = 1000, BYTES = 64, TCP_PORT = 7472 };

static void enter(const char *host)
{
	if (!netns_enter(host))
		err(1, "cannot enter the network namespace %s: bench/run.sh makes it", host);
}

/* The median of what ROUND takes, in ns. */
static double median_of(void (*round)(void *of), void *of)
{
	static __u32 samples[ROUNDS];
	struct timespec start, end;

	for (int i = -WARM_UP; i < ROUNDS; i++) {
		clock_gettime(CLOCK_MONOTONIC, &start);
		round(of);
		clock_gettime(CLOCK_MONOTONIC, &end);
		if (i >= 0)
			samples[i] = (end.tv_sec - start.tv_sec) * 1000000000 + end.tv_nsec -
				     start.tv_nsec;
	}
	return bench_median(samples, ROUNDS);
}

/* A process that ends with this one. */
static pid_t start_child(void)
{
	pid_t pid = fork();

	if (pid < 0)
		err(1, "fork");
	if (!pid)
		prctl(PR_SET_PDEATHSIG, SIGKILL);
	return pid;
}

static void end_child(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* Returns false when the peer has gone. */
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

	if (send(fd, bytes, BYTES, 0) != BYTES)
		err(1, "send");
}

static void there_and_back(void *fd)
{
	there(*(int *)fd);
	if (!receive(*(int *)fd))
		errx(1, "the TCP peer has gone");
}

static void no_delay(int fd)
{
	const int on = 1;

	if (setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on)))
		err(1, "TCP_NODELAY");
}

static double tcp_round_trip(void)
{
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(TCP_PORT) };
	int listener, fd;
	double median;
	pid_t echo;

	inet_pton(AF_INET, "10.66.0.2", &to.sin_addr);
	enter("b");
	listener = socket(AF_INET, SOCK_STREAM, 0);
	if (bind(listener, (struct sockaddr *)&to, sizeof(to)) || listen(listener, 1))
		err(1, "listen");
	echo = start_child();
	if (!echo) {
		bench_pin(1);
		fd = accept(listener, NULL, NULL);
		no_delay(fd);
		while (receive(fd))
			there(fd);
		_exit(0);
	}
	enter("a");
	fd = socket(AF_INET, SOCK_STREAM, 0);
	if (connect(fd, (struct sockaddr *)&to, sizeof(to)))
		err(1, "connect");
	no_delay(fd);
	median = median_of(there_and_back, &fd);
	close(fd);
	end_child(echo);
	close(listener);
	return median;
}

/* A request, and what the target does for it. */
struct round_trip {
	const char *name;
	enum xrdma_mode mode;
	enum xrdma_wr_opcode opcode;
	__u32 bytes;
	bool receives; /* the target posts receives; else it sleeps */
};

static const struct round_trip round_trips[] = {
	{ "rtt_write_64", XRDMA_MODE_AUTO, XRDMA_WR_RDMA_WRITE, BYTES, false },
	{ "rtt_write_64_native", XRDMA_MODE_NATIVE, XRDMA_WR_RDMA_WRITE, BYTES, false },
	{ "rtt_read_64", XRDMA_MODE_AUTO, XRDMA_WR_RDMA_READ, BYTES, false },
	{ "rtt_send_64", XRDMA_MODE_AUTO, XRDMA_WR_SEND, BYTES, true },
	{ "rtt_fadd_8", XRDMA_MODE_AUTO, XRDMA_WR_ATOMIC_FETCH_AND_ADD, sizeof(__u64), false },
};

enum {
	ACCESS = XRDMA_ACCESS_LOCAL_WRITE | XRDMA_ACCESS_REMOTE_WRITE | XRDMA_ACCESS_REMOTE_READ |
		 XRDMA_ACCESS_REMOTE_ATOMIC,
};

/* Serves one peer on xb, until it is killed. It listens once it has written a byte to SAYS. */
static void serve(bool receives, int says)
{
	struct offer offer;
	const struct xrdma_conn_attr attr = {
		.sz = sizeof(attr),
		.access = ACCESS & ~XRDMA_ACCESS_LOCAL_WRITE,
		.private_data = &offer,
		.private_len = sizeof(offer),
	};
	struct endpoint e;
	struct xrdma_sge sge;
	int listener;

	bench_pin(1);
	endpoint_open(&e, "xb", BYTES, ACCESS);
	offer = endpoint_offer(&e, BYTES);
	sge = endpoint_sge(&e, 0, BYTES);
	endpoint_init(e.qp);
	for (int i = 0; i < ENDPOINT_WRS; i++)
		endpoint_receive(e.qp, 0, &sge);
	must(xrdma_conn_listen(NULL, PORT, &listener));
	if (write(says, "", 1) != 1)
		err(1, "write");
	must(xrdma_conn_accept(listener, e.qp, &attr, NULL));
	while (receives) {
		endpoint_wait_received(&e);
		endpoint_receive(e.qp, 0, &sge);
	}
	pause();
}

static pid_t start_target(bool receives)
{
	int said[2];
	pid_t pid;
	char byte;

	if (pipe(said))
		err(1, "pipe");
	enter("b");
	pid = start_child();
	if (!pid) {
		serve(receives, said[1]);
		_exit(0);
	}
	close(said[1]);
	if (read(said[0], &byte, 1) != 1)
		errx(1, "the target does not start");
	close(said[0]);
	return pid;
}

struct requester {
	struct endpoint e;
	struct xrdma_sge sge;
	struct xrdma_send_wr wr;
};

static void requester_open(struct requester *r, const struct round_trip *trip)
{
	struct xrdma_conn_peer peer = { .sz = sizeof(peer) };
	struct offer offer;

	enter("a");
	endpoint_open(&r->e, "xa", BYTES, XRDMA_ACCESS_LOCAL_WRITE);
	must(xrdma_conn_connect("10.66.0.2", PORT, r->e.qp, NULL, &peer));
	offer = endpoint_take_offer(&peer);
	r->sge = endpoint_sge(&r->e, 0, trip->bytes);
	r->wr = (struct xrdma_send_wr){
		.opcode = trip->opcode,
		.flags = XRDMA_SEND_SIGNALED,
		.sg_list = &r->sge,
		.num_sge = 1,
		.remote_addr = be64toh(offer.addr),
		.rkey = be32toh(offer.rkey),
	};
}

static void request_and_wait(void *of)
{
	struct requester *r = of;

	endpoint_send(r->e.qp, &r->wr);
	endpoint_done(&r->e, "request");
}

static void load(const char *host, const char *netdev, enum xrdma_mode mode)
{
	const struct xrdma_load_attr attr = { .sz = sizeof(attr), .mode = mode };

	enter(host);
	must(xrdma_device_load(netdev, &attr));
}

static void unload(const char *host, const char *netdev)
{
	enter(host);
	must(xrdma_device_unload(netdev, false));
}

static double round_trip(const struct round_trip *trip)
{
	struct requester r;
	double median;
	pid_t target;

	load("a", "xa", trip->mode);
	load("b", "xb", trip->mode);
	target = start_target(trip->receives);
	requester_open(&r, trip);
	median = median_of(request_and_wait, &r);
	end_child(target);
	endpoint_close(&r.e);
	unload("a", "xa");
	unload("b", "xb");
	return median;
}

void bench_rtt(void)
{
	double tcp;

	bench_pin(0);
	tcp = tcp_round_trip();
	bench_report("rtt_tcp_64", "ns", tcp, tcp);
	for (size_t i = 0; i < sizeof(round_trips) / sizeof(round_trips[0]); i++)
		bench_report(round_trips[i].name, "ns", round_trip(&round_trips[i]), tcp);
}
