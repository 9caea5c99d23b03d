// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * The program for tc ingress: the same stages, and what sends responses of several packets. Its
 * maps are those of xrdma.bpf.c.
 */
#define XRDMA_AT_TC
#include "stages.bpf.h"
#include "arrive/bare.bpf.h"
#include "responder/turn.bpf.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

SEC("tc")
int xrdma_tc(struct __sk_buff *ctx)
{
	return xrdma_run(ctx);
}

/*
 * In its place where the netdev has no link layer, and at lo for such a netdev. What the other
 * program does not get, as nobody keeps it any more, is the stack's.
 */
SEC("tc")
int xrdma_tc_ip(struct __sk_buff *ctx)
{
	if (xrdma_frame_is_local(ctx) || (xrdma_bare_is_roce(ctx) && xrdma_bare_dress(ctx)))
		xrdma_frame_run_again(ctx);
	return XRDMA_FRAME_PASS;
}

SEC("tc")
int xrdma_answer(struct __sk_buff *ctx)
{
	return xrdma_answer_run(ctx);
}
