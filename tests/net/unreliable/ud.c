// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Datagrams (IBA 9.8.3, 10.2.5, 11.2.2, A17.4.5.2; ibv_post_send(3), ibv_create_ah(3)). tests/net/
 * unreliable.sh runs it.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/capability.h>
#include <netinet/ip.h>
#include <netinet/ip6.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "support/pair.h"
#include "support/test.h"

enum { GRH = 40, LEN = 256, MTU = 4096 };

static struct xrdma_ah *to_b; /* from A */
static int version;	      /* of IP */
static struct xrdma_mr *of_a; /* memory for receives of A */

static struct xrdma_ah *create(const struct side *side, const char *netns, const char *address)
{
	struct xrdma_ah_attr attr = { 0 };
	struct xrdma_ah *ah;

	set_address(attr.dest, address);
	pair_enter(netns);
	expect_msg(xrdma_ah_create(side->owner.pd, &attr, &ah) == 0, "%s", xrdma_error());
	return ah;
}

static void set_version(int ip_version)
{
	if (to_b)
		expect_int(xrdma_ah_destroy(to_b), ==, 0);
	version = ip_version;
	to_b = create(&pair.a, "a", version == 4 ? "10.66.0.2" : "fd66::2");
}

/* Set send_wr to a datagram of LEN bytes at OFFSET, and recv_wr to a receive that they fill. */
static void set_send(__u32 offset, __u32 len)
{
	pair_set_send(offset, len);
	recv_sge.addr -= GRH;
	recv_sge.length += GRH;
	send_wr.ah = to_b;
	send_wr.remote_qpn = xrdma_qp_number(pair.b.qp);
	send_wr.remote_qkey = SIDE_QKEY;
}

static void start(void)
{
	pair.a.transport = pair.b.transport = XRDMA_TRANSPORT_UD;
	pair_start();
	expect_int(xrdma_mr_reg(pair.a.owner.pd, pair.source, GRH, XRDMA_ACCESS_LOCAL_WRITE, &of_a),
		   ==, 0);
	set_version(4);
	set_send(64, LEN);
}

static void stop(void)
{
	expect_int(xrdma_ah_destroy(to_b), ==, 0);
	to_b = NULL;
	expect_int(xrdma_mr_close(of_a), ==, 0);
	pair_stop();
}

TestSuite(ud, .once = pair_open, .init = start, .fini = stop, .end = pair_close);

static void expect_address(const void *address, const char *text)
{
	__be32 expected[4];

	set_address(expected, text);
	expect(!memcmp(address, version == 4 ? &expected[3] : expected, version == 4 ? 4 : 16));
}

/* Expect the IP header of a datagram from A to B before OFFSET of the target, and clear it. */
static void expect_header(__u32 offset)
{
	static const __u8 zeros[GRH - sizeof(struct iphdr)];
	__u8 *grh = pair.target + offset - GRH;

	if (version == 4) {
		struct iphdr ip; /* a copy, because the header may be unaligned */

		memcpy(&ip, grh + sizeof(zeros), sizeof(ip));
		expect(!memcmp(grh, zeros, sizeof(zeros)));
		expect_int(ip.version, ==, 4);
		expect_int(ip.protocol, ==, IPPROTO_UDP);
		expect_address(&ip.saddr, "10.66.0.1");
		expect_address(&ip.daddr, "10.66.0.2");
	} else {
		struct ip6_hdr ip;

		memcpy(&ip, grh, sizeof(ip));
		expect_int(ip.ip6_vfc >> 4, ==, 6);
		expect_int(ip.ip6_nxt, ==, IPPROTO_UDP);
		expect_address(&ip.ip6_src, "fd66::1");
		expect_address(&ip.ip6_dst, "fd66::2");
	}
	memset(grh, 0, GRH);
}

/* Expect that B received a datagram of A with LEN bytes, and the FLAGS besides XRDMA_WC_GRH. */
static void expect_received(__u32 len, unsigned int flags)
{
	pair_expect_received(XRDMA_WC_RECV, GRH + len);
	expect_int(recv_wc[0].src_qpn, ==, xrdma_qp_number(pair.a.qp));
	expect_int(recv_wc[0].flags, ==, XRDMA_WC_GRH | flags);
}

static void send_one(__u32 offset, __u32 len)
{
	set_send(offset, len);
	expect_int(pair_post_recv(), ==, 0);
	pair_expect(XRDMA_WC_SUCCESS);
	expect_int(send_wc[0].opcode, ==, XRDMA_WC_SEND);
	expect_int(send_wc[0].byte_len, ==, len);
	expect_received(len, 0);
	expect_header(offset);
	pair_expect_written(offset, len);
}

/* A datagram has at most as many bytes as the path MTU. */
Test(ud, every_size)
{
	static const __u32 sizes[] = { 0, 1, 2, 3, 4, 39, 40, 41, 255, 1024, MTU - 1, MTU };

	for (int ip_version = 4; ip_version <= 6; ip_version += 2) {
		set_version(ip_version);
		for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
			send_one(GRH + i, sizes[i]);
		set_send(64, MTU + 1);
		expect_error(pair_post(), EINVAL, "the path MTU allows 4096");
	}
}

Test(ud, immediate)
{
	send_wr.opcode = XRDMA_WR_SEND_WITH_IMM;
	send_wr.imm = htonl(0x01020304);
	expect_int(pair_post_recv(), ==, 0);
	pair_expect(XRDMA_WC_SUCCESS);
	expect_received(LEN, XRDMA_WC_WITH_IMM);
	expect_int(recv_wc[0].imm, ==, htonl(0x01020304));
}

/* Post a datagram that B must not receive, and expect that another one takes its receive. */
static void expect_lost(void)
{
	expect_int(pair_post_recv(), ==, 0);
	pair_expect(XRDMA_WC_SUCCESS);
	set_send(64, LEN);
	pair_expect(XRDMA_WC_SUCCESS);
	expect_received(LEN, 0);
	expect_header(64);
	pair_expect_written(64, LEN);
	pair_expect_states(XRDMA_QPS_RTS, XRDMA_QPS_RTS);
}

Test(ud, wrong_qkey)
{
	send_wr.remote_qkey++;
	expect_lost();
}

Test(ud, wrong_qpn)
{
	send_wr.remote_qpn = xrdma_qp_number(pair.a.qp);
	expect_lost();
}

/* The first 40 bytes count. */
Test(ud, longer_than_its_receive)
{
	send_sge.length++;
	expect_lost();
}

/* A datagram without a receive is lost. */
Test(ud, no_receive)
{
	for (int i = 0; i < 100; i++)
		pair_expect(XRDMA_WC_SUCCESS);
	send_one(64, LEN);
}

/* A request with the upper bit in its Q_Key has the Q_Key of its queue pair (IBA 10.2.5). */
Test(ud, own_qkey)
{
	send_wr.remote_qkey = XRDMA_QKEY_PRIVILEGED | 1;
	expect_int(pair_post_recv(), ==, 0);
	pair_expect(XRDMA_WC_SUCCESS);
	expect_received(LEN, 0);
}

/* The Q_Key of a queue pair can change at any time. */
Test(ud, other_qkey)
{
	pair.b.attr.qkey = SIDE_QKEY + 1;
	expect_int(side_modify(&pair.b, XRDMA_QPS_RTS, XRDMA_QP_STATE | XRDMA_QP_QKEY), ==, 0);
	expect_int(pair_post_recv(), ==, 0);
	pair_expect(XRDMA_WC_SUCCESS);
	send_wr.remote_qkey++;
	send_sge.length--;
	pair_expect(XRDMA_WC_SUCCESS);
	expect_received(LEN - 1, 0);
}

/* Take CAP_NET_RAW from this thread, or give it back. */
static void set_net_raw(bool is_given)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3];

	expect_int(syscall(SYS_capget, &header, sets), ==, 0);
	sets[0].effective &= ~(__u32)CAP_TO_MASK(CAP_NET_RAW);
	if (is_given)
		sets[0].effective |= CAP_TO_MASK(CAP_NET_RAW);
	expect_int(syscall(SYS_capset, &header, sets), ==, 0);
}

/* A Q_Key with the upper bit is privileged (IBA 10.2.5). */
Test(ud, privileged_qkey)
{
	pair.b.attr.qkey = XRDMA_QKEY_PRIVILEGED | 1;
	set_net_raw(false);
	expect_error(side_modify(&pair.b, XRDMA_QPS_RTS, XRDMA_QP_STATE | XRDMA_QP_QKEY), EPERM,
		     "needs CAP_NET_RAW");
	set_net_raw(true);
	send_one(64, LEN);
	expect_int(side_modify(&pair.b, XRDMA_QPS_RTS, XRDMA_QP_STATE | XRDMA_QP_QKEY), ==, 0);
	pair.a.attr.qkey = pair.b.attr.qkey;
	expect_int(side_modify(&pair.a, XRDMA_QPS_RTS, XRDMA_QP_STATE | XRDMA_QP_QKEY), ==, 0);
	set_send(64, LEN);
	send_wr.remote_qkey = XRDMA_QKEY_PRIVILEGED;
	expect_int(pair_post_recv(), ==, 0);
	pair_expect(XRDMA_WC_SUCCESS);
	expect_received(LEN, 0);
}

/* Let A post receive 100, for a datagram without a payload. */
static void post_receive_of_a(void)
{
	struct xrdma_sge sge = { (uintptr_t)pair.source, GRH, xrdma_mr_key(of_a) };
	const struct xrdma_recv_wr receive = { .wr_id = 100, .sg_list = &sge, .num_sge = 1 };

	expect_int(xrdma_qp_post_recv(pair.a.qp, &receive, &recv_bad), ==, 0);
}

/* Expect that WC is the completion of A's receive, for a datagram of FROM. */
static void expect_received_by_a(const struct xrdma_wc *wc, const struct side *from)
{
	expect_int(wc->wr_id, ==, 100);
	expect_int(wc->status, ==, XRDMA_WC_SUCCESS);
	expect_int(wc->byte_len, ==, GRH);
	expect_int(wc->src_qpn, ==, xrdma_qp_number(from->qp));
}

/* Reply to the sender of the datagram at offset 64, of which only the completion is known. */
static void reply(void)
{
	struct xrdma_send_wr answer = {
		.wr_id = 200,
		.opcode = XRDMA_WR_SEND,
		.flags = XRDMA_SEND_SIGNALED,
		.remote_qpn = recv_wc[0].src_qpn,
		.remote_qkey = SIDE_QKEY,
	};

	post_receive_of_a();
	pair_enter("b");
	expect_msg(xrdma_ah_create_from_wc(pair.b.owner.pd, recv_wc, pair.target + 64 - GRH,
					   &answer.ah) == 0,
		   "%s", xrdma_error());
	expect_int(xrdma_qp_post_send(pair.b.qp, &answer, &send_bad), ==, 0);
	expect_int(xrdma_ah_destroy(answer.ah), ==, 0);
	pair_poll(1);
	expect_received_by_a(send_wc, &pair.b);
}

Test(ud, replies)
{
	for (int ip_version = 4; ip_version <= 6; ip_version += 2) {
		set_version(ip_version);
		set_send(64, LEN);
		expect_int(pair_post_recv(), ==, 0);
		pair_expect(XRDMA_WC_SUCCESS);
		expect_received(LEN, 0);
		reply();
		pair_poll_recv(1);
		expect_int(recv_wc[0].wr_id, ==, 200);
	}
}

Test(ud, no_reply_address)
{
	struct xrdma_wc wc = { .flags = XRDMA_WC_GRH };
	const __u8 nothing[GRH] = { 0 };
	struct xrdma_ah *ah;

	expect_error(xrdma_ah_create_from_wc(pair.b.owner.pd, &wc, nothing, &ah), EINVAL,
		     "no IP header");
	wc.flags = 0;
	expect_error(xrdma_ah_create_from_wc(pair.b.owner.pd, &wc, nothing, &ah), EINVAL,
		     "not one of a received datagram");
}

/* One post sends to several destinations, among them the sender itself. */
Test(ud, many_destinations)
{
	struct xrdma_ah *by_ipv6 = create(&pair.a, "a", "fd66::2");
	struct xrdma_ah *to_self = create(&pair.a, "a", "10.66.0.1");
	struct xrdma_send_wr wrs[4];

	for (int i = 0; i < 4; i++) {
		wrs[i] = send_wr;
		wrs[i].flags = 0;
		wrs[i].next = i < 3 ? &wrs[i + 1] : NULL;
	}
	wrs[1].ah = by_ipv6;
	wrs[2].ah = to_self;
	wrs[2].remote_qpn = xrdma_qp_number(pair.a.qp);
	wrs[2].num_sge = 0;
	post_receive_of_a();
	for (int i = 0; i < 3; i++)
		expect_int(pair_post_recv(), ==, 0);
	expect_msg(xrdma_qp_post_send(pair.a.qp, wrs, &send_bad) == 0, "%s", xrdma_error());
	pair_poll(1);
	expect_received_by_a(send_wc, &pair.a);
	for (int i = 0; i < 3; i++)
		expect_received(LEN, 0);
	expect_int(xrdma_ah_destroy(by_ipv6), ==, 0);
	expect_int(xrdma_ah_destroy(to_self), ==, 0);
}

/* Requests that wait are sent, even if their handle is destroyed meanwhile. */
Test(ud, destroyed_handle)
{
	expect_int(side_modify(&pair.a, XRDMA_QPS_SQD, XRDMA_QP_STATE), ==, 0);
	expect_int(pair_post_recv(), ==, 0);
	expect_int(pair_post(), ==, 0);
	set_version(6);
	expect_int(side_modify(&pair.a, XRDMA_QPS_RTS, XRDMA_QP_STATE), ==, 0);
	pair_poll(1);
	expect_received(LEN, 0);
	version = 4;
	expect_header(64);
}

/* UD has only SEND (IBA table 35). */
Test(ud, requests_of_connections)
{
	static const enum xrdma_wr_opcode others[] = {
		XRDMA_WR_RDMA_WRITE,	     XRDMA_WR_RDMA_WRITE_WITH_IMM,  XRDMA_WR_RDMA_READ,
		XRDMA_WR_ATOMIC_CMP_AND_SWP, XRDMA_WR_ATOMIC_FETCH_AND_ADD, XRDMA_WR_SEND_WITH_INV,
	};

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		send_wr.opcode = others[i];
		expect_error(pair_post(), EOPNOTSUPP, "is not supported");
	}
}

Test(ud, no_destination)
{
	struct xrdma_pd *other;

	send_wr.ah = NULL;
	expect_error(pair_post(), EINVAL, "needs an address handle");
	expect_int(xrdma_pd_alloc(pair.a.owner.context, &other), ==, 0);
	pair_enter("a");
	expect_int(xrdma_ah_create(other, &pair.a.attr.ah_attr, &send_wr.ah), ==, 0);
	expect_error(pair_post(), EINVAL, "needs an address handle");
	expect_error(xrdma_pd_dealloc(other), EBUSY, "");
	expect_int(xrdma_ah_destroy(send_wr.ah), ==, 0);
	expect_int(xrdma_pd_dealloc(other), ==, 0);
	send_wr.ah = to_b;
	send_wr.remote_qpn = 1 << 24;
	expect_error(pair_post(), EINVAL, "a QPN has 24 bits");
}

Test(ud, wrong_handles)
{
	struct xrdma_ah_attr attr = pair.a.attr.ah_attr;
	struct xrdma_ah *ah;

	pair_enter("a");
	attr.udp_sport = 50000;
	expect_error(xrdma_ah_create(pair.a.owner.pd, &attr, &ah), EINVAL, "no UDP ports");
	attr.udp_sport = 0;
	set_address(attr.source, "10.66.0.3");
	expect_error(xrdma_ah_create(pair.a.owner.pd, &attr, &ah), EADDRNOTAVAIL, "");
	memset(attr.source, 0, sizeof(attr.source));
	set_address(attr.dest, "10.99.0.1");
	expect_error(xrdma_ah_create(pair.a.owner.pd, &attr, &ah), ENETUNREACH, "");
}

/* A request that fails by its own key moves the queue pair to SQE (IBA 10.3.1). */
Test(ud, send_queue_error)
{
	send_sge.lkey ^= 1;
	pair_expect(XRDMA_WC_LOC_PROT_ERR);
	pair_expect_states(XRDMA_QPS_SQE, XRDMA_QPS_RTS);
	expect_int(side_modify(&pair.a, XRDMA_QPS_RTS, XRDMA_QP_STATE), ==, 0);
	set_send(64, LEN);
	send_one(64, LEN);
}
