/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
#ifndef XRDMA_USER_LIB_OPCODE_H
#define XRDMA_USER_LIB_OPCODE_H

#include <xrdma/abi/wire.h>

/* Return the properties of OPCODE; never NULL. For an unassigned opcode op is XRDMA_OP_NONE. */
const struct xrdma_opcode_info *xrdma_opcode_info(__u8 opcode);

/* Return the name of OPCODE in the IBA tables and in tshark, or NULL if it is unassigned. */
const char *xrdma_opcode_name(__u8 opcode);

#endif
