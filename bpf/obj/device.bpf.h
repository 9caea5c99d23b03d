/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
#ifndef XRDMA_OBJ_DEVICE_BPF_H
#define XRDMA_OBJ_DEVICE_BPF_H

#include <linux/if_ether.h>

#include "obj/maps.bpf.h"
#include "wire/ip.h"
#include <xrdma/verdict.h>

static __always_inline bool xrdma_addr_equal(const __be32 *a, const __be32 *b)
{
	return !((xrdma_word(a) ^ xrdma_word(b)) | (xrdma_word(a + 2) ^ xrdma_word(b + 2)));
}

static __always_inline bool xrdma_mac_equal(const void *a, const void *b)
{
	const __u16 *x = a, *y = b;

	return !((x[0] ^ y[0]) | (x[1] ^ y[1]) | (x[2] ^ y[2]));
}

static __always_inline bool xrdma_device_has(const struct xrdma_device_row *device,
					     const __be32 *addr)
{
	for (__u32 i = 0; i < XRDMA_ADDRS_MAX && i < device->addr_count; i++)
		if (xrdma_addr_equal(device->addrs[i], addr))
			return true;
	return device->addr_count > XRDMA_ADDRS_MAX && bpf_map_lookup_elem(&xrdma_addrs, addr);
}

/*
 * Check if a packet is for the device. Returns XRDMA_V_OK, or another verdict if it is for another
 * address, MAC address or VLAN. ETH is the first header of its frame, and ends before LIMIT. The
 * header is empty if the packet IS_LOCAL.
 */
static __always_inline enum xrdma_verdict xrdma_device_check(const struct ethhdr *eth,
							     const void *limit, bool is_local,
							     const struct xrdma_pkt *pkt)
{
	__u32 zero = 0;
	const struct xrdma_device_row *device = bpf_map_lookup_elem(&xrdma_device, &zero);

	if (!device || !xrdma_device_has(device, pkt->daddr))
		return XRDMA_V_NOT_OURS;
	if (pkt->vlans)
		return XRDMA_V_VLAN;
	if ((void *)(eth + 1) > limit)
		return XRDMA_V_TRUNCATED;
	return is_local || xrdma_mac_equal(eth->h_dest, device->mac) ? XRDMA_V_OK
								     : XRDMA_V_OTHER_MAC;
}

static __always_inline bool xrdma_device_is_shared(void)
{
	__u32 zero = 0;
	const struct xrdma_device_row *device = bpf_map_lookup_elem(&xrdma_device, &zero);

	return device && device->features & XRDMA_FEATURE_SHARED;
}

#endif
