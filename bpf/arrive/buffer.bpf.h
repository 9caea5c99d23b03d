/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * A frame, as the kernel hands it to the program: in one buffer or in several, of which the program
 * sees the first and has the others copied. No other file knows of what hook it came by.
 */
#ifndef XRDMA_ARRIVE_BUFFER_BPF_H
#define XRDMA_ARRIVE_BUFFER_BPF_H

#include <linux/bpf.h>

#include "lib/bounds.bpf.h"
#include "wire/packet.h"

typedef struct xdp_md xrdma_ctx;

/* Bytes that can be read and written where they are, from BYTES up to LIMIT. */
struct xrdma_view {
	void *bytes;
	const void *limit;
};

/* Of the first buffer. To be asked for anew after XRDMA_FORGET(), of which it is a part. */
static __always_inline struct xrdma_view xrdma_view(xrdma_ctx *ctx)
{
	return (struct xrdma_view){ (void *)(long)ctx->data, (void *)(long)ctx->data_end };
}

/* Bytes of the frame that are in its first buffer. */
static __always_inline __u32 xrdma_first_buffer(xrdma_ctx *ctx)
{
	return XRDMA_OPAQUE(ctx->data_end - ctx->data);
}

/* Bytes of the frame. */
static __always_inline __u32 xrdma_frame_len(xrdma_ctx *ctx)
{
	return bpf_xdp_get_buff_len(ctx);
}

static __always_inline bool xrdma_in_one_buffer(xrdma_ctx *ctx)
{
	return xrdma_frame_len(ctx) == xrdma_first_buffer(ctx);
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

/* The frame begins BY bytes later, or earlier. False: there is no room. */
static __always_inline bool xrdma_frame_move_head(xrdma_ctx *ctx, __s32 by)
{
	return !bpf_xdp_adjust_head(ctx, by);
}

/*
 * Make the frame longer by MORE bytes, or shorter. Only one that is in a single buffer: the kernel
 * frees what is cut off from another, and on veth and in generic mode that is a page which the pool
 * it comes from still hands out, because the receive queue does not say that there is a pool. To
 * grow one, drivers must say how long its buffers are, and not all do.
 */
static __always_inline bool xrdma_frame_resize(xrdma_ctx *ctx, __s32 more)
{
	return xrdma_in_one_buffer(ctx) && !bpf_xdp_adjust_tail(ctx, more);
}

#endif
