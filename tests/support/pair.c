// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "pair.h"

#include <stdint.h>
#include <stdlib.h>

#include "cq.h"
#include "netns.h"
#include "test.h"

struct pair pair;
struct xrdma_send_wr send_wr;
struct xrdma_sge send_sge;
const struct xrdma_send_wr *send_bad;
struct xrdma_wc send_wc[8];
struct xrdma_recv_wr recv_wr;
struct xrdma_sge recv_sge;
const struct xrdma_recv_wr *recv_bad;
struct xrdma_wc recv_wc[8];

void pair_enter(const char *netns)
{
	expect_msg(netns_enter(netns), "cannot enter %s", netns);
}

void pair_open(void)
{
	pair_open_with(16);
}

void pair_open_with(__u32 mkeys)
{
	pair_enter("a");
	owner_open_with(&pair.a.owner, "xa", mkeys);
	pair_enter("b");
	owner_open_with(&pair.b.owner, "xb", mkeys);
}

void pair_close(void)
{
	owner_close(&pair.a.owner);
	owner_close(&pair.b.owner);
}

static struct xrdma_mr *reg(const struct side *side, unsigned int access)
{
	struct xrdma_mr *mr;

	expect_int(xrdma_mr_reg(side->owner.pd, side->owner.memory, PAIR_BYTES, access, &mr), ==,
		   0);
	return mr;
}

/* Register the memory of FROM and TO, from which and to which bytes go. */
static void start(const struct side *from, unsigned int from_access, const struct side *to,
		  unsigned int to_access)
{
	side_create(&pair.a);
	side_create(&pair.b);
	pair.source = from->owner.memory;
	pair.target = to->owner.memory;
	pair.source_mr = reg(from, from_access);
	pair.target_mr = reg(to, to_access);
	arc4random_buf(pair.source, PAIR_BYTES);
	memset(pair.target, 0, PAIR_BYTES);
}

void pair_start(void)
{
	start(&pair.a, 0, &pair.b, XRDMA_ACCESS_LOCAL_WRITE | XRDMA_ACCESS_REMOTE_WRITE);
	pair.lkey = xrdma_mr_key(pair.source_mr);
	pair.rkey = xrdma_mr_key(pair.target_mr);
	pair_connect(4, 1024);
	pair_set_write(64, 256);
}

/* Start a test in which B's memory and B's queue pair allow RIGHT. */
static void start_fetch(unsigned int right)
{
	start(&pair.b, right, &pair.a, XRDMA_ACCESS_LOCAL_WRITE);
	pair.lkey = xrdma_mr_key(pair.target_mr);
	pair.rkey = xrdma_mr_key(pair.source_mr);
	pair.b.attr.access = right;
	pair_connect(4, 1024);
}

void pair_start_read(void)
{
	start_fetch(XRDMA_ACCESS_REMOTE_READ);
	pair_set_read(64, 256);
}

void pair_start_atomic(void)
{
	start_fetch(XRDMA_ACCESS_LOCAL_WRITE | XRDMA_ACCESS_REMOTE_ATOMIC);
	pair_set_fetch_add(64, 1);
}

static void dereg(struct xrdma_mr *mr)
{
	if (mr)
		expect_int(xrdma_mr_close(mr), ==, 0);
}

void pair_stop(void)
{
	side_destroy(&pair.a);
	side_destroy(&pair.b);
	dereg(pair.source_mr);
	dereg(pair.target_mr);
}

void pair_connect(int ip_version, int mtu)
{
	if (ip_version == 4)
		pair_connect_by("10.66.0.1", "10.66.0.2", mtu);
	else
		pair_connect_by("fd66::1", "fd66::2", mtu);
}

/* PSNs begin so that they wrap within the first messages. */
void pair_connect_by(const char *a, const char *b, int mtu)
{
	pair.a.attr.path_mtu = pair.b.attr.path_mtu = mtu;
	pair.a.attr.dest_qpn = xrdma_qp_number(pair.b.qp);
	pair.b.attr.dest_qpn = xrdma_qp_number(pair.a.qp);
	pair.a.attr.sq_psn = pair.b.attr.rq_psn = 0xfffff0;
	pair.b.attr.sq_psn = pair.a.attr.rq_psn = 5;
	set_address(pair.a.attr.ah_attr.dest, b);
	set_address(pair.b.attr.ah_attr.dest, a);
	pair_enter("a");
	side_bring_to(&pair.a, XRDMA_QPS_RTS);
	pair_enter("b");
	side_bring_to(&pair.b, XRDMA_QPS_RTS);
}

void pair_set_write(__u32 offset, __u32 len)
{
	send_sge = (struct xrdma_sge){
		.addr = (uintptr_t)pair.source + offset,
		.length = len,
		.lkey = pair.lkey,
	};
	send_wr = (struct xrdma_send_wr){
		.wr_id = 1,
		.sg_list = &send_sge,
		.num_sge = 1,
		.opcode = XRDMA_WR_RDMA_WRITE,
		.flags = XRDMA_SEND_SIGNALED,
		.rkey = pair.rkey,
		.remote_addr = (uintptr_t)pair.target + offset,
	};
}

void pair_set_read(__u32 offset, __u32 len)
{
	pair_set_write(offset, len);
	send_wr.opcode = XRDMA_WR_RDMA_READ;
	send_sge.addr = (uintptr_t)pair.target + offset;
	send_wr.remote_addr = (uintptr_t)pair.source + offset;
}

void pair_set_fetch_add(__u32 offset, __u64 add)
{
	pair_set_read(offset, sizeof(__u64));
	send_wr.opcode = XRDMA_WR_ATOMIC_FETCH_AND_ADD;
	send_wr.compare_add = add;
}

void pair_set_send(__u32 offset, __u32 len)
{
	pair_set_write(offset, len);
	send_wr.opcode = XRDMA_WR_SEND;
	recv_sge = (struct xrdma_sge){
		.addr = (uintptr_t)pair.target + offset,
		.length = len,
		.lkey = pair.rkey,
	};
	recv_wr = (struct xrdma_recv_wr){
		.wr_id = 7,
		.sg_list = &recv_sge,
		.num_sge = 1,
	};
}

int pair_post_recv(void)
{
	return xrdma_qp_post_recv(pair.b.qp, &recv_wr, &recv_bad);
}

int pair_post(void)
{
	return xrdma_qp_post_send(pair.a.qp, &send_wr, &send_bad);
}

void pair_lose_request(void)
{
	link_cut(&pair.b);
	expect_int(pair_post(), ==, 0);
	link_restore(&pair.b);
}

void pair_lose_response(void)
{
	link_cut_responses(&pair.a);
	expect_int(pair_post(), ==, 0);
	link_restore(&pair.a);
}

static void poll(struct xrdma_cq *cq, int count, struct xrdma_wc *into)
{
	int got = cq_poll_within(10, cq, count, into);

	expect_msg(got == count, "%d completions of %d", got, count);
}

void pair_read_unanswered(const struct xrdma_mr *remote, __u32 lkey)
{
	const struct xrdma_sge into = { (uintptr_t)pair.target, 64, lkey };
	const struct xrdma_send_wr read = {
		.sg_list = &into,
		.num_sge = 1,
		.opcode = XRDMA_WR_RDMA_READ,
		.rkey = xrdma_mr_key(remote),
		.remote_addr = (uintptr_t)pair.source,
	};

	pair.a.attr.access = XRDMA_ACCESS_REMOTE_READ;
	pair_connect(4, 1024);
	link_cut(&pair.a);
	expect_int(xrdma_qp_post_send(pair.b.qp, &read, &send_bad), ==, 0);
}

void pair_answer_read(void)
{
	link_restore(&pair.a);
}

void pair_poll(int count)
{
	poll(pair.a.cq, count, send_wc);
}

void pair_poll_recv(int count)
{
	poll(pair.b.cq, count, recv_wc);
}

void pair_expect(enum xrdma_wc_status status)
{
	expect_msg(pair_post() == 0, "%s", xrdma_error());
	pair_poll(1);
	expect_msg(send_wc[0].status == status, "'%s' instead of '%s'",
		   xrdma_wc_status_str(send_wc[0].status), xrdma_wc_status_str(status));
	expect_int(send_wc[0].wr_id, ==, send_wr.wr_id);
	expect_int(send_wc[0].qpn, ==, xrdma_qp_number(pair.a.qp));
}

void pair_expect_failure(enum xrdma_wc_status status)
{
	struct xrdma_send_wr next = send_wr;

	next.wr_id = 2;
	next.flags = 0;
	send_wr.next = &next;
	expect_msg(pair_post() == 0, "%s", xrdma_error());
	pair_poll(2);
	expect_msg(send_wc[0].status == status, "'%s' instead of '%s'",
		   xrdma_wc_status_str(send_wc[0].status), xrdma_wc_status_str(status));
	expect_int(send_wc[0].wr_id, ==, 1);
	expect_int(send_wc[1].status, ==, XRDMA_WC_WR_FLUSH_ERR);
	expect_int(send_wc[1].wr_id, ==, 2);
	expect_int(xrdma_cq_poll(pair.a.cq, 1, send_wc), ==, 0);
	send_wr.next = NULL;
	pair_expect_written(0, 0);
}

void pair_expect_denied(void *at, unsigned int access)
{
	struct xrdma_mr *mr;

	expect_int(xrdma_mr_reg(pair.b.owner.pd, at, PAIR_BYTES, access, &mr), ==, 0);
	send_wr.rkey = xrdma_mr_key(mr);
	pair_expect_failure(XRDMA_WC_REM_ACCESS_ERR);
	expect_int(xrdma_mr_close(mr), ==, 0);
}

void pair_expect_stopped(enum xrdma_wc_status status, enum xrdma_verdict verdict)
{
	pair_poll(1);
	expect_int(send_wc[0].status, ==, status);
	expect_int(send_wc[0].vendor_err, ==, verdict);
	pair_expect_states(XRDMA_QPS_ERR, XRDMA_QPS_RTS);
	pair_expect_written(0, 0);
}

void pair_expect_written(__u32 offset, __u32 len)
{
	static const __u8 zeroes[PAIR_BYTES];

	expect_msg(!memcmp(pair.target + offset, pair.source + offset, len), "%u bytes differ",
		   len);
	memset(pair.target + offset, 0, len);
	if (!memcmp(pair.target, zeroes, PAIR_BYTES))
		return;
	for (int i = 0; i < PAIR_BYTES; i++)
		expect_msg(!pair.target[i], "byte %d was written, of %u at %u", i, len, offset);
}

void pair_expect_states(enum xrdma_qp_state a, enum xrdma_qp_state b)
{
	expect_int(side_state(&pair.a), ==, a);
	expect_int(side_state(&pair.b), ==, b);
}

void pair_expect_received(enum xrdma_wc_opcode opcode, __u32 len)
{
	pair_poll_recv(1);
	expect_int(recv_wc[0].status, ==, XRDMA_WC_SUCCESS);
	expect_int(recv_wc[0].opcode, ==, opcode);
	expect_int(recv_wc[0].wr_id, ==, recv_wr.wr_id);
	expect_int(recv_wc[0].byte_len, ==, len);
	expect_int(recv_wc[0].qpn, ==, xrdma_qp_number(pair.b.qp));
}

void pair_send_once(void)
{
	expect_msg(pair_post_recv() == 0, "%s", xrdma_error());
	pair_expect(XRDMA_WC_SUCCESS);
	expect_int(send_wc[0].opcode, ==, XRDMA_WC_SEND);
	pair_expect_received(XRDMA_WC_RECV, send_wc[0].byte_len);
}

static void every_size_at(int mtu, void (*execute)(__u32 offset, __u32 len))
{
	const __u32 sizes[] = {
		0, 1, 2, 3, 4, mtu - 1, mtu, mtu + 1, 2 * mtu, 5 * mtu + 7, 200001
	};

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		execute(64 + i, sizes[i]);
		pair_expect_written(64 + i, sizes[i]);
	}
}

void pair_every_size(void (*execute)(__u32 offset, __u32 len))
{
	for (int mtu = XRDMA_MTU_MIN; mtu <= XRDMA_MTU_MAX; mtu *= 2)
		for (int ip_version = 4; ip_version <= 6; ip_version += 2) {
			pair_connect(ip_version, mtu);
			every_size_at(mtu, execute);
		}
}
