/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * A frame at XDP is in one buffer or in several. The program sees the first buffer, and has the
 * kernel copy bytes of the others.
 */
#ifndef XRDMA_ARRIVE_HOOK_XDP_BPF_H
#define XRDMA_ARRIVE_HOOK_XDP_BPF_H

#include <linux/bpf.h>

#include "lib/bounds.bpf.h"

typedef struct xdp_md xrdma_ctx;

/* Actions for a frame. LOST: the frame could not be made into a reply. */
enum {
	XRDMA_FRAME_PASS = XDP_PASS,
	XRDMA_FRAME_DROP = XDP_DROP,
	XRDMA_FRAME_LOST = XDP_ABORTED,
};

/* Returns whether an XDP program of ours has seen the frames before, and passed them. */
static __always_inline bool xrdma_frame_is_deferred(void)
{
	return false;
}

/* Returns whether this host sent the frame to itself by lo. There is no XDP at lo. */
static __always_inline bool xrdma_frame_is_local(const xrdma_ctx *ctx)
{
	(void)ctx;
	return false;
}

/* A frame may be in several buffers. Code that reads it as a whole reads a copy. */
enum { XRDMA_FRAME_IS_COPIED = true };

/* A call costs a WRITE up to 3 % of its time in this program. */
enum { XRDMA_ICRC_IS_INLINE = true };

/* An XDP program cannot send more frames than arrive. hook_tc.bpf.h has the sender. */
enum { XRDMA_HAS_SENDER = false, XRDMA_FRAME_TO_SENDER = 256 };

static __always_inline bool xrdma_frame_is_resumed(const xrdma_ctx *ctx)
{
	(void)ctx;
	return false;
}

static __always_inline bool xrdma_frame_yields(const xrdma_ctx *ctx)
{
	(void)ctx;
	return false;
}

static __always_inline int xrdma_frame_yield(const xrdma_ctx *ctx)
{
	(void)ctx;
	return XRDMA_FRAME_LOST;
}

static __always_inline int xrdma_frame_call_sender(const xrdma_ctx *ctx)
{
	(void)ctx;
	return XRDMA_FRAME_LOST;
}

static __always_inline void xrdma_frame_call_again(const xrdma_ctx *ctx)
{
	(void)ctx;
}

static __always_inline __u32 xrdma_frame_first_segment(const xrdma_ctx *ctx)
{
	(void)ctx;
	return 0;
}

static __always_inline void xrdma_frame_requeue_segments(xrdma_ctx *ctx, __u32 index)
{
	(void)ctx, (void)index;
}

/* Returns 0: no super packet reaches an XDP program, because the kernel cuts it before. */
static __always_inline __u32 xrdma_frame_segment(const xrdma_ctx *ctx)
{
	(void)ctx;
	return 0;
}

/* Returns the length of the frame in bytes. */
static __always_inline __u32 xrdma_frame_len(xrdma_ctx *ctx)
{
	return bpf_xdp_get_buff_len(ctx);
}

/* Returns 0: an XDP program cannot read a VLAN tag that the netdev took off the frame. */
static __always_inline __u16 xrdma_frame_vlan(const xrdma_ctx *ctx)
{
	(void)ctx;
	return 0;
}

/* Copy LEN bytes at AT of the frame, from any of its buffers. Returns false if it is shorter. */
static __always_inline bool xrdma_frame_load(xrdma_ctx *ctx, __u32 at, void *into, __u32 len)
{
	return !bpf_xdp_load_bytes(ctx, at, into, len);
}

static __always_inline bool xrdma_frame_store(xrdma_ctx *ctx, __u32 at, void *from, __u32 len)
{
	return !bpf_xdp_store_bytes(ctx, at, from, len);
}

/* Copy the first LEN bytes of the frame to COPY, for code that reads them as a whole. */
static __always_inline bool xrdma_frame_gather(xrdma_ctx *ctx, void *copy, __u32 len)
{
	return xrdma_frame_load(ctx, 0, copy, len);
}

/*
 * Returns whether the first buffer of the frame can grow by LACK bytes into its headroom, as an
 * acknowledgement needs. The function tries it out, and undoes it.
 */
static __always_inline bool xrdma_frame_can_grow(xrdma_ctx *ctx, __s32 lack)
{
	return !bpf_xdp_adjust_head(ctx, -lack) && !bpf_xdp_adjust_head(ctx, lack);
}

/*
 * Make the first buffer of the frame LEN bytes long instead of HAD. Its contents become undefined.
 * Other buffers remain behind it as an Ethernet trailer, for the reason at xrdma_frame_resize().
 */
static __always_inline bool xrdma_frame_become(xrdma_ctx *ctx, __u32 had, __u32 len)
{
	return !bpf_xdp_adjust_head(ctx, had - len);
}

/*
 * Make the frame longer by MORE bytes at its end, or shorter. Its first buffer has HAD bytes. The
 * function must be called only if the frame is in a single buffer. Otherwise the kernel frees the
 * part that is cut off, and on veth and in generic mode this page is still in use by its pool,
 * because the receive queue does not name the pool. To make such a frame longer, the kernel needs
 * the size of the buffer, and not all drivers report it.
 */
static __always_inline bool xrdma_frame_resize(xrdma_ctx *ctx, __u32 had, __s32 more)
{
	return xrdma_frame_len(ctx) == had && !bpf_xdp_adjust_tail(ctx, more);
}

/* The checksum of a frame that XDP sends back is final. */
enum { XRDMA_FRAME_MAY_LACK_CHECKSUM = false };

static __always_inline bool xrdma_frame_clear_checksum(xrdma_ctx *ctx, __u32 at, __u16 value)
{
	(void)ctx, (void)at, (void)value;
	return true;
}

/* Send the frame back by the netdev that it came from. */
static __always_inline int xrdma_frame_return(const xrdma_ctx *ctx)
{
	(void)ctx;
	return XDP_TX;
}

#endif
