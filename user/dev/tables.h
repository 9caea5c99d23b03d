/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Tables of one context, as XRDMA_CONTEXT_TABLES lists them. */
#ifndef XRDMA_USER_DEV_TABLES_H
#define XRDMA_USER_DEV_TABLES_H

#include <xrdma/abi/device.h>

#include "lib/table.h"

/* Numbers of rows of the tables. */
struct xrdma_row_counts {
#define X(table, map, row) __u32 table;
	XRDMA_CONTEXT_TABLES(X)
#undef X
};

struct xrdma_context_tables {
#define X(table, map, row) struct xrdma_table table;
	XRDMA_CONTEXT_TABLES(X)
#undef X
};

/*
 * Create all tables with COUNTS rows. Returns 0 or, with xrdma_error() set, an error of
 * xrdma_table_create().
 */
int xrdma_tables_create(struct xrdma_context_tables *tables, const struct xrdma_row_counts *rows);
void xrdma_tables_close(struct xrdma_context_tables *tables);
void xrdma_tables_forget(struct xrdma_context_tables *tables); /* see xrdma_table_forget() */

#endif
