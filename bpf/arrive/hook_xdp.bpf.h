/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * A frame, as the kernel hands it to an XDP program: in one buffer or in several, of which the
 * program sees the first and has the others copied.
 */
#ifndef XRDMA_ARRIVE_HOOK_XDP_BPF_H
#define XRDMA_ARRIVE_HOOK_XDP_BPF_H

#include <linux/bpf.h>

#include "lib/bounds.bpf.h"

typedef struct xdp_md xrdma_ctx;

/* What becomes of a frame. LOST: it was to be a reply, and could not be made one. */
enum {
	XRDMA_FRAME_PASS = XDP_PASS,
	XRDMA_FRAME_DROP = XDP_DROP,
	XRDMA_FRAME_LOST = XDP_ABORTED,
};

/* Whether an XDP program of ours has seen the frames before, and left them. */
static __always_inline bool xrdma_frame_is_left(void)
{
	return false;
}

/* Whether this host sent it to itself: by lo, which has no XDP. */
static __always_inline bool xrdma_frame_is_local(const xrdma_ctx *ctx)
{
	(void)ctx;
	return false;
}

/* Frames in several buffers stay so; what reads them as a whole reads a copy. */
enum { XRDMA_FRAME_IS_COPIED = true };

/* A call costs a WRITE up to 3 % of its time in this program. */
enum { XRDMA_ICRC_IS_INLINE = true };

/* One frame that arrives is one that leaves: hook_tc.bpf.h has what others need. */
enum { XRDMA_FRAME_MAY_FOLLOW = false, XRDMA_FRAME_FOLLOWS = 256 };

static __always_inline bool xrdma_frame_goes_on(const xrdma_ctx *ctx)
{
	(void)ctx;
	return false;
}

static __always_inline bool xrdma_frame_waits(const xrdma_ctx *ctx)
{
	(void)ctx;
	return false;
}

static __always_inline int xrdma_frame_wait(const xrdma_ctx *ctx)
{
	(void)ctx;
	return XRDMA_FRAME_LOST;
}

static __always_inline int xrdma_frame_follow(const xrdma_ctx *ctx)
{
	(void)ctx;
	return XRDMA_FRAME_LOST;
}

static __always_inline void xrdma_frame_run_again(const xrdma_ctx *ctx)
{
	(void)ctx;
}

static __always_inline __u32 xrdma_frame_first_segment(const xrdma_ctx *ctx)
{
	(void)ctx;
	return 0;
}

static __always_inline void xrdma_frame_leave_segments(xrdma_ctx *ctx, __u32 index)
{
	(void)ctx, (void)index;
}

/* The sender's kernel cuts what comes to an XDP program. */
static __always_inline __u32 xrdma_frame_segment(const xrdma_ctx *ctx)
{
	(void)ctx;
	return 0;
}

/* Bytes of the frame. */
static __always_inline __u32 xrdma_frame_len(xrdma_ctx *ctx)
{
	return bpf_xdp_get_buff_len(ctx);
}

/* The VLAN whose tag the netdev took off the frame: an XDP program does not learn of it. */
static __always_inline __u16 xrdma_frame_vlan(const xrdma_ctx *ctx)
{
	(void)ctx;
	return 0;
}

/* Copy LEN bytes at AT of the frame, whatever buffers they are in. False: it has not as many. */
static __always_inline bool xrdma_frame_load(xrdma_ctx *ctx, __u32 at, void *into, __u32 len)
{
	return !bpf_xdp_load_bytes(ctx, at, into, len);
}

static __always_inline bool xrdma_frame_store(xrdma_ctx *ctx, __u32 at, void *from, __u32 len)
{
	return !bpf_xdp_store_bytes(ctx, at, from, len);
}

/* The frame's first LEN bytes, all that is to be read of it as a whole, are in COPY. */
static __always_inline bool xrdma_frame_gather(xrdma_ctx *ctx, void *copy, __u32 len)
{
	return xrdma_frame_load(ctx, 0, copy, len);
}

/*
 * Whether the frame's first buffer, which is LACK bytes shorter, can become as long as an
 * acknowledgement: that begins earlier then, in the headroom. It is tried out, and nothing changes.
 */
static __always_inline bool xrdma_frame_can_grow(xrdma_ctx *ctx, __s32 lack)
{
	return !bpf_xdp_adjust_head(ctx, -lack) && !bpf_xdp_adjust_head(ctx, lack);
}

/*
 * The frame's first buffer, of HAD bytes, gets LEN bytes, whatever they are; what is in others
 * stays behind it, as an Ethernet trailer: they are left alone for the reason at
 * xrdma_frame_resize().
 */
static __always_inline bool xrdma_frame_become(xrdma_ctx *ctx, __u32 had, __u32 len)
{
	return !bpf_xdp_adjust_head(ctx, had - len);
}

/*
 * Make the frame, of HAD bytes in its first buffer, longer by MORE bytes at its end, or shorter.
 * Only one that is in a single buffer: the kernel frees what is cut off from another, and on veth
 * and in generic mode that is a page which the pool it comes from still hands out, because the
 * receive queue does not say that there is a pool. To grow one, drivers must say how long its
 * buffers are, and not all do.
 */
static __always_inline bool xrdma_frame_resize(xrdma_ctx *ctx, __u32 had, __s32 more)
{
	return xrdma_frame_len(ctx) == had && !bpf_xdp_adjust_tail(ctx, more);
}

/* Nobody computes the checksum of a frame that XDP sends back. */
enum { XRDMA_FRAME_MAY_LACK_CHECKSUM = false };

static __always_inline bool xrdma_frame_clear_checksum(xrdma_ctx *ctx, __u32 at, __u16 value)
{
	(void)ctx, (void)at, (void)value;
	return true;
}

/* The frame goes back by the netdev that it came from. */
static __always_inline int xrdma_frame_return(const xrdma_ctx *ctx)
{
	(void)ctx;
	return XDP_TX;
}

#endif
