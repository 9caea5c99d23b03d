/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Where a run keeps what does not fit its stack of 512 bytes. */
#ifndef XRDMA_OBJ_SCRATCH_BPF_H
#define XRDMA_OBJ_SCRATCH_BPF_H

#include "obj/plan.bpf.h"
#include "wire/packet.h"

enum { XRDMA_SUPER_RUNS = 32 }; /* the kernel lets a program call another 33 times */

/* A super packet, and the segment of it that is looked at. */
struct xrdma_super {
	__u32 index;
	__u32 runs;    /* that went on to another segment */
	__u32 headers; /* bytes of all of them, of IP and UDP */
	__u32 at;      /* where its datagram lies */
	__u32 len;
	__u32 count;			 /* of OWING */
	bool same_id;			 /* all segments had the same IPv4 identification */
	bool ack_req;			 /* one so far asks for an acknowledgement */
	bool more;			 /* segments follow it */
	bool is_resumed;		 /* the next run is the segment's */
	__u32 pending[XRDMA_SUPER_RUNS]; /* QPNs of queue pairs with pending responses */
};

struct xrdma_scratch {
	struct xrdma_frame frame;
	struct xrdma_pkt pkt;
	struct xrdma_plan plan;
	struct xrdma_result result;
	struct xrdma_super super;
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
