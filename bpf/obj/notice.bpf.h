/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Notices to the process of a context. Its dispatcher reads them (user/obj/dispatch.h). */
#ifndef XRDMA_BPF_OBJ_NOTICE_BPF_H
#define XRDMA_BPF_OBJ_NOTICE_BPF_H

#include "obj/maps.bpf.h"

/*
 * Write NOTICE into the ring of the context in SLOT. Returns false if the notice is lost: the
 * context has no ring, or the ring is full.
 */
static __always_inline bool xrdma_notify(__u32 slot, struct xrdma_notice *notice)
{
	void *ring = bpf_map_lookup_elem(&xrdma_notices, &slot);

	return ring && !bpf_ringbuf_output(ring, notice, sizeof(*notice), 0);
}

#endif
