// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Threads that use the objects of one context at the same time. tests/net/two_hosts.sh runs it. */
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <time.h>

#include "support/pair.h"
#include "support/test.h"

enum {
	WORKERS = 3, /* threads, each with a queue pair of its own */
	WRITES = 3000,
	PART = OWNER_BYTES / WORKERS,
	FLUSHED = 100, /* wr_id of receives that are flushed */
	DEADLINE = 60, /* s */
};

static struct side from[WORKERS], to[WORKERS];
static struct xrdma_mr *source_mr, *target_mr;
static int completed[WORKERS];
static bool done;

static struct xrdma_context *open_large(const char *device)
{
	const struct xrdma_context_attr attr = {
		.sz = sizeof(attr),
		.heap_size = 2 << 20,
		.qps = 8,
	};
	struct xrdma_context *context;

	expect_msg(xrdma_context_open(device, &attr, &context) == 0, "%s", xrdma_error());
	return context;
}

static struct owner open_owner(const char *netns, const char *device)
{
	struct owner owner;

	pair_enter(netns);
	owner.context = open_large(device);
	expect_int(xrdma_pd_alloc(owner.context, &owner.pd), ==, 0);
	expect_int(xrdma_alloc(owner.context, OWNER_BYTES, 4096, (void **)&owner.memory), ==, 0);
	return owner;
}

static struct xrdma_mr *reg(const struct owner *owner)
{
	struct xrdma_mr *mr;

	expect_int(xrdma_mr_reg(owner->pd, owner->memory, OWNER_BYTES,
				XRDMA_ACCESS_LOCAL_WRITE | XRDMA_ACCESS_REMOTE_WRITE, &mr),
		   ==, 0);
	return mr;
}

/* Create the queue pairs of a host, with one completion queue for all. */
static void create(struct side *sides)
{
	for (int i = 1; i < WORKERS; i++)
		sides[i].owner = sides[0].owner;
	for (int i = 0; i < WORKERS; i++) {
		side_create(&sides[i]);
		if (!i)
			continue;
		expect_int(xrdma_qp_destroy(sides[i].qp), ==, 0);
		expect_int(xrdma_cq_destroy(sides[i].cq), ==, 0);
		sides[i].cq = sides[i].init.send_cq = sides[i].init.recv_cq = sides[0].cq;
		expect_int(xrdma_qp_create(sides[i].owner.pd, &sides[i].init, &sides[i].qp), ==, 0);
	}
}

static void connect_to(struct side *side, const struct side *peer, const char *netns,
		       const char *address)
{
	side->attr.dest_qpn = xrdma_qp_number(peer->qp);
	side->attr.sq_psn = side->attr.rq_psn = 0xfffff0;
	set_address(side->attr.ah_attr.dest, address);
	pair_enter(netns);
	side_bring_to(side, XRDMA_QPS_RTS);
}

static void start(void)
{
	from[0].owner = open_owner("a", "xa");
	to[0].owner = open_owner("b", "xb");
	create(from);
	create(to);
	source_mr = reg(&from[0].owner);
	target_mr = reg(&to[0].owner);
	arc4random_buf(from[0].owner.memory, OWNER_BYTES);
	memset(to[0].owner.memory, 0, OWNER_BYTES);
	for (int i = 0; i < WORKERS; i++) {
		connect_to(&from[i], &to[i], "a", "10.66.0.2");
		connect_to(&to[i], &from[i], "b", "10.66.0.1");
	}
}

static void end(struct side *sides, struct xrdma_mr *mr)
{
	for (int i = 0; i < WORKERS; i++)
		expect_int(xrdma_qp_destroy(sides[i].qp), ==, 0);
	expect_int(xrdma_cq_destroy(sides[0].cq), ==, 0);
	expect_int(xrdma_mr_close(mr), ==, 0);
	owner_close(&sides[0].owner);
}

static void stop(void)
{
	end(from, source_mr);
	end(to, target_mr);
}

TestSuite(threads, .init = start, .fini = stop);

static struct xrdma_send_wr write_of(const struct xrdma_sge *data, __u64 wr_id)
{
	return (struct xrdma_send_wr){
		.wr_id = wr_id,
		.sg_list = data,
		.num_sge = 1,
		.opcode = XRDMA_WR_RDMA_WRITE,
		.flags = XRDMA_SEND_SIGNALED,
		.rkey = xrdma_mr_key(target_mr),
		.remote_addr = data->addr - (uintptr_t)from[0].owner.memory +
			       (uintptr_t)to[0].owner.memory,
	};
}

/* Poll. The completions may belong to any request. */
static void poll_some(void)
{
	struct xrdma_wc some[4];
	int count = xrdma_cq_poll(from[0].cq, 4, some);

	for (int i = 0; i < count; i++) {
		if (some[i].wr_id == FLUSHED)
			continue;
		expect_msg(some[i].status == XRDMA_WC_SUCCESS, "%s",
			   xrdma_wc_status_str(some[i].status));
		__atomic_add_fetch(&completed[some[i].wr_id], 1, __ATOMIC_RELAXED);
	}
}

static bool has_completed(int worker, int count)
{
	time_t deadline = time(NULL) + DEADLINE;

	while (__atomic_load_n(&completed[worker], __ATOMIC_RELAXED) < count) {
		if (time(NULL) > deadline)
			return false;
		poll_some();
	}
	return true;
}

/* Write all bytes of a part, in messages of several sizes. */
static void *work(void *arg)
{
	const struct side *side = arg;
	const int worker = side - from;

	for (int i = 0; i < WRITES; i++) {
		__u32 at = i * 512 % PART, len = i % 3 ? 512 : 3000;
		const struct xrdma_sge data = {
			.addr = (uintptr_t)side->owner.memory + worker * PART + at,
			.length = len < PART - at ? len : PART - at,
			.lkey = xrdma_mr_key(source_mr),
		};
		const struct xrdma_send_wr request = write_of(&data, worker), *bad_wr;

		expect_msg(!xrdma_qp_post_send(side->qp, &request, &bad_wr), "%s", xrdma_error());
		expect_msg(has_completed(worker, i + 1), "%d of %d", completed[worker], i + 1);
	}
	return NULL;
}

/* Post a request that is never acknowledged. It is sent again, and fails or is flushed. */
static void use_for_a_while(struct side *side)
{
	const struct xrdma_recv_wr receive = { .wr_id = FLUSHED };
	const struct xrdma_send_wr request = {
		.wr_id = FLUSHED,
		.opcode = XRDMA_WR_RDMA_WRITE,
		.flags = XRDMA_SEND_SIGNALED,
	};
	const struct xrdma_recv_wr *bad_receive;
	const struct xrdma_send_wr *bad_request;

	side_bring_to(side, XRDMA_QPS_RTS);
	expect_int(xrdma_qp_post_recv(side->qp, &receive, &bad_receive), ==, 0);
	expect_int(xrdma_qp_post_send(side->qp, &request, &bad_request), ==, 0);
	for (int i = 0; i < 20; i++)
		poll_some();
	side_modify(side, XRDMA_QPS_ERR, XRDMA_QP_STATE);
	poll_some();
}

/* Create and destroy queue pairs that use the completion queue of all others. */
static void *replace_qps(void *arg)
{
	const struct side *like = arg;
	struct side side = *like;
	int count = 0;

	pair_enter("a");
	side.attr.dest_qpn = 0xabcdef;
	side.attr.timeout = 1;
	while (!__atomic_load_n(&done, __ATOMIC_ACQUIRE) || !count) {
		expect_int(xrdma_qp_create(side.owner.pd, &side.init, &side.qp), ==, 0);
		use_for_a_while(&side);
		expect_int(xrdma_qp_destroy(side.qp), ==, 0);
		count++;
	}
	return NULL;
}

static void *replace_regions(void *arg)
{
	const struct owner *owner = arg;
	struct xrdma_mr *mr;
	void *memory;
	int count = 0;

	while (!__atomic_load_n(&done, __ATOMIC_ACQUIRE) || !count) {
		expect_int(xrdma_alloc(owner->context, 4096, 64, &memory), ==, 0);
		expect_int(xrdma_mr_reg(owner->pd, memory, 4096, 0, &mr), ==, 0);
		expect_int(xrdma_mr_close(mr), ==, 0);
		expect_int(xrdma_free(owner->context, memory), ==, 0);
		count++;
	}
	return NULL;
}

static pthread_t run(void *(*of)(void *), void *arg)
{
	pthread_t thread;

	expect_int(pthread_create(&thread, NULL, of, arg), ==, 0);
	return thread;
}

Test(threads, share_a_completion_queue)
{
	pthread_t workers[WORKERS], others[4];

	for (int i = 0; i < 2; i++) {
		others[i] = run(replace_qps, &from[0]);
		others[2 + i] = run(replace_regions, &from[0].owner);
	}
	for (int i = 0; i < WORKERS; i++)
		workers[i] = run(work, &from[i]);
	for (int i = 0; i < WORKERS; i++)
		pthread_join(workers[i], NULL);
	__atomic_store_n(&done, true, __ATOMIC_RELEASE);
	for (int i = 0; i < 4; i++)
		pthread_join(others[i], NULL);
	for (int i = 0; i < WORKERS; i++)
		expect_int(completed[i], ==, WRITES);
	expect(!memcmp(from[0].owner.memory, to[0].owner.memory, WORKERS * PART));
}

/* All threads post to one queue pair. */
static void *post_to_the_first(void *arg)
{
	const struct xrdma_sge data = {
		.addr = (uintptr_t)from[0].owner.memory,
		.length = 64,
		.lkey = xrdma_mr_key(source_mr),
	};
	const struct xrdma_send_wr request = write_of(&data, 0), *bad_wr;

	for (int i = 0; i < WRITES; i++)
		while (xrdma_qp_post_send(from[0].qp, &request, &bad_wr))
			poll_some();
	return arg;
}

Test(threads, share_a_queue_pair)
{
	pthread_t workers[WORKERS];

	for (int i = 0; i < WORKERS; i++)
		workers[i] = run(post_to_the_first, NULL);
	for (int i = 0; i < WORKERS; i++)
		pthread_join(workers[i], NULL);
	expect(has_completed(0, WORKERS * WRITES));
	expect_int(completed[0], ==, WORKERS * WRITES);
}

/*
 * Post one WRITE on the first queue pair, with the given timeout. With timeout 0 it is not sent
 * again.
 */
static void post_one(__u8 timeout)
{
	const struct xrdma_sge data = {
		.addr = (uintptr_t)from[0].owner.memory,
		.length = 64,
		.lkey = xrdma_mr_key(source_mr),
	};
	const struct xrdma_send_wr request = write_of(&data, 0), *bad_wr;

	from[0].attr.timeout = timeout;
	from[0].attr.retry_cnt = 0;
	connect_to(&from[0], &to[0], "a", "10.66.0.2");
	expect_int(xrdma_qp_post_send(from[0].qp, &request, &bad_wr), ==, 0);
}

/* Returns whether XDP has set the notify bit of the first queue pair. */
static bool is_notified(void)
{
	__u32 bit = from[0].qp->qpn % XRDMA_NOTIFY_BITS;

	return __atomic_load_n(&from[0].cq->row->notify[bit / 64], __ATOMIC_ACQUIRE) >> bit % 64 &
	       1;
}

/* Lock the queue pair in another thread for MS milliseconds, and poll in this thread. */
static void poll_while_busy(int ms)
{
	struct xrdma_wc none;

	xrdma_mutex_lock(&from[0].qp->lock);
	usleep(ms * 1000);
	expect_int(xrdma_cq_poll(from[0].cq, 1, &none), ==, 0);
	xrdma_mutex_unlock(&from[0].qp->lock);
}

/*
 * A poll does not wait for a queue pair that another thread has locked. The next poll serves it,
 * without another notify bit from XDP.
 */
Test(threads, the_next_poll_looks_at_a_busy_queue_pair)
{
	time_t deadline = time(NULL) + DEADLINE;

	post_one(0);
	while (!is_notified())
		expect(time(NULL) < deadline);
	poll_while_busy(0);
	expect_int(xrdma_cq_poll(from[0].cq, 1, send_wc), ==, 1);
	expect_int(send_wc[0].status, ==, XRDMA_WC_SUCCESS);
}

/* If another thread has locked a queue pair whose timer ends, a later poll wakes it. */
Test(threads, the_next_poll_wakes_a_busy_queue_pair)
{
	time_t deadline = time(NULL) + DEADLINE;

	side_bring_to(&to[0], XRDMA_QPS_INIT);
	post_one(12);						  /* 17 ms */
	expect_int(xrdma_cq_poll(from[0].cq, 1, send_wc), ==, 0); /* starts the timer */
	poll_while_busy(50);
	while (!xrdma_cq_poll(from[0].cq, 1, send_wc))
		expect(time(NULL) < deadline);
	expect_int(send_wc[0].status, ==, XRDMA_WC_RETRY_EXC_ERR);
}

enum { PUBLIC = 0x11, SECRET = 0x22, MESSAGE = 256 << 10, TRIALS = 500, MOST_SECONDS = 30 };

/* Post a message of registered memory. The key may become invalid while its packets are built. */
static void *send_region(void *arg)
{
	const struct xrdma_sge *data = arg;
	const struct xrdma_send_wr request = write_of(data, 0), *bad_wr;

	expect_int(xrdma_qp_post_send(from[0].qp, &request, &bad_wr), ==, 0);
	return NULL;
}

/* IBA 10.6.5: bytes that the program writes after it has closed the region are never sent. */
Test(threads, nothing_is_gathered_after_the_region_ended)
{
	__u8 *source = from[0].owner.memory, *target = to[0].owner.memory;
	time_t end = time(NULL) + MOST_SECONDS;

	for (int trial = 0; trial < TRIALS && time(NULL) < end; trial++) {
		struct xrdma_mr *mr = reg(&from[0].owner);
		struct xrdma_sge data = { (uintptr_t)source, MESSAGE, xrdma_mr_key(mr) };
		pthread_t sender;

		memset(source, PUBLIC, MESSAGE);
		sender = run(send_region, &data);
		for (int i = 0; i < trial * 10 && !target[MESSAGE / 64 * (trial % 32)]; i++)
			sched_yield();
		expect_int(xrdma_mr_close(mr), ==, 0);
		for (int at = 1023; at < MESSAGE; at += 1024)
			source[at] = SECRET;
		pthread_join(sender, NULL);
		while (!xrdma_cq_poll(from[0].cq, 1, send_wc))
			;
		expect_msg(!memchr(target, SECRET, MESSAGE), "trial %d", trial);
		memset(target, 0, MESSAGE);
		connect_to(&from[0], &to[0], "a", "10.66.0.2");
		connect_to(&to[0], &from[0], "b", "10.66.0.1");
	}
}
