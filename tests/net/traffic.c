// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * traffic DEVICE COUNT [HOST]: exchange requests with another instance, which this one waits for,
 * or which runs on HOST. They connect several queue pairs. Each end sends COUNT requests on each,
 * with several in flight: WRITEs, READs, messages and FETCH_ADDs, to different places of the
 * other's memory. Kinds and bytes follow from the numbers of queue pair and request, so that each
 * end knows what to expect. The program prints "done" when all its requests are complete, and
 * responds until it is ended.
 */
#include <endian.h>
#include <err.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../examples/endpoint.h"
#include "support/wait.h"
#include "xrdma/abi/context.h"

enum {
	QPS = 6,
	DEPTH = 6,
	WORD = 8, /* the first bytes of a window are for FETCH_ADDs, the rest for other requests */
	WINDOW = 256 << 10,
	LONGEST = 100000,
	SPARE = 8, /* bytes that remain 0 */
	NOISES = 4096,
};

/* Range of the registered memory for one queue pair. */
struct place {
	__u8 window[WINDOW]; /* window in the peer's memory */
	__u8 requests[DEPTH][LONGEST + SPARE];
	__u8 receives[DEPTH][LONGEST + SPARE];
};

struct request {
	enum xrdma_wr_opcode opcode;
	__u32 number, offset, len;
	const __u8 *bytes; /* data that it sends */
};

static struct connection {
	struct xrdma_qp *qp;
	__u64 remote_addr;
	__u32 rkey;
	__u8 window[WINDOW]; /* expected contents of the peer's window after all posted requests */
	struct slot {
		bool under_way;
		struct request request;
		__u8 expected[LONGEST]; /* expected result of a READ or an atomic */
	} slots[DEPTH];
	__u32 posted, done;
	__u32 received; /* number of the peer's last request that had a message */
} connections[QPS];

static struct endpoint endpoint;
static struct place *places;
static bool listens;
static __u32 requests_of_each;

/* Returns bytes that differ for the numbers of requests. */
static const __u8 *noise(__u32 number)
{
	static __u8 bytes[LONGEST + NOISES];

	if (!bytes[0]) {
		srandom(1);
		for (size_t i = 0; i < sizeof(bytes); i++)
			bytes[i] = random() | 1;
	}
	return bytes + number % NOISES;
}

/* Returns a number below BOUND, for choice NTH of a request. */
static __u32 choose(__u64 request, int nth, __u32 bound)
{
	__u64 state = (request + nth) * 0x9e3779b97f4a7c15;

	state = (state ^ state >> 29) * 0xbf58476d1ce4e5b9;
	return (state >> 32) % bound;
}

/* Returns request NUMBER of one of both ends. */
static struct request request_of(bool listener, int connection, __u32 number)
{
	static const enum xrdma_wr_opcode opcodes[] = {
		XRDMA_WR_RDMA_WRITE,	       XRDMA_WR_RDMA_READ,
		XRDMA_WR_SEND_WITH_IMM,	       XRDMA_WR_RDMA_WRITE_WITH_IMM,
		XRDMA_WR_ATOMIC_FETCH_AND_ADD,
	};
	static const __u32 longest[] = { 1, 100, 1100, 5000, 30000, LONGEST };
	__u64 seed = (((__u64)number * QPS + connection) * 2 + listener) * 8;
	struct request request = { .number = number };
	__u32 bound = longest[choose(seed, 0, sizeof(longest) / sizeof(longest[0]))];

	request.opcode = opcodes[choose(seed, 1, sizeof(opcodes) / sizeof(opcodes[0]))];
	request.bytes = noise(choose(seed, 2, INT_MAX));
	if (request.opcode == XRDMA_WR_ATOMIC_FETCH_AND_ADD) {
		request.len = WORD;
		return request;
	}
	request.len = choose(seed, 3, bound + 1);
	request.offset = WORD + choose(seed, 4, WINDOW - WORD - request.len + 1);
	return request;
}

static bool is_message(const struct request *request)
{
	return request->opcode == XRDMA_WR_SEND_WITH_IMM ||
	       request->opcode == XRDMA_WR_RDMA_WRITE_WITH_IMM;
}

/* Returns the number of the peer's next request with a message after RECEIVED, or the end. */
static __u32 next_message(int connection, __u32 received)
{
	for (; received < requests_of_each; received++) {
		const struct request request = request_of(!listens, connection, received);

		if (is_message(&request))
			break;
	}
	return received;
}

static void receive(int connection, int slot)
{
	__u8 *bytes = places[connection].receives[slot];
	const struct xrdma_sge sge =
		endpoint_sge(&endpoint, bytes - (__u8 *)endpoint.memory, LONGEST);

	endpoint_receive(connections[connection].qp, connection * DEPTH + slot, &sge);
}

/* Set the expected result of REQUEST, or make its change. */
static void foresee(struct connection *c, struct slot *slot, __u8 *bytes)
{
	const struct request *request = &slot->request;
	__u64 word;

	switch (request->opcode) {
	case XRDMA_WR_RDMA_READ:
		memcpy(slot->expected, c->window + request->offset, request->len);
		break;
	case XRDMA_WR_ATOMIC_FETCH_AND_ADD:
		memcpy(slot->expected, c->window, WORD);
		memcpy(&word, c->window, WORD);
		word += request->number;
		memcpy(c->window, &word, WORD);
		break;
	case XRDMA_WR_SEND_WITH_IMM:
		memcpy(bytes, request->bytes, request->len);
		break;
	default:
		memcpy(bytes, request->bytes, request->len);
		memcpy(c->window + request->offset, request->bytes, request->len);
	}
}

/*
 * Post the next request. A READ may see data that are written after it. So requests that write wait
 * for READs, by a fence. Nothing else orders the requests here.
 */
static void post(int connection, struct slot *slot)
{
	struct connection *c = &connections[connection];
	const struct request *request = &slot->request;
	int number = slot - c->slots;
	__u8 *bytes = places[connection].requests[number];
	struct xrdma_send_wr wr = {
		.wr_id = connection * DEPTH + number,
		.flags = XRDMA_SEND_SIGNALED,
		.num_sge = 1,
		.rkey = c->rkey,
	};
	struct xrdma_sge sge;

	slot->under_way = true;
	slot->request = request_of(listens, connection, c->posted++);
	memset(bytes, 0, request->len + 1);
	foresee(c, slot, bytes);
	sge = endpoint_sge(&endpoint, bytes - (__u8 *)endpoint.memory, request->len);
	wr.sg_list = &sge;
	wr.opcode = request->opcode;
	wr.imm = htobe32(request->number);
	wr.remote_addr = c->remote_addr + request->offset;
	wr.compare_add = request->number;
	if (request->opcode != XRDMA_WR_RDMA_READ)
		wr.flags |= XRDMA_SEND_FENCE;
	endpoint_send(c->qp, &wr);
}

static void check(const struct xrdma_wc *wc, const struct request *request, const __u8 *bytes,
		  const __u8 *expected)
{
	if (wc->status != XRDMA_WC_SUCCESS)
		errx(1, "request %u of %jd: %s", request->number, (intmax_t)wc->wr_id / DEPTH,
		     xrdma_wc_status_str(wc->status));
	if (expected && (memcmp(bytes, expected, request->len) || bytes[request->len]))
		errx(1, "request %u of %jd, opcode %d, %u bytes at %u: other bytes than expected",
		     request->number, (intmax_t)wc->wr_id / DEPTH, request->opcode, request->len,
		     request->offset);
}

static bool poll_all(struct xrdma_cq *cq, void (*each)(const struct xrdma_wc *wc))
{
	struct xrdma_wc wc[QPS];
	int count = xrdma_cq_poll(cq, QPS, wc);

	must(count < 0 ? count : 0);
	for (int i = 0; i < count; i++)
		each(&wc[i]);
	return count;
}

static void completed(const struct xrdma_wc *wc)
{
	struct connection *c = &connections[wc->wr_id / DEPTH];
	struct slot *slot = &c->slots[wc->wr_id % DEPTH];
	const struct request *request = &slot->request;
	bool gets = request->opcode == XRDMA_WR_RDMA_READ ||
		    request->opcode == XRDMA_WR_ATOMIC_FETCH_AND_ADD;

	check(wc, request, places[wc->wr_id / DEPTH].requests[wc->wr_id % DEPTH],
	      gets ? slot->expected : NULL);
	slot->under_way = false;
	c->done++;
}

/* Check a received message. Messages arrive in order and complete, and none is missing. */
static void received(const struct xrdma_wc *wc)
{
	int connection = wc->wr_id / DEPTH;
	struct connection *c = &connections[connection];
	__u8 *bytes = places[connection].receives[wc->wr_id % DEPTH];
	const struct request request = request_of(!listens, connection, c->received);
	bool is_send = request.opcode == XRDMA_WR_SEND_WITH_IMM;

	if (wc->status == XRDMA_WC_WR_FLUSH_ERR)
		poll_all(endpoint.cq, completed); /* finds the request that failed */
	check(wc, &request, bytes, is_send ? request.bytes : NULL);
	if (be32toh(wc->imm) != c->received || (is_send && wc->byte_len != request.len))
		errx(1, "message %u of %u bytes instead of %u of %u", be32toh(wc->imm),
		     wc->byte_len, c->received, request.len);
	memset(bytes, 0, is_send ? request.len : 0);
	c->received = next_message(connection, c->received + 1);
	receive(connection, wc->wr_id % DEPTH);
}

/* Continue with a queue pair. Returns whether it is not finished. */
static bool go_on(int connection)
{
	struct connection *c = &connections[connection];

	for (struct slot *slot = c->slots; slot < c->slots + DEPTH; slot++)
		if (!slot->under_way && c->posted < requests_of_each)
			post(connection, slot);
	return c->done < requests_of_each || c->received < requests_of_each;
}

static void join(int connection, const char *host, int listener)
{
	const struct offer mine = {
		.addr = htobe64((uintptr_t)places[connection].window),
		.rkey = htobe32(xrdma_mr_key(endpoint.mr)),
		.len = htobe32(WINDOW),
	};
	const struct xrdma_conn_attr attr = {
		.sz = sizeof(attr),
		.access = XRDMA_ACCESS_REMOTE_WRITE | XRDMA_ACCESS_REMOTE_READ |
			  XRDMA_ACCESS_REMOTE_ATOMIC,
		.private_data = &mine,
		.private_len = sizeof(mine),
	};
	struct xrdma_conn_peer peer = { .sz = sizeof(peer) };
	struct connection *c = &connections[connection];
	struct offer theirs;

	c->qp = connection ? endpoint_add_qp(&endpoint) : endpoint.qp;
	endpoint_init(c->qp);
	for (int i = 0; i < DEPTH; i++)
		receive(connection, i);
	must(host ? xrdma_conn_connect(host, PORT, c->qp, &attr, &peer)
		  : xrdma_conn_accept(listener, c->qp, &attr, &peer));
	theirs = endpoint_take_offer(&peer);
	c->remote_addr = be64toh(theirs.addr);
	c->rkey = be32toh(theirs.rkey);
	c->received = next_message(connection, 0);
}

int main(int argc, char **argv)
{
	const char *host = argc == 4 ? argv[3] : NULL;
	int listener = -1;
	bool left = true;

	if (argc < 3 || argc > 4)
		errx(2, "usage: traffic DEVICE COUNT [HOST]");
	requests_of_each = strtoul(argv[2], NULL, 0);
	listens = !host;
	endpoint_open(&endpoint, argv[1], QPS * sizeof(*places),
		      XRDMA_ACCESS_LOCAL_WRITE | XRDMA_ACCESS_REMOTE_WRITE |
			      XRDMA_ACCESS_REMOTE_READ | XRDMA_ACCESS_REMOTE_ATOMIC);
	places = (struct place *)endpoint.memory;
	if (listens) {
		must(xrdma_conn_listen(NULL, PORT, &listener));
		puts("waiting");
		fflush(stdout);
	}
	for (int i = 0; i < QPS; i++)
		join(i, host, listener);
	while (left) {
		left = false;
		for (int i = 0; i < QPS; i++)
			left |= go_on(i);
		wait_unless(poll_all(endpoint.cq, completed) |
			    poll_all(endpoint.recv_cq, received));
	}
	puts("done");
	fflush(stdout);
	pause();
}
