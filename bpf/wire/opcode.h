/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* The opcode table as data: .rodata of the XDP program, and a constant in user space. */
#ifndef XRDMA_WIRE_OPCODE_H
#define XRDMA_WIRE_OPCODE_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/base.h"
#include <xrdma/abi/wire.h>
#include <xrdma/counters.h>

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

/* Returns whether the service of OPCODE has PROPERTY, one of XRDMA_SERVICE_*. */
static __always_inline bool xrdma_service_is(__u8 opcode, __u8 property)
{
#define X(symbol, properties) | ((properties)&property ? 1 << XRDMA_TRANSPORT_##symbol : 0)
	const __u32 services = 0 XRDMA_SERVICES(X);
#undef X

	return services >> XRDMA_OPCODE_TRANSPORT(opcode) & 1;
}

static __always_inline bool xrdma_op_is_rd_atomic(__u8 op)
{
	return op == XRDMA_OP_READ || op == XRDMA_OP_CMP_SWAP || op == XRDMA_OP_FETCH_ADD;
}

#endif
