/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Scratch memory of a run, for data that do not fit on its stack of 512 bytes. */
#ifndef XRDMA_OBJ_SCRATCH_BPF_H
#define XRDMA_OBJ_SCRATCH_BPF_H

#include "obj/plan.bpf.h"
#include "wire/packet.h"

enum { XRDMA_SUPER_RUNS = 32 }; /* the kernel allows 33 such calls */

/* A super packet, and its present segment. */
struct xrdma_super {
	__u32 index;
	__u32 runs;    /* runs that went on to another segment */
	__u32 headers; /* bytes of all headers of IP and UDP */
	__u32 at;      /* offset of its datagram */
	__u32 len;
	__u32 count;			 /* number of entries in PENDING */
	bool same_id;			 /* all segments had the same IPv4 identification */
	bool ack_req;			 /* a segment so far asks for an acknowledgement */
	bool more;			 /* segments follow it */
	bool is_resumed;		 /* the next run is for the segment */
	__u32 pending[XRDMA_SUPER_RUNS]; /* QPNs of queue pairs with pending responses */
};

struct xrdma_scratch {
	struct xrdma_frame frame;
	struct xrdma_pkt pkt;
	struct xrdma_plan plan;
	struct xrdma_result result;
	struct xrdma_super super;
	__u8 saved[XRDMA_GRH_LEN]; /* bytes of a super packet that a datagram has overwritten */
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct xrdma_scratch);
} xrdma_scratch SEC(".maps");

static __always_inline struct xrdma_scratch *xrdma_scratch_of_cpu(void)
{
	__u32 zero = 0;

	return bpf_map_lookup_elem(&xrdma_scratch, &zero);
}

#endif
