/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * A frame at a netdev's tc ingress is an skb. The program sees its linear part. The kernel can make
 * the skb longer and shorter, so xrdma_frame_can_grow() needs no trial here (see hook_xdp.bpf.h).
 */
#ifndef XRDMA_ARRIVE_HOOK_TC_BPF_H
#define XRDMA_ARRIVE_HOOK_TC_BPF_H

#include <linux/bpf.h>
#include <linux/pkt_cls.h>

#include "lib/bounds.bpf.h"
#include "wire/ip.h"

typedef struct __sk_buff xrdma_ctx;

/* The actions of hook_xdp.bpf.h. A frame that passes goes to the next program at the hook. */
enum {
	XRDMA_FRAME_PASS = TC_ACT_UNSPEC,
	XRDMA_FRAME_DROP = TC_ACT_SHOT,
	XRDMA_FRAME_LOST = TC_ACT_SHOT,
};

/* Set before the program is loaded: it serves the frames that the XDP program passes. */
const volatile bool xrdma_is_behind = false;

static __always_inline bool xrdma_frame_is_deferred(void)
{
	return xrdma_is_behind;
}

/* Set before the program is loaded: ifindex of lo, if the host sends to itself by it, or 0. */
const volatile __u32 xrdma_local = 0;

static __always_inline bool xrdma_frame_is_local(const xrdma_ctx *ctx)
{
	return xrdma_local && ctx->ifindex == xrdma_local;
}

enum { XRDMA_FRAME_IS_COPIED = false };

/* A call costs no time that can be measured here. It saves the verifier a fifth of its work. */
enum { XRDMA_ICRC_IS_INLINE = false };

/*
 * A program at tc can send copies of a frame. This is the work of a program of its own, the sender
 * (responder/sender.bpf.h), because one program for both would be too much for the verifier.
 */
enum { XRDMA_HAS_SENDER = true, XRDMA_FRAME_TO_SENDER = 256 };

enum { XRDMA_CALL_SENDER, XRDMA_CALL_SEGMENT };

int xrdma_sender(struct __sk_buff *ctx);
int xrdma_tc(struct __sk_buff *ctx);

struct {
	__uint(type, BPF_MAP_TYPE_PROG_ARRAY);
	__uint(max_entries, 2);
	__uint(key_size, sizeof(__u32));
	__array(values, int(struct __sk_buff *));
} xrdma_tailcalls SEC(".maps") = { .values = {
					   [XRDMA_CALL_SENDER] = (void *)&xrdma_sender,
					   [XRDMA_CALL_SEGMENT] = (void *)&xrdma_tc,
				   } };

/* Call the sender. Returns only if that fails. */
static __always_inline int xrdma_frame_call_sender(xrdma_ctx *ctx)
{
	bpf_tail_call(ctx, &xrdma_tailcalls, XRDMA_CALL_SENDER);
	return XRDMA_FRAME_LOST;
}

/* Run this program again. Returns only if that fails: the kernel allows 33 calls a frame. */
static __always_inline void xrdma_frame_call_again(xrdma_ctx *ctx)
{
	bpf_tail_call(ctx, &xrdma_tailcalls, XRDMA_CALL_SEGMENT);
}

/* Returns the bytes of a datagram if the frame has several (super.bpf.h), else 0. */
static __always_inline __u32 xrdma_frame_segment(const xrdma_ctx *ctx)
{
	return ctx->gso_size;
}

/* The marks of frames that the program has queued at the ingress. No other packet has them. */
enum {
	XRDMA_MARK_SENDER = 0x58520000,
	XRDMA_MARK_YIELDS = 0xff, /* how many times the frame still yields */
	XRDMA_MARK_SEGMENTS = 0x58530000,
	XRDMA_MARK_INDEX = 0xffff, /* of the first segment to look at */
};

/* Returns the index of the first segment of a super packet to look at. */
static __always_inline __u32 xrdma_frame_first_segment(const xrdma_ctx *ctx)
{
	return (ctx->mark & ~XRDMA_MARK_INDEX) == XRDMA_MARK_SEGMENTS ? ctx->mark & XRDMA_MARK_INDEX
								      : 0;
}

/* Queue a copy of the super packet at the ingress, for its segments from INDEX on. */
static __always_inline void xrdma_frame_requeue_segments(xrdma_ctx *ctx, __u32 index)
{
	ctx->mark = XRDMA_MARK_SEGMENTS | (index & XRDMA_MARK_INDEX);
	bpf_clone_redirect(ctx, ctx->ifindex, BPF_F_INGRESS);
	ctx->mark = 0;
}

/* The trailer of the sender's frame, behind its packet, for the next pass. */
struct xrdma_trailer {
	__u64 sender; /* name of the frame (struct xrdma_respq) */
	__u32 passes; /* of the CPU, at the frame's last pass */
	__u16 sent;   /* passes that have sent something */
	__u16 waited; /* last passes in a row that have found the queue pair locked */
};

/*
 * Set before the program is loaded: how many times a frame yields between two passes. The kernel
 * takes 64 frames at a time (net.core.dev_weight) from the queue at an ingress, and from the ring
 * of a veth, which has room for 256. Frames of lo do not yield.
 */
const volatile __u32 xrdma_yields = 0;

/* Returns whether the frame has had a pass of the sender. */
static __always_inline bool xrdma_frame_is_resumed(const xrdma_ctx *ctx)
{
	return (ctx->mark & ~XRDMA_MARK_YIELDS) == XRDMA_MARK_SENDER;
}

/* Returns whether the frame yields once more. */
static __always_inline bool xrdma_frame_yields(const xrdma_ctx *ctx)
{
	return xrdma_yields && xrdma_frame_is_resumed(ctx) && ctx->mark & XRDMA_MARK_YIELDS;
}

static __always_inline int xrdma_frame_yield(xrdma_ctx *ctx)
{
	ctx->mark--;
	return bpf_redirect(ctx->ifindex, BPF_F_INGRESS);
}

/* Read the trailer of the frame. Returns false if it has none. */
static __always_inline bool xrdma_frame_load_trailer(xrdma_ctx *ctx, struct xrdma_trailer *trailer)
{
	return ctx->len > sizeof(*trailer) &&
	       !bpf_skb_load_bytes(ctx, ctx->len - sizeof(*trailer), trailer, sizeof(*trailer));
}

/* Queue the frame at the ingress for its next pass. */
static __always_inline int xrdma_frame_resume_later(xrdma_ctx *ctx)
{
	ctx->mark = XRDMA_MARK_SENDER;
	if (!xrdma_frame_is_local(ctx))
		ctx->mark |= xrdma_yields & XRDMA_MARK_YIELDS;
	return bpf_redirect(ctx->ifindex, BPF_F_INGRESS);
}

/* Queue a copy of the frame, which ends with its struct xrdma_trailer, for its first pass. */
static __always_inline void xrdma_frame_resume_copy(xrdma_ctx *ctx)
{
	ctx->mark = XRDMA_MARK_SENDER;
	bpf_clone_redirect(ctx, ctx->ifindex, BPF_F_INGRESS);
	ctx->mark = 0;
}

/* A qdisc has taken the frame and dropped an older one (NET_XMIT_CN), as fq_codel does. */
enum { XRDMA_XMIT_CN = 2 };

/* Send a copy of the frame by the netdev that it came from. */
static __always_inline bool xrdma_frame_send(xrdma_ctx *ctx)
{
	long result = bpf_clone_redirect(ctx, ctx->ifindex, 0);

	return !result || result == XRDMA_XMIT_CN;
}

static __always_inline __u32 xrdma_frame_len(const xrdma_ctx *ctx)
{
	return ctx->len;
}

/* Returns the VLAN of the first tag, which the kernel has taken off and keeps in the skb. */
static __always_inline __u16 xrdma_frame_vlan(const xrdma_ctx *ctx)
{
	return ctx->vlan_present ? ctx->vlan_tci & XRDMA_VLAN_ID_MASK : 0;
}

static __always_inline bool xrdma_frame_load(xrdma_ctx *ctx, __u32 at, void *into, __u32 len)
{
	return !bpf_skb_load_bytes(ctx, at, into, len);
}

static __always_inline bool xrdma_frame_store(xrdma_ctx *ctx, __u32 at, void *from, __u32 len)
{
	return !bpf_skb_store_bytes(ctx, at, from, len, 0);
}

/* Make the first LEN bytes of the frame linear. */
static __always_inline bool xrdma_frame_gather(xrdma_ctx *ctx, void *copy, __u32 len)
{
	(void)copy;
	return !bpf_skb_pull_data(ctx, len);
}

static __always_inline bool xrdma_frame_can_grow(xrdma_ctx *ctx, __s32 lack)
{
	(void)ctx, (void)lack;
	return true;
}

/* Make the frame LEN bytes long, all of them linear. */
static __always_inline bool xrdma_frame_become(xrdma_ctx *ctx, __u32 had, __u32 len)
{
	(void)had;
	return !bpf_skb_change_tail(ctx, len, 0);
}

static __always_inline bool xrdma_frame_resize(xrdma_ctx *ctx, __u32 had, __s32 more)
{
	(void)had;
	return !bpf_skb_change_tail(ctx, ctx->len + more, 0);
}

/*
 * The kernel or the netdev may still have to compute the UDP checksum of a frame from a socket of
 * this machine (CHECKSUM_PARTIAL). It begins with the value in the UDP header, which must be the
 * sum of the pseudo-header.
 */
enum { XRDMA_FRAME_MAY_LACK_CHECKSUM = true };

/*
 * Set the UDP checksum at AT, which is VALUE, to 0, for none, unless it is still to be computed.
 * The program cannot see the difference, but the helper can. The call says that a word of the
 * packet has changed from 0 to VALUE. So the helper changes the checksum VALUE to 0, but does not
 * change a checksum that is still to be computed.
 */
static __always_inline bool xrdma_frame_clear_checksum(xrdma_ctx *ctx, __u32 at, __u16 value)
{
	return !bpf_l4_csum_replace(ctx, at, 0, value, sizeof(value));
}

static __always_inline int xrdma_frame_return(const xrdma_ctx *ctx)
{
	return bpf_redirect(ctx->ifindex, 0);
}

#endif
