// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * The program for tc ingress: the same stages, and what sends responses of several packets. Its
 * maps are those of xrdma.bpf.c.
 */
#define XRDMA_AT_TC
#include "stages.bpf.h"
#include "responder/turn.bpf.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

SEC("tc")
int xrdma_tc(struct __sk_buff *ctx)
{
	return xrdma_run(ctx);
}

SEC("tc")
int xrdma_answer(struct __sk_buff *ctx)
{
	return xrdma_answer_run(ctx);
}
