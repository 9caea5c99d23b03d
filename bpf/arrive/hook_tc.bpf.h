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

enum { XRDMA_FRAME_IS_COPIED = false };

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

static __always_inline int xrdma_frame_return(const xrdma_ctx *ctx)
{
	return bpf_redirect(ctx->ifindex, 0);
}

#endif
