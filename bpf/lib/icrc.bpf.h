/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * The invariant CRC (IBA 7.8.1, A17.9.2.1): the CRC-32 of Ethernet over eight bytes of ones (in place of an
 * InfiniBand local header), the IP packet with every field that a router may change set to ones, and the
 * payload with its pad bytes. It is sent with its least significant byte first.
 */
#ifndef XRDMA_LIB_ICRC_BPF_H
#define XRDMA_LIB_ICRC_BPF_H

#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/udp.h>

#include "pkt.bpf.h"

enum { XRDMA_ICRC_ONES = 8 };

/* Set the variable fields of FRAME to ones; what the ICRC covers then begins at ip_at - XRDMA_ICRC_ONES. */
static __always_inline void xrdma_icrc_mask(struct xrdma_frame *frame, __u32 ip_at, __u32 bth_at,
					    __u8 ip_version)
{
	struct xrdma_bth *bth = (void *)(frame->bytes + bth_at);
	struct udphdr *udp = (void *)(frame->bytes + bth_at - sizeof(*udp));
	struct iphdr *ipv4 = (void *)(frame->bytes + ip_at);
	struct ipv6hdr *ipv6 = (void *)ipv4;

	__builtin_memset(frame->bytes + ip_at - XRDMA_ICRC_ONES, 0xff, XRDMA_ICRC_ONES);
	if (ip_version == 4) {
		ipv4->tos = 0xff;
		ipv4->ttl = 0xff;
		ipv4->check = 0xffff;
	} else {
		ipv6->priority = 0xf;
		__builtin_memset(ipv6->flow_lbl, 0xff, sizeof(ipv6->flow_lbl));
		ipv6->hop_limit = 0xff;
	}
	udp->check = 0xffff;
	bth->dest_qpn |= bpf_htonl(~XRDMA_QPN_MASK);
}

#endif
