// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Connection messages exchanged with a peer that may send anything. tests/net/two_hosts.sh runs
 * this program.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "support/conn.h"
#include "support/test.h"

TestSuite(conn_message, .once = pair_open, .init = conn_start, .fini = conn_stop,
	  .end = pair_close);

/* A message of version 3, with the layout that user/cm/exchange.h gives it on the wire. */
struct message {
	__be32 magic;
	__be16 version, kind;
	__be32 qpn, psn;
	__be16 path_mtu;
	__u8 rd_atomic, private_len;
	__be16 udp_sport;
	__u8 is_busy;
	__u8 reserved;
	__be32 addr[4];
	__u8 private_data[XRDMA_CONN_PRIVATE_MAX];
};

enum kind { REQ, REP, RTU, REJ, RDY };

static struct message good_request(void)
{
	struct message message = {
		.magic = htonl(0x78726d61),
		.version = htons(3),
		.qpn = htonl(0x123),
		.psn = htonl(77),
		.path_mtu = htons(1024),
		.rd_atomic = 1,
	};

	set_address(message.addr, "10.66.0.1");
	return message;
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

/* Let B answer the request that was sent by FD, and report that the connection is up. */
static void expect_accepted(int fd)
{
	struct message message = good_request();

	expect_int(recv(fd, &message, sizeof(message), MSG_WAITALL), ==, sizeof(message));
	expect_int(ntohs(message.kind), ==, REP);
	message.kind = htons(RTU);
	message.qpn = 0; /* only the request matters */
	expect_int(send(fd, &message, sizeof(message), 0), ==, sizeof(message));
}

/*
 * Send LEN bytes of M. Expect that B fails with ERR and a text, and sends the text to the peer.
 * Nothing remains of the connection.
 */
static void expect_refused(struct message message, size_t len, int err, const char *text)
{
	struct message answer = { 0 };
	int fd;

	conn_b.attr.wait_ms = err == ETIMEDOUT ? 50 : 5000;
	conn_start_b();
	fd = raw_connect();
	expect_int(send(fd, &message, len, 0), ==, len);
	if (err == ECONNRESET)
		shutdown(fd, SHUT_WR);
	if (err == EINVAL)
		expect_accepted(fd);
	expect_int(recv(fd, &answer, sizeof(answer), MSG_WAITALL), ==, sizeof(answer));
	expect_int(ntohs(answer.kind), ==, REJ);
	expect_msg(conn_join_b() == -err, "%s: %s", text, conn_b.error);
	expect_msg(strstr(conn_b.error, text), "'%s' does not say '%s'", conn_b.error, text);
	expect(!memcmp(answer.private_data, conn_b.error, answer.private_len));
	close(fd);
	expect_int(side_state(&pair.b), ==, XRDMA_QPS_RESET);
}

#define EXPECT_REFUSED(err, text, change)                            \
	do {                                                         \
		struct message message = good_request();             \
		change;                                              \
		expect_refused(message, sizeof(message), err, text); \
	} while (0)

Test(conn_message, messages_that_are_wrong)
{
	EXPECT_REFUSED(EPROTO, "does not use libxrdma", message.magic++);
	EXPECT_REFUSED(EPROTO, "another version", message.version = htons(2));
	EXPECT_REFUSED(EPROTO, "message 1 instead of 0", message.kind = htons(1));
	EXPECT_REFUSED(EPROTO, "193 bytes", message.private_len = 193);
	EXPECT_REFUSED(EINVAL, "dest_qpn", message.qpn = 0);
	EXPECT_REFUSED(EINVAL, "dest_qpn", message.qpn = htonl(1 << 24));
	EXPECT_REFUSED(EINVAL, "rq_psn", message.psn = htonl(1 << 24));
	EXPECT_REFUSED(EINVAL, "path_mtu", message.path_mtu = 0);
	EXPECT_REFUSED(EINVAL, "path_mtu", message.path_mtu = htons(1000));
	EXPECT_REFUSED(EACCES, "says that it is fd66::1", set_address(message.addr, "fd66::1"));
	EXPECT_REFUSED(EACCES, "from 10.66.0.1", set_address(message.addr, "10.66.0.3"));
	expect_refused(good_request(), sizeof(struct message) - 1, ETIMEDOUT, "silent");
	expect_refused(good_request(), 5, ECONNRESET, "closed");
}

/* The time limit is for the whole connection. A byte now and then does not extend it. */
Test(conn_message, peer_that_dawdles)
{
	const struct message message = good_request();
	struct pollfd answer = { .events = POLLIN };
	size_t sent = 0;

	conn_b.attr.wait_ms = 100;
	conn_start_b();
	answer.fd = raw_connect();
	while (sent < sizeof(message) && !poll(&answer, 1, 10))
		expect_int(send(answer.fd, (const char *)&message + sent++, 1, 0), ==, 1);
	expect_int(sent, <, 50);
	expect_int(conn_join_b(), ==, -ETIMEDOUT);
	close(answer.fd);
}

/* A peer that connects and sends nothing does not delay others, which are accepted first. */
Test(conn_message, peer_that_is_silent)
{
	struct timespec begin, end;
	int fd = raw_connect();

	conn_expect_connected("10.66.0.2");
	side_bring_to(&pair.b, XRDMA_QPS_RESET);
	conn_b.attr.wait_ms = 500;
	clock_gettime(CLOCK_MONOTONIC, &begin);
	conn_start_b();
	expect_int(conn_join_b(), ==, -ETIMEDOUT);
	clock_gettime(CLOCK_MONOTONIC, &end);
	expect_int(end.tv_sec - begin.tv_sec, <=, 4);
	close(fd);
}

/*
 * If the first segment is lost, TCP sends it again after up to 3 s. The peer's request is awaited
 * that long.
 */
Test(conn_message, request_that_comes_late)
{
	const struct message message = good_request();
	int fd = raw_connect();

	conn_start_b();
	sleep(3);
	expect_int(send(fd, &message, sizeof(message), 0), ==, sizeof(message));
	expect_accepted(fd);
	expect_msg(conn_join_b() == 0, "%s", conn_b.error);
	close(fd);
}

static int send_request(void)
{
	const struct message message = good_request();
	int fd = raw_connect();

	expect_int(send(fd, &message, sizeof(message), 0), ==, sizeof(message));
	return fd;
}

static void expect_message(int fd, enum kind kind, const char *text)
{
	struct message message;

	expect_int(recv(fd, &message, sizeof(message), MSG_WAITALL), ==, sizeof(message));
	expect_int(ntohs(message.kind), ==, kind);
	expect_int(message.is_busy, ==, kind == REJ);
	expect_msg(!strncmp((char *)message.private_data, text, strlen(text)), "%s",
		   message.private_data);
}

/* Expect that A connects to B, which has begun to accept. */
static void expect_connected(void)
{
	expect_msg(!xrdma_conn_connect("10.66.0.2", "7471", pair.a.qp, &conn_a.attr, NULL), "%s",
		   xrdma_error());
	expect_msg(conn_join_b() == 0, "%s", conn_b.error);
	pair_expect_states(XRDMA_QPS_RTS, XRDMA_QPS_RTS);
}

/* Let COUNT peers send their request and then nothing. Another one goes on, and is connected. */
static void connect_beside(int count)
{
	int fds[80];

	conn_a.attr.wait_ms = conn_b.attr.wait_ms = 30000;
	conn_start_b();
	for (int i = 0; i < count; i++)
		fds[i] = send_request();
	expect_connected();
	for (int i = 0; i < count; i++) {
		expect_message(fds[i], REP, "from b");
		expect_message(fds[i], REJ,
			       count - i >= 64 ? "too many peers" : "another peer was faster");
		close(fds[i]);
	}
}

Test(conn_message, peers_that_send_their_request_alone)
{
	connect_beside(12);
}

/* If there are more silent peers than are served at the same time, the oldest ones are dropped. */
Test(conn_message, more_silent_peers_than_are_listened_to)
{
	connect_beside(70);
}

/* The queue pair is not used, and keeps its receives, until a peer has sent all messages. */
Test(conn_message, peers_that_are_silent_take_nothing)
{
	int fd = send_request();

	side_bring_to(&pair.b, XRDMA_QPS_INIT);
	pair_set_send(64, 256);
	expect_int(pair_post_recv(), ==, 0);
	conn_start_b();
	expect_message(fd, REP, "from b");
	expect_int(side_state(&pair.b), ==, XRDMA_QPS_INIT);
	expect_connected();
	pair_expect(XRDMA_WC_SUCCESS);
	pair_expect_received(XRDMA_WC_RECV, 256);
	close(fd);
}

/* The peer offers more READs than this side supports. They are limited to this side's number. */
Test(conn_message, peer_with_many_reads)
{
	struct message message = good_request();
	int fd;

	message.rd_atomic = 255;
	conn_start_b();
	fd = raw_connect();
	expect_int(send(fd, &message, sizeof(message), 0), ==, sizeof(message));
	expect_accepted(fd);
	expect_msg(conn_join_b() == 0, "%s", conn_b.error);
	expect_int(pair.b.qp->attr.max_rd_atomic, ==, XRDMA_RD_ATOMIC_MAX);
	expect_int(conn_b.peer.qpn, ==, 0x123);
	close(fd);
}

static void *refuse_one(void *is_busy)
{
	struct message message = good_request();
	int fd;

	poll(&(struct pollfd){ .fd = conn_b.listener, .events = POLLIN }, 1, 5000);
	fd = accept(conn_b.listener, NULL, NULL);
	message.kind = htons(REJ);
	message.is_busy = !!is_busy;
	message.private_len = 4;
	memcpy(message.private_data, "no\033!", 4);
	conn_b.err = recv(fd, &message, 0, 0) ||
		     send(fd, &message, sizeof(message), 0) != sizeof(message);
	poll(&(struct pollfd){ .fd = fd, .events = POLLRDHUP }, 1, 5000);
	close(fd);
	return NULL;
}

/*
 * The peer's reason may be written to a terminal, so only printable characters remain. If the peer
 * is busy, the error says to try again.
 */
Tests(conn_message, reason_of_the_peer, 2)
{
	expect_int(pthread_create(&conn_b.thread, NULL, refuse_one, i ? &pair : NULL), ==, 0);
	expect_error(xrdma_conn_connect("10.66.0.2", "7471", pair.a.qp, NULL, NULL),
		     i ? EBUSY : ECONNREFUSED, "the peer refused: no?!");
	expect_int(conn_join_b(), ==, 0);
	expect_int(side_state(&pair.a), ==, XRDMA_QPS_RESET);
}
