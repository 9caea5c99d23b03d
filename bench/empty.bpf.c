// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Programs that do nothing: baselines for the cost of a program. */
#include <linux/bpf.h>
#include <linux/pkt_cls.h>
#include <bpf/bpf_helpers.h>

char LICENSE[] SEC("license") = "Dual BSD/GPL";

SEC("xdp.frags")
int empty(struct xdp_md *xdp)
{
	(void)xdp;
	return XDP_DROP;
}

SEC("tc")
int empty_tc(struct __sk_buff *skb)
{
	(void)skb;
	return TC_ACT_SHOT;
}
