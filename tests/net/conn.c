// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Connections over TCP; tests/net/conn.sh runs it. */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include <xrdma/conn.h>

#include "support/pair.h"
#include "support/test.h"

/* What B does meanwhile, in a thread of its own. */
static struct {
	pthread_t thread;
	int listener;
	struct xrdma_conn_attr attr;
	struct xrdma_conn_peer peer;
	int err;
	char error[512];
} b;

static struct xrdma_conn_attr attr;
static struct xrdma_conn_peer peer = { .sz = sizeof(peer) };

static void start(void)
{
	pair_start();
	side_bring_to(&p.a, XRDMA_QPS_RESET);
	side_bring_to(&p.b, XRDMA_QPS_RESET);
	attr = (struct xrdma_conn_attr){ .sz = sizeof(attr) };
	b.peer.sz = sizeof(b.peer);
	b.attr = (struct xrdma_conn_attr){
		.sz = sizeof(attr),
		.access = XRDMA_ACCESS_REMOTE_WRITE,
		.private_data = "from b",
		.private_len = 6,
	};
	pair_enter("b");
	expect_msg(xrdma_conn_listen(NULL, "7471", &b.listener) == 0, "%s", xrdma_error());
	pair_enter("a");
}

static void stop(void)
{
	close(b.listener);
	pair_stop();
}

TestSuite(conn, .once = pair_open, .init = start, .fini = stop, .end = pair_close);

static void *accept_one(void *unused)
{
	pair_enter("b");
	b.err = xrdma_conn_accept(b.listener, p.b.qp, &b.attr, &b.peer);
	snprintf(b.error, sizeof(b.error), "%s", xrdma_error());
	return unused;
}

static void start_b(void)
{
	expect_int(pthread_create(&b.thread, NULL, accept_one, NULL), ==, 0);
}

static int join_b(void)
{
	pthread_join(b.thread, NULL);
	return b.err;
}

/* A connects to ADDRESS while B accepts; what A's call returns. */
static int connect_to(const char *address)
{
	int err;

	start_b();
	err = xrdma_conn_connect(address, "7471", p.a.qp, &attr, &peer);
	join_b();
	return err;
}

static void expect_connected(const char *address)
{
	expect_msg(connect_to(address) == 0, "%s", xrdma_error());
	expect_msg(b.err == 0, "%s", b.error);
	pair_expect_states(XRDMA_QPS_RTS, XRDMA_QPS_RTS);
	pair_expect(XRDMA_WC_SUCCESS);
	pair_expect_written(64, 256);
}

/* Whoever sends as soon as it is connected finds the receives that were posted in INIT. */
Test(conn, receives_posted_before)
{
	side_bring_to(&p.b, XRDMA_QPS_INIT);
	side_bring_to(&p.a, XRDMA_QPS_INIT);
	pair_set_send(64, 256);
	expect_int(pair_post_recv(), ==, 0);
	expect_int(connect_to("10.66.0.2"), ==, 0);
	expect_int(b.err, ==, 0);
	pair_expect(XRDMA_WC_SUCCESS);
	expect_int(p.a.qp->row->req.rnr_nak.count, ==, 0);
	pair_expect_received(XRDMA_WC_RECV, 256);
	expect_int(p.b.qp->row->access, ==, XRDMA_ACCESS_REMOTE_WRITE);
}

static void get(struct xrdma_qp *qp, struct xrdma_qp_attr *into)
{
	into->sz = sizeof(*into);
	xrdma_qp_query(qp, into);
}

Test(conn, tells_each_side_of_the_other)
{
	__be32 expected[4];

	attr.private_data = "from a!";
	attr.private_len = 7;
	expect_connected("10.66.0.2");
	expect_int(peer.qpn, ==, xrdma_qp_number(p.b.qp));
	expect_int(b.peer.qpn, ==, xrdma_qp_number(p.a.qp));
	expect(peer.private_len == 6 && !memcmp(peer.private_data, "from b", 6));
	expect(b.peer.private_len == 7 && !memcmp(b.peer.private_data, "from a!", 7));
	set_address(expected, "10.66.0.2");
	expect(!memcmp(peer.addr, expected, sizeof(expected)));
	set_address(expected, "10.66.0.1");
	expect(!memcmp(b.peer.addr, expected, sizeof(expected)));
	expect_int(peer.path_mtu, ==, 4096);
	expect_int(b.peer.path_mtu, ==, 4096);
}

Test(conn, over_ipv6)
{
	expect_connected("fd66::2");
}

/*
 * Each side starts at a PSN that nobody can tell (IBA 9.4.1 leaves the choice to it), and the other
 * expects it.
 */
Test(conn, first_psns)
{
	struct xrdma_qp_attr first, mine, theirs;

	expect_int(connect_to("10.66.0.2"), ==, 0);
	get(p.a.qp, &first);
	side_bring_to(&p.a, XRDMA_QPS_RESET);
	side_bring_to(&p.b, XRDMA_QPS_RESET);
	expect_int(connect_to("10.66.0.2"), ==, 0);
	get(p.a.qp, &mine);
	get(p.b.qp, &theirs);
	expect(mine.sq_psn != first.sq_psn || mine.rq_psn != first.rq_psn);
	expect_int(mine.sq_psn, ==, theirs.rq_psn);
	expect_int(mine.rq_psn, ==, theirs.sq_psn);
	expect_int(mine.max_rd_atomic, ==, XRDMA_RD_ATOMIC_MAX);
	expect_int(mine.max_dest_rd_atomic, ==, XRDMA_RD_ATOMIC_MAX);
}

Test(conn, takes_the_smaller_mtu)
{
	b.attr.path_mtu = 512;
	expect_connected("10.66.0.2");
	expect_int(peer.path_mtu, ==, 512);
	side_bring_to(&p.a, XRDMA_QPS_RESET);
	side_bring_to(&p.b, XRDMA_QPS_RESET);
	attr.path_mtu = 256;
	expect_connected("10.66.0.2");
	expect_int(b.peer.path_mtu, ==, 256);
	expect_int(p.a.qp->row->mtu, ==, 256);
	expect_int(p.b.qp->row->mtu, ==, 256);
}

Test(conn, no_access_by_default)
{
	b.attr.access = 0;
	expect_int(connect_to("10.66.0.2"), ==, 0);
	pair_expect_failure(XRDMA_WC_REM_INV_REQ_ERR);
}

Test(conn, refuses_arguments)
{
	int listener;

	attr.private_len = XRDMA_CONN_PRIVATE_MAX + 1;
	expect_error(xrdma_conn_connect("10.66.0.2", "7471", p.a.qp, &attr, NULL), EINVAL,
		     "at most 192");
	side_bring_to(&p.a, XRDMA_QPS_RTR);
	expect_error(xrdma_conn_connect("10.66.0.2", "7471", p.a.qp, NULL, NULL), EINVAL,
		     "not in RESET or INIT");
	side_bring_to(&p.a, XRDMA_QPS_RESET);
	expect_error(xrdma_conn_connect("10.66.0.2", "7472", p.a.qp, NULL, NULL), ECONNREFUSED,
		     "port 7472");
	expect_error(xrdma_conn_connect("no such host", "1", p.a.qp, NULL, NULL), EINVAL,
		     "no such host");
	set_address(attr.source, "10.99.0.9");
	attr.private_len = 0;
	expect_error(xrdma_conn_connect("10.66.0.2", "7471", p.a.qp, &attr, NULL), EADDRNOTAVAIL,
		     "none of the device's");
	set_address(attr.source, "fd66::1");
	expect_error(xrdma_conn_connect("10.66.0.2", "7471", p.a.qp, &attr, NULL), EAFNOSUPPORT,
		     "10.66.0.2");
	expect_error(xrdma_conn_listen("10.66.0.9", "7471", &listener), EADDRNOTAVAIL, "10.66.0.9");
}

/* The side that cannot tells why, and both are back in RESET. */
Test(conn, refusal_reaches_the_peer)
{
	set_address(b.attr.source, "10.66.0.9");
	expect_error(connect_to("10.66.0.2"), ECONNREFUSED, "none of the device's");
	expect_int(b.err, ==, -EADDRNOTAVAIL);
	pair_expect_states(XRDMA_QPS_RESET, XRDMA_QPS_RESET);
	memset(b.attr.source, 0, sizeof(b.attr.source));
	attr.access = 1 << 20;
	expect_error(connect_to("10.66.0.2"), EINVAL, "access");
	expect_int(b.err, ==, -ECONNREFUSED);
	expect_msg(strstr(b.error, "access"), "%s", b.error);
}

/* As user/conn.c has it on the wire, version 1. */
struct message {
	__be32 magic;
	__be16 version, kind;
	__be32 qpn, psn;
	__be16 path_mtu;
	__u8 rd_atomic, private_len;
	__be32 addr[4];
	__u8 private_data[XRDMA_CONN_PRIVATE_MAX];
};

static struct message good_request(void)
{
	struct message m = {
		.magic = htonl(0x78726d61),
		.version = htons(1),
		.qpn = htonl(0x123),
		.psn = htonl(77),
		.path_mtu = htons(1024),
		.rd_atomic = 1,
	};

	set_address(m.addr, "10.66.0.1");
	return m;
}

static int raw_connect(void)
{
	struct sockaddr_in6 to = { .sin6_family = AF_INET6, .sin6_port = htons(7471) };
	const struct timeval limit = { .tv_sec = 10 };
	int fd = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
	__be32 address[4];

	set_address(address, "10.66.0.2");
	memcpy(&to.sin6_addr, address, sizeof(address));
	expect_int(setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit)), ==, 0);
	expect_int(connect(fd, (struct sockaddr *)&to, sizeof(to)), ==, 0);
	return fd;
}

/*
 * B fails with ERR and a text when it is sent LEN bytes of M, and tells so; nothing is left of it.
 */
static void expect_refused(struct message m, size_t len, int err, const char *text)
{
	struct message answer = { 0 };
	int fd;

	b.attr.wait_ms = err == ETIMEDOUT ? 50 : 5000;
	start_b();
	fd = raw_connect();
	expect_int(send(fd, &m, len, 0), ==, len);
	if (err == ECONNRESET)
		shutdown(fd, SHUT_WR);
	expect_int(recv(fd, &answer, sizeof(answer), MSG_WAITALL), ==, sizeof(answer));
	expect_int(ntohs(answer.kind), ==, 3);
	expect_msg(join_b() == -err, "%s: %s", text, b.error);
	expect_msg(strstr(b.error, text), "'%s' does not say '%s'", b.error, text);
	expect(!memcmp(answer.private_data, b.error, answer.private_len));
	close(fd);
	expect_int(side_state(&p.b), ==, XRDMA_QPS_RESET);
}

#define EXPECT_REFUSED(err, text, change)                \
	do {                                             \
		struct message m = good_request();       \
		change;                                  \
		expect_refused(m, sizeof(m), err, text); \
	} while (0)

Test(conn, messages_that_are_wrong)
{
	EXPECT_REFUSED(EPROTO, "no program of libxrdma", m.magic++);
	EXPECT_REFUSED(EPROTO, "another version", m.version = htons(2));
	EXPECT_REFUSED(EPROTO, "message 1 instead of 0", m.kind = htons(1));
	EXPECT_REFUSED(EPROTO, "193 bytes", m.private_len = 193);
	EXPECT_REFUSED(EINVAL, "dest_qpn", m.qpn = 0);
	EXPECT_REFUSED(EINVAL, "dest_qpn", m.qpn = htonl(1 << 24));
	EXPECT_REFUSED(EINVAL, "rq_psn", m.psn = htonl(1 << 24));
	EXPECT_REFUSED(EINVAL, "path_mtu", m.path_mtu = 0);
	EXPECT_REFUSED(EINVAL, "path_mtu", m.path_mtu = htons(1000));
	EXPECT_REFUSED(EACCES, "says that it is fd66::1", set_address(m.addr, "fd66::1"));
	EXPECT_REFUSED(EACCES, "from 10.66.0.1", set_address(m.addr, "10.66.0.3"));
	expect_refused(good_request(), sizeof(struct message) - 1, ETIMEDOUT, "silent");
	expect_refused(good_request(), 5, ECONNRESET, "closed");
}

/* The limit is for the whole: a byte now and then does not prolong it. */
Test(conn, peer_that_dawdles)
{
	const struct message m = good_request();
	struct pollfd answer = { .events = POLLIN };
	size_t sent = 0;

	b.attr.wait_ms = 100;
	start_b();
	answer.fd = raw_connect();
	while (sent < sizeof(m) && !poll(&answer, 1, 10))
		expect_int(send(answer.fd, (const char *)&m + sent++, 1, 0), ==, 1);
	expect_int(sent, <, 50);
	expect_int(join_b(), ==, -ETIMEDOUT);
	close(answer.fd);
}

/*
 * Who connects and says nothing keeps nobody waiting: others are taken first, and for its request
 * there is a second.
 */
Test(conn, peer_that_is_silent)
{
	struct timespec begin, end;
	int fd = raw_connect();

	expect_connected("10.66.0.2");
	side_bring_to(&p.b, XRDMA_QPS_RESET);
	clock_gettime(CLOCK_MONOTONIC, &begin);
	start_b();
	expect_int(join_b(), ==, -ETIMEDOUT);
	clock_gettime(CLOCK_MONOTONIC, &end);
	expect_int(end.tv_sec - begin.tv_sec, <=, 4);
	close(fd);
}

/* More at a time than this side has is not asked for. */
Test(conn, peer_with_many_reads)
{
	struct message m = good_request();
	int fd;

	m.rd_atomic = 255;
	start_b();
	fd = raw_connect();
	expect_int(send(fd, &m, sizeof(m), 0), ==, sizeof(m));
	expect_int(recv(fd, &m, sizeof(m), MSG_WAITALL), ==, sizeof(m));
	m.kind = htons(2);
	m.qpn = 0; /* only the request counts */
	expect_int(send(fd, &m, sizeof(m), 0), ==, sizeof(m));
	expect_msg(join_b() == 0, "%s", b.error);
	expect_int(p.b.qp->attr.max_rd_atomic, ==, XRDMA_RD_ATOMIC_MAX);
	expect_int(b.peer.qpn, ==, 0x123);
	close(fd);
}

static void *refuse_one(void *unused)
{
	struct message m = good_request();
	int fd = accept(b.listener, NULL, NULL);

	m.kind = htons(3);
	m.private_len = 4;
	memcpy(m.private_data, "no\033!", 4);
	b.err = recv(fd, &m, 0, 0) || send(fd, &m, sizeof(m), 0) != sizeof(m);
	poll(&(struct pollfd){ .fd = fd, .events = POLLRDHUP }, 1, 5000);
	close(fd);
	return unused;
}

/* The peer's reason may go to a terminal: what is not printable does not. */
Test(conn, reason_of_the_peer)
{
	expect_int(pthread_create(&b.thread, NULL, refuse_one, NULL), ==, 0);
	expect_error(xrdma_conn_connect("10.66.0.2", "7471", p.a.qp, NULL, NULL), ECONNREFUSED,
		     "the peer refused: no?!");
	expect_int(join_b(), ==, 0);
	expect_int(side_state(&p.a), ==, XRDMA_QPS_RESET);
}

/* From now on this process is one of a kernel without IPv6. */
static void lose_ipv6(void)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_socket, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0])),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AF_INET6, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EAFNOSUPPORT),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog program = { sizeof(filter) / sizeof(filter[0]), filter };

	expect_int(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), ==, 0);
	expect_int(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program), ==, 0);
}

Test(without_ipv6, listens_at_every_address_of_ipv4)
{
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(7473) };
	int listener, fd;

	pair_enter("a");
	lose_ipv6();
	expect_msg(xrdma_conn_listen(NULL, "7473", &listener) == 0, "%s", xrdma_error());
	fd = socket(AF_INET, SOCK_STREAM, 0);
	expect_int(inet_pton(AF_INET, "10.66.0.1", &to.sin_addr), ==, 1);
	expect_int(connect(fd, (struct sockaddr *)&to, sizeof(to)), ==, 0);
}
