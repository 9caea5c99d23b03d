/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
#ifndef XRDMA_OBJ_DEVICE_BPF_H
#define XRDMA_OBJ_DEVICE_BPF_H

#include "maps.bpf.h"

static __always_inline bool xrdma_addr_equal(const __be32 *a, const __be32 *b)
{
	return a[3] == b[3] && a[2] == b[2] && a[1] == b[1] && a[0] == b[0];
}

/* Whether ADDR is one of the device's. */
static __always_inline bool xrdma_device_has(const __be32 *addr)
{
	__u32 zero = 0;
	const struct xrdma_device_row *device = bpf_map_lookup_elem(&xrdma_device, &zero);

	if (!device)
		return false;
	for (__u32 i = 0; i < XRDMA_ADDRS_MAX && i < device->addr_count; i++)
		if (xrdma_addr_equal(device->addrs[i], addr))
			return true;
	return false;
}

#endif
