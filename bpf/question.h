/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* What bpf/proof.bpf.c and who asks the first question say to each other. */
#ifndef XRDMA_QUESTION_H
#define XRDMA_QUESTION_H

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
 * So many answers to one question prove that the program's own were heard: the first is to the one
 * that was asked, and the kernel asks the same neighbour no more than once a second.
 */
enum { XRDMA_PROOF_ANSWERS = 4 };

struct xrdma_proof_row {
	__be32 neighbour; /* who is asked */
	__u32 answers;	  /* heard from it so far */
};

#endif
