// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* The baseline of what an XDP program costs: one that does nothing. */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

char LICENSE[] SEC("license") = "Dual BSD/GPL";

SEC("xdp.frags")
int empty(struct xdp_md *xdp)
{
	(void)xdp;
	return XDP_DROP;
}
