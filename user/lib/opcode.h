/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
#ifndef XRDMA_USER_LIB_OPCODE_H
#define XRDMA_USER_LIB_OPCODE_H

#include <stdbool.h>
#include <xrdma/abi/wire.h>

/* Return the properties of OPCODE; never NULL. For an unassigned opcode op is XRDMA_OP_NONE. */
const struct xrdma_opcode_info *xrdma_opcode_info(__u8 opcode);

/* Returns whether the service TRANSPORT has PROPERTY, one of XRDMA_SERVICE_*. */
bool xrdma_transport_is(__u8 transport, __u8 property);

/* Return the name of the service TRANSPORT, such as "RC"; never NULL. */
const char *xrdma_transport_name(__u8 transport);

/* Return the name of OPCODE in the IBA tables and in tshark, or NULL if it is unassigned. */
const char *xrdma_opcode_name(__u8 opcode);

#endif
