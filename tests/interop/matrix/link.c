// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "link.h"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { PATIENCE = 30 /* s */ };

static struct sockaddr_in address_of(in_addr_t ip)
{
	return (struct sockaddr_in){
		.sin_family = AF_INET,
		.sin_port = htons(LINK_PORT),
		.sin_addr.s_addr = ip,
	};
}

static int without_delay(int link)
{
	const int on = 1;

	setsockopt(link, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	return link;
}

int link_connect(const char *address)
{
	const struct sockaddr_in to = address_of(inet_addr(address));
	const time_t end = time(NULL) + PATIENCE;

	while (time(NULL) < end) {
		int link = socket(AF_INET, SOCK_STREAM, 0);

		if (!connect(link, (const struct sockaddr *)&to, sizeof(to)))
			return without_delay(link);
		close(link);
		usleep(100000);
	}
	return -1;
}

int link_accept(void)
{
	const struct sockaddr_in any = address_of(INADDR_ANY);
	const int on = 1;
	int listener = socket(AF_INET, SOCK_STREAM, 0), link;

	setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (bind(listener, (const struct sockaddr *)&any, sizeof(any)) || listen(listener, 1))
		return -1;
	link = accept(listener, NULL, NULL);
	close(listener);
	return link < 0 ? -1 : without_delay(link);
}

bool link_send(int link, const void *bytes, size_t len)
{
	while (len) {
		ssize_t sent = send(link, bytes, len, MSG_NOSIGNAL);

		if (sent <= 0)
			return false;
		bytes = (const char *)bytes + sent;
		len -= sent;
	}
	return true;
}

bool link_receive(int link, void *bytes, size_t len)
{
	return recv(link, bytes, len, MSG_WAITALL) == (ssize_t)len;
}
