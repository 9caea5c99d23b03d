// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "hosts.h"

#include <arpa/inet.h>
#include <err.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../examples/endpoint.h"
#include "bench.h"
#include "support/netns.h"

enum { TCP_PORT = 7472, TIMESTAMPS = 12 /* options in each segment: RFC 7323 */ };

void hosts_enter(const char *host)
{
	if (!netns_enter(host))
		err(1, "cannot enter the network namespace %s: bench/run.sh makes it", host);
}

void hosts_load(const char *host, const char *netdev, enum xrdma_mode mode)
{
	const struct xrdma_load_attr attr = { .sz = sizeof(attr), .mode = mode };

	hosts_enter(host);
	must(xrdma_device_load(netdev, &attr));
}

void hosts_unload(const char *host, const char *netdev)
{
	hosts_enter(host);
	must(xrdma_device_unload(netdev, false));
}

pid_t hosts_start(void (*run)(const void *of, int ready), const void *of)
{
	int pipe_fds[2];
	pid_t pid;
	char byte;

	if (pipe(pipe_fds))
		err(1, "pipe");
	hosts_enter("b");
	pid = fork();
	if (pid < 0)
		err(1, "fork");
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		bench_pin(1);
		run(of, pipe_fds[1]);
		_exit(0);
	}
	hosts_enter("a");
	close(pipe_fds[1]);
	if (read(pipe_fds[0], &byte, 1) != 1)
		errx(1, "the program on host b does not start");
	close(pipe_fds[0]);
	return pid;
}

void hosts_ready(int ready)
{
	if (write(ready, "", 1) != 1)
		err(1, "write");
}

void hosts_end(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static struct sockaddr_in address(void)
{
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(TCP_PORT) };

	inet_pton(AF_INET, "10.66.0.2", &to.sin_addr);
	return to;
}

static void no_delay(int fd)
{
	const int on = 1;

	if (setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on)))
		err(1, "TCP_NODELAY");
}

int hosts_tcp_accept(int ready)
{
	const struct sockaddr_in to = address();
	int fd, listener = socket(AF_INET, SOCK_STREAM, 0);
	const int on = 1;

	setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (bind(listener, (const struct sockaddr *)&to, sizeof(to)) || listen(listener, 1))
		err(1, "listen");
	hosts_ready(ready);
	fd = accept(listener, NULL, NULL);
	close(listener);
	no_delay(fd);
	return fd;
}

int hosts_tcp_connect(int segment)
{
	const struct sockaddr_in to = address();
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	if (segment) {
		segment += TIMESTAMPS;
		if (setsockopt(fd, IPPROTO_TCP, TCP_MAXSEG, &segment, sizeof(segment)))
			err(1, "TCP_MAXSEG");
	}
	if (connect(fd, (const struct sockaddr *)&to, sizeof(to)))
		err(1, "connect");
	no_delay(fd);
	return fd;
}

/*
 * Send all LEN bytes. One send(2) may send only a part of them if the kernel interrupts the
 * process. This happens after a ring of io_uring(7) was closed.
 */
void hosts_tcp_send(int fd, const void *bytes, size_t len)
{
	const char *at = bytes, *end = at + len;

	while (at < end) {
		const ssize_t sent = send(fd, at, end - at, 0);

		if (sent < 0)
			err(1, "cannot send to the TCP peer");
		at += sent;
	}
}
