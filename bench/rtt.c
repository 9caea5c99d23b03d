// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * The round trip of 64 bytes between two hosts joined by a veth pair (run.sh): a WRITE, from its
 * posting to its completion, which is the target's acknowledgement; and as its baseline TCP, there
 * and back between two programs that ask the socket without pause, before XDP is loaded.
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

/* The example's target, on xb. It listens once it has said where its memory is. */
static pid_t start_target(void)
{
	char address[32];
	int said[2];
	pid_t pid;

	if (pipe(said))
		err(1, "pipe");
	enter("b");
	pid = start_child();
	if (!pid) {
		dup2(said[1], STDOUT_FILENO);
		execl("build/examples/write/target", "target", "xb", "4096", NULL);
		err(1, "build/examples/write/target");
	}
	close(said[1]);
	if (read(said[0], address, sizeof(address)) <= 0)
		errx(1, "the target does not start");
	close(said[0]);
	return pid;
}

struct writer {
	struct endpoint e;
	struct xrdma_sge sge;
	struct xrdma_send_wr wr;
};

static void writer_open(struct writer *w)
{
	struct xrdma_conn_peer peer = { .sz = sizeof(peer) };
	struct offer offer;

	enter("a");
	endpoint_open(&w->e, "xa", BYTES, 0);
	must(xrdma_conn_connect("10.66.0.2", PORT, w->e.qp, NULL, &peer));
	memcpy(&offer, peer.private_data, sizeof(offer));
	w->sge = (struct xrdma_sge){
		.addr = (uintptr_t)w->e.memory,
		.length = BYTES,
		.lkey = xrdma_mr_key(w->e.mr),
	};
	w->wr = (struct xrdma_send_wr){
		.opcode = XRDMA_WR_RDMA_WRITE,
		.flags = XRDMA_SEND_SIGNALED,
		.sg_list = &w->sge,
		.num_sge = 1,
		.remote_addr = be64toh(offer.addr),
		.rkey = be32toh(offer.rkey),
	};
}

static void write_and_wait(void *of)
{
	const struct xrdma_send_wr *bad;
	struct writer *w = of;
	struct xrdma_wc wc;

	must(xrdma_qp_post_send(w->e.qp, &w->wr, &bad));
	while (!xrdma_cq_poll(w->e.cq, 1, &wc))
		;
	if (wc.status != XRDMA_WC_SUCCESS)
		errx(1, "WRITE: %s", xrdma_wc_status_str(wc.status));
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

static double write_round_trip(enum xrdma_mode mode)
{
	struct writer w;
	double median;
	pid_t target;

	load("a", "xa", mode);
	load("b", "xb", mode);
	target = start_target();
	writer_open(&w);
	median = median_of(write_and_wait, &w);
	end_child(target);
	endpoint_close(&w.e);
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
	bench_report("rtt_write_64", "ns", write_round_trip(XRDMA_MODE_AUTO), tcp);
	bench_report("rtt_write_64_native", "ns", write_round_trip(XRDMA_MODE_NATIVE), tcp);
}
