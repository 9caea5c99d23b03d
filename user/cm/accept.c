// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * xrdma_conn_accept(): the passive side. A peer may stop sending after any message. Therefore
 * several peers are served at the same time, and the first one that has sent all of its messages
 * gets the queue pair. If a peer answers quickly, no other one is accepted.
 */
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cm/exchange.h"
#include "lib/addr.h"
#include "lib/clock.h"
#include "lib/error.h"
#include "queue/qp.h"

enum {
	OTHERS_WAIT_MS = 50, /* after this time without a result, the next peer is accepted, too */
	PEERS_MAX = 64,
};

struct peer {
	struct xrdma_exchange e;
	__u64 since; /* ms */
	bool has_reply;
};

/* One call of xrdma_conn_accept(). PEERS is in the order of arrival. */
struct accepting {
	int listener;
	const struct xrdma_exchange *begun; /* initial state of each peer's exchange */
	struct peer *peers[PEERS_MAX];
	unsigned int count;
};

/*
 * Check that the peer's IP address is the one from which it connected, so that packets go nowhere
 * else.
 */
static int check_peer(const struct xrdma_exchange *e)
{
	char claimed[INET6_ADDRSTRLEN], actual[INET6_ADDRSTRLEN];
	__be32 addr[4];

	xrdma_stream_peer(&e->stream, addr);
	if (!memcmp(addr, e->theirs.addr, sizeof(addr)))
		return 0;
	return xrdma_fail(EACCES, "the peer says that it is %s, but has connected from %s",
			  xrdma_addr_print(e->theirs.addr, claimed),
			  xrdma_addr_print(addr, actual));
}

static struct peer *take_out(struct accepting *a, unsigned int i)
{
	struct peer *peer = a->peers[i];

	a->count--;
	memmove(&a->peers[i], &a->peers[i + 1], (a->count - i) * sizeof(a->peers[0]));
	return peer;
}

/*
 * Send the reason to peer I, and remove it from the list. Returns ERR. xrdma_error() does not
 * change.
 */
static int drop(struct accepting *a, unsigned int i, int err)
{
	struct peer *peer = take_out(a, i);

	xrdma_exchange_refuse(&peer->e, err);
	free(peer);
	return err;
}

static int add(struct accepting *a)
{
	struct peer *peer = malloc(sizeof(*peer));
	int err;

	if (!peer)
		return xrdma_fail(ENOMEM, "no memory for a peer");
	peer->e = *a->begun;
	peer->since = xrdma_now_ms();
	peer->has_reply = false;
	err = xrdma_stream_accept(a->listener, peer->e.attr.wait_ms, &peer->e.stream);
	if (err) {
		free(peer);
		return err;
	}
	if (a->count == PEERS_MAX)
		drop(a, 0, xrdma_fail(EBUSY, "too many peers connect at once: try again"));
	a->peers[a->count++] = peer;
	return 0;
}

/* Receive more from PEER. Returns 0 if it has sent all its messages, or -EAGAIN. */
static int go_on(struct peer *peer)
{
	struct xrdma_exchange *e = &peer->e;
	int err;

	if (peer->has_reply)
		return xrdma_exchange_receive_some(e, XRDMA_MESSAGE_RTU);
	err = xrdma_exchange_receive_some(e, XRDMA_MESSAGE_REQ) ?: xrdma_exchange_introduce(e)
	      ?: check_peer(e) ?: xrdma_exchange_send(e, XRDMA_MESSAGE_REP);
	if (err)
		return err;
	peer->has_reply = true;
	return -EAGAIN;
}

/*
 * Receive more from all peers. Returns the number of one that has sent all its messages, -EAGAIN,
 * or the error of the last peer if none is left.
 */
static int go_on_with_all(struct accepting *a)
{
	int err;

	for (unsigned int i = 0; i < a->count;) {
		err = go_on(a->peers[i]);
		if (!err)
			return i;
		if (err == -EAGAIN && xrdma_now_ms() >= a->peers[i]->e.stream.deadline)
			err = xrdma_fail(ETIMEDOUT, "the peer is silent");
		if (err == -EAGAIN)
			i++;
		else if (drop(a, i, err) && !a->count)
			return err;
	}
	return -EAGAIN;
}

/*
 * Returns the number of ms after which to act although no peer has sent anything, or -1 for no
 * limit.
 */
static int patience(const struct accepting *a, bool *takes_others)
{
	const __u64 now = xrdma_now_ms();
	__u64 until;

	*takes_others = true;
	if (!a->count)
		return -1;
	until = a->peers[a->count - 1]->since + OTHERS_WAIT_MS;
	*takes_others = now >= until;
	if (*takes_others)
		until = XRDMA_NEVER;
	for (unsigned int i = 0; i < a->count; i++)
		if (a->peers[i]->e.stream.deadline < until)
			until = a->peers[i]->e.stream.deadline;
	if (until <= now)
		return 0;
	return until - now < INT_MAX ? until - now : INT_MAX;
}

/* Wait until a peer has sent something or has connected, or until one was silent for too long. */
static int wait_for_peers(struct accepting *a)
{
	struct pollfd ready[PEERS_MAX + 1];
	bool takes_others;
	const int ms = patience(a, &takes_others);

	for (unsigned int i = 0; i < a->count; i++)
		ready[i] = (struct pollfd){ .fd = a->peers[i]->e.stream.fd, .events = POLLIN };
	ready[a->count] =
		(struct pollfd){ .fd = takes_others ? a->listener : -1, .events = POLLIN };
	if (poll(ready, a->count + 1, ms) < 0)
		return errno == EINTR ? 0 : xrdma_fail(errno, "poll: %s", strerror(errno));
	return ready[a->count].revents ? add(a) : 0;
}

/*
 * Find the first peer that has sent all its messages. Returns its number in the list, or an error.
 */
static int find(struct accepting *a)
{
	int found = -EAGAIN, err = 0;

	while (found == -EAGAIN && (!err || err == -EAGAIN)) {
		err = wait_for_peers(a);
		found = go_on_with_all(a);
	}
	return err && err != -EAGAIN ? err : found;
}

static int accept_one(struct accepting *a, struct peer **peer)
{
	int i = find(a), err = i;

	*peer = NULL;
	if (i >= 0) {
		*peer = take_out(a, i);
		err = xrdma_exchange_bring_up(&(*peer)->e)
			      ?: xrdma_exchange_send(&(*peer)->e, XRDMA_MESSAGE_RDY);
	}
	return err;
}

/* Close the connections to all peers. xrdma_error() does not change. */
static void drop_all(struct accepting *a)
{
	char message[XRDMA_ERROR_MAX];

	strcpy(message, xrdma_error());
	while (a->count)
		drop(a, 0, xrdma_fail(EBUSY, "another peer was faster: try again"));
	xrdma_fail(0, "%s", message);
}

int xrdma_conn_listen(const char *address, const char *port, int *listener)
{
	return xrdma_stream_listen(address, port, listener);
}

int xrdma_conn_accept(int listener, struct xrdma_qp *qp, const struct xrdma_conn_attr *attr,
		      struct xrdma_conn_peer *peer)
{
	struct xrdma_exchange begun;
	struct accepting accepting = { .listener = listener, .begun = &begun };
	int err = xrdma_exchange_begin(&begun, qp, attr, peer);
	struct peer *first;

	if (err)
		return err;
	err = accept_one(&accepting, &first);
	if (err)
		xrdma_exchange_reset(qp, err);
	if (first && err)
		xrdma_exchange_refuse(&first->e, err);
	else if (first)
		xrdma_exchange_end(&first->e, peer);
	free(first);
	drop_all(&accepting);
	return err;
}
