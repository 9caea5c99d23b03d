// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "perf_client.h"

#include <endian.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
	BATCH = 64,    /* completions polled at a time */
	WARM_UP = 100, /* requests that are not counted */
};

static const double shows_every = 0.1; /* seconds */

/* A measurement, from its first request on. */
struct phase {
	const char *name; /* name of the requests */
	__u32 bytes;
	const char *what;
	double start, seconds, shown;
};

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec + time.tv_nsec / 1e9;
}

static void die(const char *why)
{
	fprintf(stderr, "xrdma perf: %s\n", why);
	exit(1);
}

/* Connect the first queue pair. *PORT becomes the port for the others. */
static void introduce(struct perf_client *client, char *port, size_t size)
{
	const struct perf_client_attr *attr = &client->attr;
	const struct perf_terms terms = {
		.version = htobe32(PERF_VERSION),
		.bytes = htobe32(attr->bytes),
		.qps = htobe32(attr->qps),
		.depth = htobe32(attr->depth),
	};
	const struct xrdma_conn_attr conn = {
		.sz = sizeof(conn),
		.access = XRDMA_ACCESS_REMOTE_WRITE, /* no bytes: this end has no memory yet */
		.path_mtu = attr->path_mtu,
		.private_data = &terms,
		.private_len = sizeof(terms),
	};
	struct xrdma_conn_peer peer = { .sz = sizeof(peer) };
	struct perf_reply reply;

	client->first = perf_add_qp(&client->end, 1, 0);
	perf_must(xrdma_conn_connect(attr->host, attr->port, client->first, &conn, &peer));
	if (peer.private_len != sizeof(reply))
		die("what listens there is no xrdma perf");
	memcpy(&reply, peer.private_data, sizeof(reply));
	if (be32toh(reply.version) != PERF_VERSION)
		die("the server is of another version");
	snprintf(port, size, "%u", be16toh(reply.port));
	client->path_mtu = peer.path_mtu;
}

static void make_requests(struct perf_client *client, const struct perf_offer *offer)
{
	for (__u32 i = 0; i < client->attr.depth; i++)
		client->wrs[i] = (struct xrdma_send_wr){
			.flags = XRDMA_SEND_SIGNALED,
			.sg_list = &client->end.sge,
			.num_sge = 1,
			.remote_addr = be64toh(offer->addr),
			.rkey = be32toh(offer->rkey),
		};
}

void perf_connect(struct perf_client *client, const struct perf_client_attr *attr)
{
	const struct xrdma_conn_attr conn = { .sz = sizeof(conn), .path_mtu = attr->path_mtu };
	struct xrdma_conn_peer peer = { .sz = sizeof(peer) };
	struct perf_offer offer;
	char port[8];

	*client = (struct perf_client){ .attr = *attr };
	perf_open(&client->end, attr->device, attr->tx);
	introduce(client, port, sizeof(port));
	perf_prepare(&client->end, attr->bytes, 1);
	for (__u32 i = 0; i < attr->qps; i++) {
		client->qps[i] = perf_add_qp(&client->end, attr->depth, 0);
		perf_must(xrdma_conn_connect(attr->host, port, client->qps[i], &conn, &peer));
	}
	if (peer.private_len != sizeof(offer))
		die("the server offers no memory");
	memcpy(&offer, peer.private_data, sizeof(offer));
	make_requests(client, &offer);
}

/* Send the last message. If the server is gone, ignore this. */
void perf_leave(struct perf_client *client)
{
	const struct xrdma_send_wr leave = { .opcode = XRDMA_WR_SEND,
					     .flags = XRDMA_SEND_SIGNALED };
	const struct xrdma_send_wr *bad;
	struct xrdma_wc wc;

	perf_must(xrdma_qp_post_send(client->first, &leave, &bad));
	while (!xrdma_cq_poll(client->end.cq, 1, &wc))
		;
}

static void show(struct phase *phase, double time)
{
	if (time - phase->shown < shows_every)
		return;
	phase->shown = time;
	if (!isatty(STDERR_FILENO))
		return;
	fprintf(stderr, "\r\033[K%s of %u bytes: %s, %.1f of %g s", phase->name, phase->bytes,
		phase->what, time - phase->start, phase->seconds);
	fflush(stderr);
}

/* Returns whether to post more requests. */
static bool goes_on(struct phase *phase, double time)
{
	show(phase, time);
	return time - phase->start < phase->seconds;
}

static void begin(struct phase *phase, const char *what)
{
	phase->what = what;
	phase->start = now();
	phase->shown = 0;
}

/* Post the first COUNT requests on queue pair I. */
static void post(struct perf_client *client, __u32 i, __u32 count)
{
	struct xrdma_send_wr *last = &client->wrs[count - 1];
	const struct xrdma_send_wr *bad;

	for (__u32 n = 0; n < count; n++) {
		client->wrs[n].wr_id = i;
		client->wrs[n].next = &client->wrs[n + 1];
	}
	last->next = NULL;
	perf_must(xrdma_qp_post_send(client->qps[i], client->wrs, &bad));
}

/* Add the number of completions for each queue pair to DONE. Returns how many there were in all. */
static __u32 take(struct perf_client *client, const struct phase *phase, __u32 *done)
{
	struct xrdma_wc wcs[BATCH];
	int got = xrdma_cq_poll(client->end.cq, BATCH, wcs);

	perf_must(got < 0 ? got : 0);
	for (int i = 0; i < got; i++) {
		if (wcs[i].status != XRDMA_WC_SUCCESS) {
			fprintf(stderr, "xrdma perf: %s of %u bytes: %s\n", phase->name,
				phase->bytes, xrdma_wc_status_str(wcs[i].status));
			exit(1);
		}
		done[wcs[i].wr_id]++;
	}
	return got;
}

static void measure_latency(struct perf_client *client, struct phase *phase, struct spread *ns)
{
	double before, after;
	__u32 done[1] = { 0 };

	for (int i = 0; i < WARM_UP; i++) {
		post(client, 0, 1);
		while (!take(client, phase, done))
			;
	}
	begin(phase, "latency");
	for (before = phase->start; goes_on(phase, before); before = now()) {
		post(client, 0, 1);
		while (!take(client, phase, done))
			;
		after = now();
		spread_add(ns, (after - before) * 1e9);
	}
}

/* Post a new request for each completed one, on the same queue pair, as long as there is time. */
static void measure_rate(struct perf_client *client, struct phase *phase,
			 struct perf_result *result)
{
	__u64 under_way = client->attr.qps * client->attr.depth;

	begin(phase, "bandwidth");
	for (__u32 i = 0; i < client->attr.qps; i++)
		post(client, i, client->attr.depth);
	while (under_way) {
		__u32 done[PERF_QPS_MAX] = { 0 };
		const __u32 got = take(client, phase, done);

		under_way -= got;
		result->done += got;
		if (!goes_on(phase, now()))
			continue;
		for (__u32 i = 0; i < client->attr.qps; i++)
			if (done[i])
				post(client, i, done[i]);
		under_way += got;
	}
	result->seconds = now() - phase->start;
}

void perf_measure(struct perf_client *client, enum xrdma_wr_opcode opcode, const char *name,
		  __u32 bytes, struct perf_result *result)
{
	struct phase phase = { .name = name, .bytes = bytes, .seconds = client->attr.seconds };

	*result = (struct perf_result){ 0 };
	client->end.sge.length = bytes;
	for (__u32 i = 0; i < client->attr.depth; i++)
		client->wrs[i].opcode = opcode;
	measure_latency(client, &phase, &result->ns);
	measure_rate(client, &phase, result);
	if (isatty(STDERR_FILENO))
		fprintf(stderr, "\r\033[K");
}
