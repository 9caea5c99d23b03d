// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "net/burst.h"

#include <linux/udp.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

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

/* Set the segment size of the last message, which has several datagrams, for the kernel. */
static void set_segment_size(struct xrdma_burst *burst)
{
	struct msghdr *msg = &burst->messages[burst->count - 1].msg_hdr;
	__u16 segment = burst->segment;
	struct cmsghdr *cmsg;

	msg->msg_control = &burst->controls[burst->count - 1];
	msg->msg_controllen = sizeof(burst->controls[0]);
	cmsg = CMSG_FIRSTHDR(msg);
	cmsg->cmsg_level = IPPROTO_UDP;
	cmsg->cmsg_type = UDP_SEGMENT;
	cmsg->cmsg_len = CMSG_LEN(sizeof(segment));
	memcpy(CMSG_DATA(cmsg), &segment, sizeof(segment));
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
	if (burst)
		xrdma_burst_clear(burst);
	return burst;
}

void xrdma_bursts_give(struct xrdma_bursts *bursts, struct xrdma_burst *burst)
{
	xrdma_spin_lock(&bursts->lock);
	burst->next = bursts->free;
	bursts->free = burst;
	xrdma_spin_unlock(&bursts->lock);
}
