/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Pages that packets missed, and that the process was asked for (struct xrdma_fault). */
#ifndef XRDMA_MEMORY_FAULT_BPF_H
#define XRDMA_MEMORY_FAULT_BPF_H

#include "obj/space.bpf.h"

/*
 * Return the final verdict on the packet with QPN and PSN, which VERDICT has refused. If the packet
 * missed pages, the sender must repeat it, unless UNBACKED says that the process has no memory for
 * them.
 */
XRDMA_VERIFIED_ONCE int xrdma_fault_verdict(__u32 qpn, __u32 psn, __u32 unbacked, __u32 verdict)
{
	__u32 zero = 0;
	__u64 *missed = bpf_map_lookup_elem(&xrdma_missed, &zero);

	if (!missed || *missed != xrdma_missed_by(qpn, psn))
		return verdict;
	*missed = 0;
	if (verdict == XRDMA_V_RESPONSE_KEY)
		return XRDMA_V_RESPONSE_FAULT;
	return unbacked == (XRDMA_UNBACKED | psn) ? verdict : XRDMA_V_FAULT;
}

#endif
