/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
#ifndef XRDMA_USER_RUN_ATTR_H
#define XRDMA_USER_RUN_ATTR_H

#include <xrdma/context.h>

#include "dev/tables.h"

/* Copy ATTR to *ALL, with defaults for members that are 0, check it, and round sizes up. */
int xrdma_context_attr_read(const struct xrdma_context_attr *attr, struct xrdma_context_attr *all);

/* Create TABLES with the numbers of rows that ATTR asks for. */
int xrdma_context_attr_tables(struct xrdma_context_tables *tables,
			      const struct xrdma_context_attr *attr);

/* Set LIMITS, the attributes of the device that users query, to what ATTR asks for. */
void xrdma_context_attr_limits(struct xrdma_device_attr *limits,
			       const struct xrdma_context_attr *attr);

#endif
