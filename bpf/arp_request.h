/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Data that bpf/probe.bpf.c and the library share: ARP packets, and the row of the probe. */
#ifndef XRDMA_ARP_REQUEST_H
#define XRDMA_ARP_REQUEST_H

#include <linux/if_ether.h>
#include <linux/types.h>

enum { XRDMA_ARP_ETHERNET = 1 };
enum xrdma_arp_operation { XRDMA_ARP_REQUEST = 1, XRDMA_ARP_REPLY };

/* Packet after the Ethernet header: ARP for IPv4 (RFC 826). */
struct xrdma_arp {
	__be16 hardware, protocol; /* XRDMA_ARP_ETHERNET, ETH_P_IP */
	__u8 hardware_len, protocol_len;
	__be16 operation; /* enum xrdma_arp_operation */
	__u8 sender_mac[ETH_ALEN];
	__be32 sender;
	__u8 target_mac[ETH_ALEN];
	__be32 target;
} __attribute__((packed));

/*
 * Number of ARP replies that prove that frames from XDP arrive. The first reply is to the library's
 * request, and the kernel sends requests to one neighbour at most once a second.
 */
enum { XRDMA_PROBE_REPLIES = 4 };

struct xrdma_probe_row {
	__be32 neighbour; /* neighbour that gets the requests */
	__u32 answers;	  /* replies from it so far */
};

#endif
