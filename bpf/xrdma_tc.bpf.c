// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * The programs for tc ingress: the stages of xrdma.bpf.c, and the sender of pending responses. Both
 * files use the same maps.
 */
#define XRDMA_AT_TC
#include "stages.bpf.h"
#include "arrive/l3.bpf.h"
#include "responder/sender.bpf.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

SEC("tc")
int xrdma_tc(struct __sk_buff *ctx)
{
	return xrdma_run(ctx);
}

/*
 * Program for a netdev without a link layer, and for lo if the device's netdev is one. It adds an
 * Ethernet header to RoCE packets and calls xrdma_tc. All other packets pass to the stack.
 */
SEC("tc")
int xrdma_tc_ip(struct __sk_buff *ctx)
{
	if (xrdma_frame_is_local(ctx) || (xrdma_l3_is_roce(ctx) && xrdma_l3_add_ethernet(ctx)))
		xrdma_frame_call_again(ctx);
	return XRDMA_FRAME_PASS;
}

SEC("tc")
int xrdma_sender(struct __sk_buff *ctx)
{
	return xrdma_sender_run(ctx);
}
