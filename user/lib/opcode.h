/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
#ifndef XRDMA_USER_LIB_OPCODE_H
#define XRDMA_USER_LIB_OPCODE_H

#include <xrdma/abi/wire.h>

/* What OPCODE says of its packet; an entry with op XRDMA_OP_NONE when it is none. Never NULL. */
const struct xrdma_opcode_info *xrdma_opcode_info(__u8 opcode);

/* The name of OPCODE as the IBA tables and tshark print it; NULL when it is none. */
const char *xrdma_opcode_name(__u8 opcode);

#endif
