// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "net/burst.h"

#include <linux/udp.h>
#include <stdlib.h>
#include <string.h>

#include "wire/header.h"

void xrdma_burst_clear(struct xrdma_burst *burst)
{
	burst->count = burst->used = 0;
	burst->is_open = false;
}

void xrdma_burst_cut(struct xrdma_burst *burst)
{
	burst->is_open = false;
}

__u32 xrdma_burst_number(const struct xrdma_burst *burst, size_t len)
{
	bool joins = burst->is_open && len <= burst->segment &&
		     burst->segments < XRDMA_BURST_SEGMENTS &&
		     burst->parts[burst->count - 1].iov_len + len <= XRDMA_BURST_MESSAGE_BYTES;

	return joins ? burst->segments : 0;
}

__u8 *xrdma_burst_room(struct xrdma_burst *burst, size_t len)
{
	if (len > XRDMA_BURST_BYTES - burst->used ||
	    (burst->count == XRDMA_BURST_MESSAGES && !xrdma_burst_number(burst, len)))
		return NULL;
	return burst->bytes + burst->used;
}

/* Returns whether packets along both paths look alike but for their payload. */
static bool is_same(const struct xrdma_path *a, const struct xrdma_path *b)
{
	return !memcmp(a->dest, b->dest, sizeof(a->dest)) &&
	       !memcmp(a->source, b->source, sizeof(a->source)) && a->tclass == b->tclass &&
	       a->hop_limit == b->hop_limit;
}

void xrdma_burst_set_path(struct xrdma_burst *burst, const struct xrdma_path *path)
{
	if (!burst->to || !is_same(burst->to, path))
		burst->is_open = false;
	burst->to = path;
}

/* Append a control message to those of the last message. */
static void add_control(struct xrdma_burst *burst, int level, int type, const void *data,
			size_t len)
{
	struct msghdr *msg = &burst->messages[burst->count - 1].msg_hdr;
	struct xrdma_burst_control *control = &burst->controls[burst->count - 1];
	struct cmsghdr *cmsg = (void *)(control->bytes + msg->msg_controllen);

	msg->msg_control = control;
	msg->msg_controllen += CMSG_SPACE(len);
	cmsg->cmsg_level = level;
	cmsg->cmsg_type = type;
	cmsg->cmsg_len = CMSG_LEN(len);
	memcpy(CMSG_DATA(cmsg), data, len);
}

/* Set the segment size of the last message, which has several datagrams, for the kernel. */
static void set_segment_size(struct xrdma_burst *burst)
{
	const __u16 segment = burst->segment;

	add_control(burst, IPPROTO_UDP, UDP_SEGMENT, &segment, sizeof(segment));
	burst->is_segmented[burst->count - 1] = true;
}

/*
 * Address the last message along PATH, by a socket that sends IPv6 and IPv4 (ipv6(7)). The kernel
 * would not send to an address of this host from a given netdev.
 */
static void address(struct xrdma_burst *burst, const struct xrdma_path *path)
{
	struct sockaddr_in6 *name = &burst->names[burst->count - 1];
	struct msghdr *msg = &burst->messages[burst->count - 1].msg_hdr;
	const int tclass = path->tclass, hop_limit = path->hop_limit;
	struct in6_pktinfo from = { .ipi6_ifindex = path->is_local ? 0 : path->ifindex };
	const bool ipv4 = xrdma_path_is_ipv4(path);

	*name = (struct sockaddr_in6){ .sin6_family = AF_INET6,
				       .sin6_port = htons(XRDMA_UDP_PORT) };
	memcpy(&name->sin6_addr, path->dest, sizeof(name->sin6_addr));
	if (xrdma_addr_is_link_local(path->dest))
		name->sin6_scope_id = path->ifindex;
	msg->msg_name = name;
	msg->msg_namelen = sizeof(*name);
	memcpy(&from.ipi6_addr, path->source, sizeof(from.ipi6_addr));
	add_control(burst, IPPROTO_IPV6, IPV6_PKTINFO, &from, sizeof(from));
	if (hop_limit != XRDMA_HOP_LIMIT)
		add_control(burst, ipv4 ? IPPROTO_IP : IPPROTO_IPV6, ipv4 ? IP_TTL : IPV6_HOPLIMIT,
			    &hop_limit, sizeof(hop_limit));
	if (tclass)
		add_control(burst, ipv4 ? IPPROTO_IP : IPPROTO_IPV6, ipv4 ? IP_TOS : IPV6_TCLASS,
			    &tclass, sizeof(tclass));
}

static void begin_message(struct xrdma_burst *burst, size_t len, struct xrdma_burst_mark mark)
{
	__u32 at = burst->count++;

	burst->parts[at] = (struct iovec){ burst->bytes + burst->used, len };
	burst->messages[at].msg_hdr = (struct msghdr){
		.msg_iov = &burst->parts[at],
		.msg_iovlen = 1,
	};
	burst->marks[at] = mark;
	burst->is_segmented[at] = false;
	if (burst->to)
		address(burst, burst->to);
	burst->segment = len;
	burst->segments = 1;
	burst->is_open = true;
}

void xrdma_burst_add(struct xrdma_burst *burst, size_t len, struct xrdma_burst_mark mark)
{
	if (!xrdma_burst_number(burst, len)) {
		begin_message(burst, len, mark);
	} else {
		burst->parts[burst->count - 1].iov_len += len;
		if (burst->segments++ == 1)
			set_segment_size(burst);
		burst->is_open = len == burst->segment;
	}
	burst->used += len;
}

void xrdma_bursts_init(struct xrdma_bursts *bursts)
{
	xrdma_spin_init(&bursts->lock, XRDMA_RANK_BURSTS);
	bursts->free = NULL;
}

void xrdma_bursts_exit(struct xrdma_bursts *bursts)
{
	struct xrdma_burst *burst;

	while ((burst = bursts->free)) {
		bursts->free = burst->next;
		free(burst);
	}
}

struct xrdma_burst *xrdma_bursts_take(struct xrdma_bursts *bursts)
{
	struct xrdma_burst *burst;

	xrdma_spin_lock(&bursts->lock);
	burst = bursts->free;
	if (burst)
		bursts->free = burst->next;
	xrdma_spin_unlock(&bursts->lock);
	if (!burst)
		burst = malloc(sizeof(*burst));
	if (!burst)
		return NULL;
	xrdma_burst_clear(burst);
	burst->to = NULL;
	return burst;
}

void xrdma_bursts_give(struct xrdma_bursts *bursts, struct xrdma_burst *burst)
{
	xrdma_spin_lock(&bursts->lock);
	burst->next = bursts->free;
	bursts->free = burst;
	xrdma_spin_unlock(&bursts->lock);
}
