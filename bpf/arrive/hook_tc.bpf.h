/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * A frame, as the kernel hands it to a program at a netdev's tc ingress: an skb, of which the
 * program sees what is linear. The kernel makes it longer and shorter in whatever way, so that what
 * hook_xdp.bpf.h must try out needs no trial here.
 */
#ifndef XRDMA_ARRIVE_HOOK_TC_BPF_H
#define XRDMA_ARRIVE_HOOK_TC_BPF_H

#include <linux/bpf.h>
#include <linux/pkt_cls.h>

#include "lib/bounds.bpf.h"
#include "wire/ip.h"

typedef struct __sk_buff xrdma_ctx;

/* As in hook_xdp.bpf.h. What passes, goes on to the next program at the hook. */
enum {
	XRDMA_FRAME_PASS = TC_ACT_UNSPEC,
	XRDMA_FRAME_DROP = TC_ACT_SHOT,
	XRDMA_FRAME_LOST = TC_ACT_SHOT,
};

/* Set before it is loaded: it stands behind the XDP program, and serves what that leaves. */
const volatile bool xrdma_is_behind = false;

static __always_inline bool xrdma_frame_is_left(void)
{
	return xrdma_is_behind;
}

/* Set before it is loaded: the netdev by which the host's packets to itself go, lo. 0: none. */
const volatile __u32 xrdma_local = 0;

static __always_inline bool xrdma_frame_is_local(const xrdma_ctx *ctx)
{
	return xrdma_local && ctx->ifindex == xrdma_local;
}

enum { XRDMA_FRAME_IS_COPIED = false };

/* A call costs no time that can be measured here. It saves the verifier a fifth of its work. */
enum { XRDMA_ICRC_IS_INLINE = false };

/*
 * More frames may leave than arrive. They are sent by a program of its own, since one that is
 * called by another has what that has left of the stack and of the verifier's patience.
 */
enum { XRDMA_FRAME_MAY_FOLLOW = true, XRDMA_FRAME_FOLLOWS = 256 };

enum { XRDMA_FOLLOW_ANSWER, XRDMA_FOLLOW_SEGMENT };

int xrdma_answer(struct __sk_buff *ctx);
int xrdma_tc(struct __sk_buff *ctx);

struct {
	__uint(type, BPF_MAP_TYPE_PROG_ARRAY);
	__uint(max_entries, 2);
	__uint(key_size, sizeof(__u32));
	__array(values, int(struct __sk_buff *));
} xrdma_follow SEC(".maps") = { .values = {
					[XRDMA_FOLLOW_ANSWER] = (void *)&xrdma_answer,
					[XRDMA_FOLLOW_SEGMENT] = (void *)&xrdma_tc,
				} };

/* The other program goes on. Returns only if it cannot. */
static __always_inline int xrdma_frame_follow(xrdma_ctx *ctx)
{
	bpf_tail_call(ctx, &xrdma_follow, XRDMA_FOLLOW_ANSWER);
	return XRDMA_FRAME_LOST;
}

/* This program begins anew. Returns only if it has too often: 33 times a frame, the kernel says. */
static __always_inline void xrdma_frame_run_again(xrdma_ctx *ctx)
{
	bpf_tail_call(ctx, &xrdma_follow, XRDMA_FOLLOW_SEGMENT);
}

/* Bytes of a datagram, where the frame has several (super.bpf.h); else 0. */
static __always_inline __u32 xrdma_frame_segment(const xrdma_ctx *ctx)
{
	return ctx->gso_size;
}

/* The marks of frames that come again. No packet has them that comes from elsewhere. */
enum {
	XRDMA_MARK_GOES_ON = 0x58520000,
	XRDMA_MARK_TURNS = 0xff, /* in which it only lets others have theirs */
	XRDMA_MARK_SEGMENTS = 0x58530000,
	XRDMA_MARK_INDEX = 0xffff, /* of the first segment that is to be looked at */
};

/* The first segment of a super packet that no frame has been looked at for yet. */
static __always_inline __u32 xrdma_frame_first_segment(const xrdma_ctx *ctx)
{
	return (ctx->mark & ~XRDMA_MARK_INDEX) == XRDMA_MARK_SEGMENTS ? ctx->mark & XRDMA_MARK_INDEX
								      : 0;
}

/* A copy of the super packet comes again, for its segments from INDEX on. */
static __always_inline void xrdma_frame_leave_segments(xrdma_ctx *ctx, __u32 index)
{
	ctx->mark = XRDMA_MARK_SEGMENTS | (index & XRDMA_MARK_INDEX);
	bpf_clone_redirect(ctx, ctx->ifindex, BPF_F_INGRESS);
	ctx->mark = 0;
}

/* The end of a frame that goes on, behind its packet. Its next run reads it. */
struct xrdma_round {
	__u64 sender; /* the frame's name (struct xrdma_owed) */
	__u32 turn;   /* of the CPU, at the frame's last run */
	__u16 sent;   /* how many runs have sent something */
	__u16 waited; /* how many runs in a row have found the queue pair busy */
};

/*
 * Set before it is loaded: how many. What is redirected to an ingress, and what a veth brings to an
 * XDP program, have turns of 64 frames each (net.core.dev_weight); and a veth has places for 256.
 * What is local needs none.
 */
const volatile __u32 xrdma_turns = 0;

/* Whether the frame has been here before, and is to go on. */
static __always_inline bool xrdma_frame_goes_on(const xrdma_ctx *ctx)
{
	return (ctx->mark & ~XRDMA_MARK_TURNS) == XRDMA_MARK_GOES_ON;
}

/* Whether it is not yet its turn. */
static __always_inline bool xrdma_frame_waits(const xrdma_ctx *ctx)
{
	return xrdma_turns && xrdma_frame_goes_on(ctx) && ctx->mark & XRDMA_MARK_TURNS;
}

static __always_inline int xrdma_frame_wait(xrdma_ctx *ctx)
{
	ctx->mark--;
	return bpf_redirect(ctx->ifindex, BPF_F_INGRESS);
}

/* The end of a frame that goes on. False: it has none. */
static __always_inline bool xrdma_frame_load_round(xrdma_ctx *ctx, struct xrdma_round *round)
{
	return ctx->len > sizeof(*round) &&
	       !bpf_skb_load_bytes(ctx, ctx->len - sizeof(*round), round, sizeof(*round));
}

/* The frame comes again, once others had their turn. */
static __always_inline int xrdma_frame_go_on(xrdma_ctx *ctx)
{
	ctx->mark = XRDMA_MARK_GOES_ON;
	if (!xrdma_frame_is_local(ctx))
		ctx->mark |= xrdma_turns & XRDMA_MARK_TURNS;
	return bpf_redirect(ctx->ifindex, BPF_F_INGRESS);
}

/* A copy of the frame, which ends with its struct xrdma_round, comes again. */
static __always_inline void xrdma_frame_leave_copy(xrdma_ctx *ctx)
{
	ctx->mark = XRDMA_MARK_GOES_ON;
	bpf_clone_redirect(ctx, ctx->ifindex, BPF_F_INGRESS);
	ctx->mark = 0;
}

/* A qdisc has taken the frame and dropped an older one (NET_XMIT_CN), as fq_codel does. */
enum { XRDMA_XMIT_CN = 2 };

/* The frame leaves by the netdev that it came from, and is here still. */
static __always_inline bool xrdma_frame_send(xrdma_ctx *ctx)
{
	long result = bpf_clone_redirect(ctx, ctx->ifindex, 0);

	return !result || result == XRDMA_XMIT_CN;
}

static __always_inline __u32 xrdma_frame_len(const xrdma_ctx *ctx)
{
	return ctx->len;
}

/* The kernel has taken the first tag off, and keeps it beside the frame. */
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

/* All that is to be read of it becomes linear. */
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

/* The frame has LEN bytes, all of them linear. */
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
 * The program cannot see the difference, but the helper can. It is told that a word of the packet
 * has changed from 0 to VALUE. So it makes 0 of the checksum VALUE, but leaves a checksum alone
 * that is still to be computed.
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
