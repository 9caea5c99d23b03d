/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
#ifndef XRDMA_OBJ_COUNTERS_BPF_H
#define XRDMA_OBJ_COUNTERS_BPF_H

#include "obj/maps.bpf.h"
#include "wire/packet.h"

enum {
	XRDMA_OPCODE_COUNT = sizeof(struct xrdma_opcode_counters) / sizeof(__u64),
};

/*
 * Count a packet under VERDICT. It is counted under its opcode once, if the parser has read the
 * opcode.
 */
static __always_inline void xrdma_count(enum xrdma_verdict verdict, const struct xrdma_pkt *pkt)
{
	__u32 zero = 0, opcode = pkt->info.counter;
	struct xrdma_counters *counters = bpf_map_lookup_elem(&xrdma_counters, &zero);

	if (!counters || verdict >= XRDMA_VERDICT_COUNT)
		return;
	((__u64 *)&counters->verdicts)[verdict]++;
	if (verdict != XRDMA_V_DEFERRED && opcode < XRDMA_OPCODE_COUNT)
		((__u64 *)&counters->opcodes)[opcode]++;
}

#endif
