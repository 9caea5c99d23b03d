// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "lib/opcode.h"

#include <stddef.h>

#include "wire/opcode.h"

const struct xrdma_opcode_info *xrdma_opcode_info(__u8 opcode)
{
	return &xrdma_opcodes[opcode];
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
