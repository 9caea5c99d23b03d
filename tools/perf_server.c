// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Server of xrdma perf. There is a process for each client, and one that waits for the next.
 * Requests of a client, and the number of clients, have limits.
 */
#include "perf_server.h"

#include <arpa/inet.h>
#include <endian.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "describe.h"
#include "perf.h"

enum {
	CLIENTS_MAX = 8,
	WAIT_MS = 5000,	  /* time for a client's next queue pair */
	KEEPALIVES = 64,  /* more than are sent before the first one fails */
	BATCH = 64,	  /* completions polled at a time */
	IDLE_POLLS = 500, /* polls without a message before the server sleeps between polls */
	IDLE_US = 200,
};

static const __u32 accesses =
	XRDMA_ACCESS_REMOTE_WRITE | XRDMA_ACCESS_REMOTE_READ | XRDMA_ACCESS_REMOTE_ATOMIC;

struct client {
	struct perf_end end;
	struct xrdma_qp *first, *qps[PERF_QPS_MAX];
	struct xrdma_conn_peer peer;
	__u32 bytes, count, depth;
	char name[INET6_ADDRSTRLEN];
};

/* Listen for further queue pairs of the client. *PORT becomes the port. */
static int listen_for_rest(__be16 *port)
{
	struct sockaddr_storage address;
	socklen_t len = sizeof(address);
	int fd;

	perf_must(xrdma_conn_listen(NULL, "0", &fd));
	if (getsockname(fd, (struct sockaddr *)&address, &len)) {
		perror("xrdma perf: getsockname");
		exit(1);
	}
	*port = address.ss_family == AF_INET ? ((struct sockaddr_in *)&address)->sin_port
					     : ((struct sockaddr_in6 *)&address)->sin6_port;
	return fd;
}

/* Read the client's terms, and check their limits, because anybody may have sent them. */
static bool take_terms(struct client *client)
{
	struct perf_terms terms;

	if (client->peer.private_len != sizeof(terms))
		return false;
	memcpy(&terms, client->peer.private_data, sizeof(terms));
	client->bytes = be32toh(terms.bytes);
	client->count = be32toh(terms.qps);
	client->depth = be32toh(terms.depth);
	return be32toh(terms.version) == PERF_VERSION && client->bytes >= sizeof(__u64) &&
	       client->bytes <= PERF_BYTES_MAX && client->count && client->count <= PERF_QPS_MAX &&
	       client->depth && client->depth <= PERF_DEPTH_MAX;
}

static void to_init(struct xrdma_qp *qp, unsigned int access)
{
	const struct xrdma_qp_attr init = {
		.sz = sizeof(init),
		.state = XRDMA_QPS_INIT,
		.port = 1,
		.access = access,
	};

	perf_must(xrdma_qp_modify(qp, &init,
				  XRDMA_QP_STATE | XRDMA_QP_PKEY_INDEX | XRDMA_QP_PORT |
					  XRDMA_QP_ACCESS_FLAGS));
}

/* Prepare the first queue pair, with a receive for the client's last message. */
static void prepare_first(struct client *client)
{
	const struct xrdma_qp_attr reset = { .sz = sizeof(reset), .state = XRDMA_QPS_RESET };
	const struct xrdma_recv_wr wr = { 0 };
	const struct xrdma_recv_wr *bad;

	perf_must(xrdma_qp_modify(client->first, &reset, XRDMA_QP_STATE));
	to_init(client->first, XRDMA_ACCESS_REMOTE_WRITE);
	perf_must(xrdma_qp_post_recv(client->first, &wr, &bad));
}

/* Accept a client. If something else connects, report it and wait for the next one. */
static void accept_client(struct client *client, int listener, __be16 port)
{
	const struct perf_reply reply = { .version = htobe32(PERF_VERSION), .port = port };
	const struct xrdma_conn_attr attr = {
		.sz = sizeof(attr),
		.access = XRDMA_ACCESS_REMOTE_WRITE,
		.private_data = &reply,
		.private_len = sizeof(reply),
	};

	for (;;) {
		prepare_first(client);
		client->peer.sz = sizeof(client->peer);
		if (xrdma_conn_accept(listener, client->first, &attr, &client->peer)) {
			fprintf(stderr, "xrdma perf: %s\n", xrdma_error());
			continue;
		}
		if (take_terms(client))
			break;
		fprintf(stderr, "xrdma perf: one that connects asks for what there is not\n");
	}
	packet_addr(client->peer.addr, client->name);
	printf("%s: queue pairs: %u, requests under way on each: %u, of up to %u bytes\n",
	       client->name, client->count, client->depth, client->bytes);
	fflush(stdout);
}

static void receive(struct client *client, __u32 i)
{
	const struct xrdma_recv_wr wr = {
		.wr_id = i,
		.sg_list = &client->end.sge,
		.num_sge = 1,
	};
	const struct xrdma_recv_wr *bad;

	perf_must(xrdma_qp_post_recv(client->qps[i], &wr, &bad));
}

/* Accept queue pair I. It has twice as many receives as messages that may be in flight. */
static void add_qp(struct client *client, __u32 i)
{
	client->qps[i] = perf_add_qp(&client->end, 1, 2 * client->depth);
	to_init(client->qps[i], accesses);
	for (__u32 n = 0; n < 2 * client->depth; n++)
		receive(client, i);
}

static void accept_rest(struct client *client, int listener)
{
	const struct perf_offer offer = {
		.addr = htobe64(client->end.sge.addr),
		.rkey = htobe32(client->end.sge.lkey),
	};
	const struct xrdma_conn_attr attr = {
		.sz = sizeof(attr),
		.access = accesses,
		.private_data = &offer,
		.private_len = sizeof(offer),
	};
	struct xrdma_conn_peer peer = { .sz = sizeof(peer) };

	for (__u32 i = 0; i < client->count; i++) {
		struct pollfd ready = { .fd = listener, .events = POLLIN };

		add_qp(client, i);
		if (poll(&ready, 1, WAIT_MS) <= 0) {
			fprintf(stderr, "xrdma perf: %s: does not go on\n", client->name);
			exit(1);
		}
		perf_must(xrdma_conn_accept(listener, client->qps[i], &attr, &peer));
		if (memcmp(peer.addr, client->peer.addr, sizeof(peer.addr))) {
			fprintf(stderr, "xrdma perf: %s: another connects\n", client->name);
			exit(1);
		}
	}
}

/*
 * Returns NULL while the client is there, or the reason why it is not. A WRITE of no bytes is
 * posted each second. It has a completion only if it fails. Any other completion is that of the
 * client's last message.
 */
static const char *has_gone(struct client *client, time_t *written)
{
	const struct xrdma_send_wr wr = { .opcode = XRDMA_WR_RDMA_WRITE };
	const struct xrdma_send_wr *bad;
	struct timespec now;
	struct xrdma_wc wc;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
	if (now.tv_sec != *written) {
		*written = now.tv_sec;
		perf_must(xrdma_qp_post_send(client->first, &wr, &bad));
	}
	if (!xrdma_cq_poll(client->end.cq, 1, &wc))
		return NULL;
	return wc.status == XRDMA_WC_SUCCESS ? "gone" : "does not answer any more";
}

/* Post each receive again that was completed, until the client has gone. */
static void serve(struct client *client)
{
	struct xrdma_wc wcs[BATCH];
	const char *gone;
	unsigned int idle = 0;
	time_t written = 0;
	int got;

	while (!(gone = has_gone(client, &written))) {
		got = xrdma_cq_poll(client->end.recv_cq, BATCH, wcs);
		perf_must(got < 0 ? got : 0);
		for (int i = 0; i < got; i++)
			if (wcs[i].status == XRDMA_WC_SUCCESS)
				receive(client, wcs[i].wr_id);
		idle = got ? 0 : idle + 1;
		if (idle > IDLE_POLLS)
			usleep(IDLE_US);
	}
	printf("%s: %s\n", client->name, gone);
}

/*
 * Serve one client. Write to READY when this process waits for a client, and close READY when it
 * has one.
 */
static void run_client(const char *device, int listener, int ready)
{
	struct client client = { 0 };
	__be16 port;
	int rest;

	signal(SIGTERM, SIG_DFL); /* do not do what the server does */
	signal(SIGINT, SIG_DFL);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	perf_open(&client.end, device, XRDMA_TX_AUTO);
	client.first = perf_add_qp(&client.end, KEEPALIVES, 1);
	rest = listen_for_rest(&port);
	if (write(ready, "", 1) != 1)
		exit(1); /* no process waits for it */
	accept_client(&client, listener, port);
	close(listener);
	close(ready);
	perf_prepare(&client.end, client.bytes, 2 * client.count * client.depth);
	accept_rest(&client, rest);
	serve(&client);
	exit(0);
}

/* Start a process for the next client. *READY becomes the end of its pipe that can be read. */
static pid_t start_client(const char *device, int listener, int *ready)
{
	int ends[2];
	pid_t pid;

	if (pipe(ends) || (pid = fork()) < 0) {
		perror("xrdma perf");
		exit(1);
	}
	if (!pid) {
		close(ends[0]);
		run_client(device, listener, ends[1]);
	}
	close(ends[1]);
	*ready = ends[0];
	return pid;
}

static int status_of(pid_t pid)
{
	int status;

	return waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

/* Processes of clients. 0: none. */
static pid_t clients[CLIENTS_MAX + 1];

/* Replace the process PID in the list by OTHER. */
static void replace(pid_t pid, pid_t other)
{
	int i = 0;

	while (i < CLIENTS_MAX && clients[i] != pid)
		i++;
	clients[i] = other; /* one place is left for the process that waits for a client */
}

/*
 * End the processes of all clients when the server ends, because they have the listening socket,
 * too.
 */
static void end_clients(int number)
{
	for (int i = 0; i <= CLIENTS_MAX; i++)
		if (clients[i] && !kill(clients[i], SIGKILL))
			waitpid(clients[i], NULL, 0);
	raise(number);
}

static void watch_signals(void)
{
	struct sigaction end = { .sa_handler = end_clients, .sa_flags = SA_RESETHAND };

	sigaction(SIGTERM, &end, NULL);
	sigaction(SIGINT, &end, NULL);
}

int perf_serve(const char *device, const char *port, bool once)
{
	unsigned int started = 0, served = 0;
	int listener, ready;
	char byte;
	pid_t pid;

	perf_must(xrdma_conn_listen(NULL, port, &listener));
	watch_signals();
	for (;;) {
		pid = start_client(device, listener, &ready);
		replace(0, pid);
		if (read(ready, &byte, 1) != 1)
			return status_of(pid);
		if (!started++)
			printf("waiting for clients at port %s\n", port);
		fflush(stdout);
		if (!read(ready, &byte, 1))
			served++;
		close(ready);
		if (once)
			return status_of(pid);
		while ((pid = waitpid(-1, NULL, served < CLIENTS_MAX ? WNOHANG : 0)) > 0) {
			replace(pid, 0);
			served--;
		}
	}
}
