/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* The opcode table as data: .rodata in the XDP program, a plain constant in user space. */
#ifndef XRDMA_WIRE_OPCODE_H
#define XRDMA_WIRE_OPCODE_H

#include <stddef.h>

#include "lib/base.h"
#include <xrdma/abi.h>

static const struct xrdma_opcode_info xrdma_opcodes[256] = {
#define X(symbol, number, name, operation, part_, payload_, headers_)                      \
	[number] = {                                                                       \
		.op = XRDMA_OP_##operation,                                                \
		.position = XRDMA_POSITION_##part_,                                        \
		.payload = XRDMA_PAYLOAD_##payload_,                                       \
		.headers = headers_,                                                       \
		.headers_len = XRDMA_HEADERS_LEN(headers_),                                \
		.counter = offsetof(struct xrdma_opcode_counters, symbol) / sizeof(__u64), \
	},
	XRDMA_OPCODES(X)
#undef X
};

static __always_inline bool xrdma_op_is_rd_atomic(__u8 op)
{
	return op == XRDMA_OP_READ || op == XRDMA_OP_CMP_SWAP || op == XRDMA_OP_FETCH_ADD;
}

#endif
