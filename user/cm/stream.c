// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "cm/stream.h"

#include <errno.h>
#include <limits.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lib/addr.h"
#include "lib/clock.h"
#include "lib/error.h"

enum { BACKLOG = 64, PATIENCE_MS = 1000 };

static int resolve(const char *address, const char *port, int flags, struct addrinfo **found)
{
	const struct addrinfo hints = {
		.ai_family = AF_UNSPEC,
		.ai_socktype = SOCK_STREAM,
		.ai_flags = flags,
	};
	int err = getaddrinfo(address, port, &hints, found);

	if (!err)
		return 0;
	return xrdma_fail(EINVAL, "address %s, port %s: %s", address ? address : "any", port,
			  gai_strerror(err));
}

/*
 * Listen at one address. At an IPv6 wildcard address IPv4 is accepted too, whatever
 * net.ipv6.bindv6only says. A connection without data is not given to accept().
 */
static int listen_at(const struct addrinfo *at, int *listener)
{
	const int on = 1, off = 0, patience_s = PATIENCE_MS / 1000;
	int err, fd = socket(at->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return -errno;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	setsockopt(fd, IPPROTO_TCP, TCP_DEFER_ACCEPT, &patience_s, sizeof(patience_s));
	if (at->ai_family == AF_INET6)
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off));
	if (bind(fd, at->ai_addr, at->ai_addrlen) || listen(fd, BACKLOG)) {
		err = errno;
		close(fd);
		return -err;
	}
	*listener = fd;
	return 0;
}

/*
 * Listen at the first address that works. IPv6 comes first. IPv4 alone is used where the kernel has
 * no IPv6.
 */
static int listen_at_any(const struct addrinfo *found, int *listener)
{
	const int families[] = { AF_INET6, AF_INET };
	int err = -EAFNOSUPPORT;

	for (size_t i = 0; i < 2 && (err == -EAFNOSUPPORT || err == -EADDRNOTAVAIL); i++)
		for (const struct addrinfo *at = found; at; at = at->ai_next)
			if (at->ai_family == families[i]) {
				err = listen_at(at, listener);
				break;
			}
	return err;
}

int xrdma_stream_listen(const char *address, const char *port, int *listener)
{
	struct addrinfo *found;
	int err = resolve(address, port, AI_PASSIVE, &found);

	if (err)
		return err;
	err = address ? listen_at(found, listener) : listen_at_any(found, listener);
	freeaddrinfo(found);
	if (!err)
		return 0;
	return xrdma_fail(-err, "cannot listen at %s, port %s: %s", address ? address : "any", port,
			  strerror(-err));
}

/*
 * Wait for EVENTS until the deadline. Signals do not end the wait, and it may take longer than the
 * longest timeout of poll().
 */
static int wait_for(struct xrdma_stream *stream, short events)
{
	struct pollfd ready = { .fd = stream->fd, .events = events };
	bool again = true;
	int got = 0;

	while (again) {
		const __u64 now = xrdma_now_ms();
		const __u64 left = stream->deadline > now ? stream->deadline - now : 0;

		got = poll(&ready, 1, left < INT_MAX ? left : INT_MAX);
		again = got < 0 ? errno == EINTR : !got && left;
	}
	if (got < 0)
		return xrdma_fail(errno, "poll: %s", strerror(errno));
	return got ? 0 : xrdma_fail(ETIMEDOUT, "the peer is silent");
}

static void limit(struct xrdma_stream *stream, __u32 wait_ms)
{
	stream->deadline = xrdma_now_ms() + wait_ms;
}

int xrdma_stream_accept(int listener, __u32 wait_ms, struct xrdma_stream *stream)
{
	stream->fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
	limit(stream, wait_ms);
	if (stream->fd >= 0)
		return 0;
	if (errno == ECONNABORTED || errno == EINTR)
		return -EAGAIN;
	return errno == EAGAIN ? -EAGAIN : xrdma_fail(errno, "accept: %s", strerror(errno));
}

static int bind_to_source(int fd, const struct sockaddr *to,
			  const struct xrdma_stream_chooser *chooser)
{
	struct sockaddr_storage own;
	__be32 dest[4], source[4] = { 0 };
	socklen_t len;
	int err;

	xrdma_addr_of_socket(dest, to);
	err = chooser->choose(dest, source, chooser->arg);
	if (err || xrdma_addr_is_unset(source))
		return err;
	len = xrdma_addr_to_socket(source, chooser->ifindex, &own);
	return bind(fd, (const struct sockaddr *)&own, len) ? -errno : 0;
}

static int connect_to(const struct addrinfo *to, const struct xrdma_stream_chooser *chooser,
		      struct xrdma_stream *stream)
{
	int err;
	socklen_t len = sizeof(err);

	stream->fd = socket(to->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (stream->fd < 0)
		return -errno;
	err = bind_to_source(stream->fd, to->ai_addr, chooser);
	if (!err && connect(stream->fd, to->ai_addr, to->ai_addrlen))
		err = -errno;
	if (err == -EINPROGRESS) {
		err = wait_for(stream, POLLOUT);
		if (!err) {
			getsockopt(stream->fd, SOL_SOCKET, SO_ERROR, &err, &len);
			err = -err;
		}
	}
	if (err)
		close(stream->fd);
	return err;
}

int xrdma_stream_connect(const char *address, const char *port,
			 const struct xrdma_stream_chooser *chooser, __u32 wait_ms,
			 struct xrdma_stream *stream)
{
	struct addrinfo *found, *each;
	int err = resolve(address, port, 0, &found);

	if (err)
		return err;
	limit(stream, wait_ms);
	for (each = found; each; each = each->ai_next) {
		err = connect_to(each, chooser, stream);
		if (!err)
			break;
	}
	freeaddrinfo(found);
	if (!err)
		return 0;
	return xrdma_fail(-err, "cannot connect to %s, port %s: %s", address, port, strerror(-err));
}

void xrdma_stream_close(struct xrdma_stream *stream)
{
	close(stream->fd);
}

/*
 * Evaluate a step that moved GOT bytes or failed. Returns 0, an error, the end of the stream, or
 * -EAGAIN if nothing has arrived yet.
 */
static int check_step(struct xrdma_stream *stream, ssize_t got, short events)
{
	if (got > 0)
		return 0;
	if (got < 0 && errno == EAGAIN)
		return wait_for(stream, events);
	if (got < 0 && errno == EINTR)
		return 0;
	if (!got || errno == EPIPE || errno == ECONNRESET)
		return xrdma_fail(ECONNRESET, "the peer has closed the connection");
	return xrdma_fail(errno, "the connection to the peer failed: %s", strerror(errno));
}

int xrdma_stream_send(struct xrdma_stream *stream, const void *bytes, size_t len)
{
	const char *at = bytes, *end = at + len;
	int err = 0;

	while (!err && at < end) {
		ssize_t got = send(stream->fd, at, end - at, MSG_NOSIGNAL);

		err = check_step(stream, got, POLLOUT);
		at += got > 0 ? got : 0;
	}
	return err;
}

int xrdma_stream_receive(struct xrdma_stream *stream, void *bytes, size_t len)
{
	char *at = bytes, *end = at + len;
	int err = 0;

	while (!err && at < end) {
		ssize_t got = recv(stream->fd, at, end - at, 0);

		err = check_step(stream, got, POLLIN);
		at += got > 0 ? got : 0;
	}
	return err;
}

int xrdma_stream_receive_some(struct xrdma_stream *stream, void *bytes, size_t len, size_t *done)
{
	int err = 0;

	while (!err && *done < len) {
		ssize_t got = recv(stream->fd, (char *)bytes + *done, len - *done, 0);

		if (got < 0 && errno == EAGAIN)
			return -EAGAIN;
		err = check_step(stream, got, POLLIN);
		*done += got > 0 ? got : 0;
	}
	return err;
}

void xrdma_stream_addr(const struct xrdma_stream *stream, __be32 addr[4])
{
	struct sockaddr_storage own = { 0 };
	socklen_t len = sizeof(own);

	getsockname(stream->fd, (struct sockaddr *)&own, &len);
	xrdma_addr_of_socket(addr, (struct sockaddr *)&own);
}

void xrdma_stream_peer(const struct xrdma_stream *stream, __be32 addr[4])
{
	struct sockaddr_storage peer = { 0 };
	socklen_t len = sizeof(peer);

	getpeername(stream->fd, (struct sockaddr *)&peer, &len);
	xrdma_addr_of_socket(addr, (struct sockaddr *)&peer);
}
