/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * The invariant CRC (IBA 7.8.1, A17.9.2.1): the CRC-32 of Ethernet over eight bytes of ones (in
 * place of an InfiniBand local header), the IP packet with all fields that routers may change set
 * to ones, and the payload with its pad bytes. It is sent with its least significant byte first.
 */
#ifndef XRDMA_WIRE_ICRC_H
#define XRDMA_WIRE_ICRC_H

#include "lib/base.h"

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "words are read with their first byte lowest: this needs a little-endian machine"
#endif

enum {
	XRDMA_ICRC_WORD = 8,
	XRDMA_ICRC_HEAD_MAX = 8, /* words */
};

/*
 * First words of the packet, with their variable fields set to ones: the last COUNT of WORDS, after
 * zeros. A CRC-32 begins with ones. The first word has already taken them in, so the CRC begins
 * with 0, and the zeros do not count. The rest of the packet has no variable fields.
 */
struct xrdma_icrc_head {
	__u64 words[XRDMA_ICRC_HEAD_MAX];
	__u32 count;
};

/*
 * Bits that count as ones. IPv4: type of service; time to live, checksum. UDP: checksum. BTH: the
 * byte before the QPN.
 */
static const __u64 xrdma_icrc_ipv4[] = { 0xff00, 0xffff00ff, 0, 0xffff0000, 0xff };

/* IPv6: traffic class, flow label, hop limit. UDP: checksum. BTH: the byte before the QPN. */
static const __u64 xrdma_icrc_ipv6[] = {
	0xff000000ffffff0f, 0, 0, 0, 0, 0xffff000000000000, 0xff00000000,
};

static __always_inline void xrdma_icrc_mask(struct xrdma_icrc_head *head, const void *ip,
					    const __u64 *ones, __u32 count)
{
	__u64 *words = head->words + XRDMA_ICRC_HEAD_MAX - count;

	for (__u32 i = 0; i < XRDMA_ICRC_HEAD_MAX - count - 1; i++)
		head->words[i] = 0;
	words[-1] = ~0ULL ^ 0xffffffff;
	for (__u32 i = 0; i < count; i++)
		words[i] = xrdma_word(ip + XRDMA_ICRC_WORD * i) | ones[i];
	head->count = 1 + count;
}

/* Set HEAD from the packet at IP. Returns false if its headers reach beyond LIMIT. */
static __always_inline bool xrdma_icrc_begin(struct xrdma_icrc_head *head, const void *ip,
					     const void *limit, __u8 ip_version)
{
	bool fits;

	if (ip_version == 4) {
		fits = ip + sizeof(xrdma_icrc_ipv4) <= limit;
		if (fits)
			xrdma_icrc_mask(head, ip, xrdma_icrc_ipv4,
					sizeof(xrdma_icrc_ipv4) / XRDMA_ICRC_WORD);
	} else {
		fits = ip + sizeof(xrdma_icrc_ipv6) <= limit;
		if (fits)
			xrdma_icrc_mask(head, ip, xrdma_icrc_ipv6,
					sizeof(xrdma_icrc_ipv6) / XRDMA_ICRC_WORD);
	}
	return fits;
}

/* Return the number of bytes from the IP header on that HEAD covers. */
static __always_inline __u32 xrdma_icrc_begun(const struct xrdma_icrc_head *head)
{
	return (head->count - 1) * XRDMA_ICRC_WORD;
}

#endif
