// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* The program for XDP, the device's maps, and the programs that claim contexts. */
#include "stages.bpf.h"
#include "obj/context.bpf.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

SEC("xdp.frags")
int xrdma(struct xdp_md *ctx)
{
	return xrdma_run(ctx);
}
