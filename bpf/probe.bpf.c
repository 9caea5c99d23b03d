// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Probe for native mode: do frames that XDP sends from a netdev reach its neighbours? */
#include <linux/bpf.h>

#include "lib/base.h"
#include "arp_request.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

struct xrdma_probe_row xrdma_probe_row;

struct message {
	struct ethhdr eth;
	struct xrdma_arp arp;
} __attribute__((packed));

static __always_inline bool is_answer(const struct message *message)
{
	return message->eth.h_proto == bpf_htons(ETH_P_ARP) &&
	       message->arp.protocol == bpf_htons(ETH_P_IP) &&
	       message->arp.operation == bpf_htons(XRDMA_ARP_REPLY) &&
	       message->arp.sender == xrdma_probe_row.neighbour;
}

/* Turn a neighbour's ARP reply into another request to it. */
static __always_inline void ask_again(struct message *message)
{
	struct xrdma_arp *arp = &message->arp;
	const __be32 self = arp->target;

	__builtin_memcpy(message->eth.h_dest, arp->sender_mac, ETH_ALEN);
	__builtin_memcpy(message->eth.h_source, arp->target_mac, ETH_ALEN);
	arp->operation = bpf_htons(XRDMA_ARP_REQUEST);
	arp->target = arp->sender;
	arp->sender = self;
	__builtin_memcpy(arp->sender_mac, arp->target_mac, ETH_ALEN);
	__builtin_memset(arp->target_mac, 0, ETH_ALEN);
}

SEC("xdp.frags")
int xrdma_probe(struct xdp_md *ctx)
{
	struct message *message = (void *)(long)ctx->data;

	if ((void *)(message + 1) > (void *)(long)ctx->data_end || !is_answer(message))
		return XDP_PASS;
	if (__sync_fetch_and_add(&xrdma_probe_row.answers, 1) + 1 >= XRDMA_PROBE_REPLIES)
		return XDP_PASS;
	ask_again(message);
	return XDP_TX;
}
