/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * The bytes of a frame that a program can access directly: its first buffer, or the linear part.
 * Only the hook's own files depend on the hook.
 */
#ifndef XRDMA_ARRIVE_BUFFER_BPF_H
#define XRDMA_ARRIVE_BUFFER_BPF_H

#ifdef XRDMA_AT_TC
#include "arrive/hook_tc.bpf.h"
#else
#include "arrive/hook_xdp.bpf.h"
#endif

/* Bytes from BYTES up to LIMIT. */
struct xrdma_view {
	void *bytes;
	const void *limit;
};

/*
 * Return the bounds of the frame's first buffer. Call it again after XRDMA_FORGET(), and after
 * every helper that may move the frame.
 */
static __always_inline struct xrdma_view xrdma_view(xrdma_ctx *ctx)
{
	return (struct xrdma_view){ (void *)(long)ctx->data, (void *)(long)ctx->data_end };
}

/* Bytes of the frame that are in its first buffer. */
static __always_inline __u32 xrdma_first_buffer(xrdma_ctx *ctx)
{
	return XRDMA_OPAQUE(ctx->data_end - ctx->data);
}

#endif
