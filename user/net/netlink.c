// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "net/netlink.h"

#include <errno.h>
#include <linux/netlink.h>
#include <sys/socket.h>

/* Bytes of a message. The kernel sends no longer parts of a list to a reader of 32 KiB. */
enum { ANSWER_MAX = 32768 };

/*
 * Receive an answer. It ends with its acknowledgement, a list with NLMSG_DONE: mnl_cb_run() returns
 * 0 for both.
 */
static int receive(struct mnl_socket *socket, unsigned int seq, mnl_cb_t visit, void *arg)
{
	char answer[ANSWER_MAX];
	ssize_t len;
	int more;

	do {
		len = mnl_socket_recvfrom(socket, answer, sizeof(answer));
		more = len < 0 ? -1 : mnl_cb_run(answer, len, seq, 0, visit, arg);
	} while (more > 0);
	return more < 0 ? -errno : 0;
}

int xrdma_netlink_request(int family, struct nlmsghdr *request, mnl_cb_t visit, void *arg)
{
	struct mnl_socket *socket = mnl_socket_open2(family, SOCK_CLOEXEC);
	int err = 0;

	if (!socket)
		return -errno;
	request->nlmsg_seq = 1;
	request->nlmsg_flags |= NLM_F_REQUEST | NLM_F_ACK;
	if (mnl_socket_sendto(socket, request, request->nlmsg_len) < 0)
		err = -errno;
	if (!err)
		err = receive(socket, request->nlmsg_seq, visit, arg);
	mnl_socket_close(socket);
	return err;
}
