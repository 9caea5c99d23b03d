// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "lib/opcode.h"

#include <stddef.h>

#include "wire/opcode.h"

const struct xrdma_opcode_info *xrdma_opcode_info(__u8 opcode)
{
	return &xrdma_opcodes[opcode];
}

bool xrdma_transport_is(__u8 transport, __u8 property)
{
	return xrdma_service_is(transport << XRDMA_OPCODE_TRANSPORT_SHIFT, property);
}

const char *xrdma_transport_name(__u8 transport)
{
	switch (transport) {
#define X(symbol, ...)                 \
	case XRDMA_TRANSPORT_##symbol: \
		return #symbol;
		XRDMA_SERVICES(X)
#undef X
	default:
		return "unknown";
	}
}

const char *xrdma_opcode_name(__u8 opcode)
{
	switch (opcode) {
#define X(symbol, number, name, ...) \
	case number:                 \
		return name;
		XRDMA_OPCODES(X)
#undef X
	default:
		return NULL;
	}
}
