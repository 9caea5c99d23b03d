/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Counters of a device: packets by verdict and by opcode. */
#ifndef XRDMA_COUNTERS_H
#define XRDMA_COUNTERS_H

#include <linux/types.h>

#include "opcode.h"
#include "verdict.h"

#ifdef __cplusplus
extern "C" {
#endif

struct xrdma_verdict_counters {
#define X(number, symbol, ...) __u64 symbol;
	XRDMA_VERDICTS(X)
#undef X
};

struct xrdma_opcode_counters {
	__u64 UNASSIGNED; /* packets whose opcode is not in the list */
#define X(symbol, ...) __u64 symbol;
	XRDMA_OPCODES(X)
#undef X
};

struct xrdma_counters {
	struct xrdma_verdict_counters verdicts;
	struct xrdma_opcode_counters opcodes;
};

#ifdef __cplusplus
}
#endif
#endif
