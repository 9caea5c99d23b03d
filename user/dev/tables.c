// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "dev/tables.h"

#include <string.h>

#include "lib/error.h"

int xrdma_tables_create(struct xrdma_context_tables *tables, const struct xrdma_row_counts *rows)
{
	const struct {
		struct xrdma_table *table;
		const char *name;
		__u32 row_size, rows;
	} all[] = {
#define X(table, map, row) { &tables->table, #table, sizeof(struct row), rows->table },
		XRDMA_CONTEXT_TABLES(X)
#undef X
	};
	size_t i = 0;
	int err = 0;

	while (!err && i < sizeof(all) / sizeof(all[0])) {
		err = xrdma_table_create(all[i].table, all[i].name, all[i].row_size, all[i].rows,
					 NULL);
		i += !err;
	}
	if (!err)
		return 0;
	xrdma_fail(-err, "cannot create a table of %u %s, of %u bytes each: %s", all[i].rows,
		   all[i].name, all[i].row_size, strerror(-err));
	while (i)
		xrdma_table_close(all[--i].table);
	return err;
}

void xrdma_tables_close(struct xrdma_context_tables *tables)
{
#define X(table, map, row) xrdma_table_close(&tables->table);
	XRDMA_CONTEXT_TABLES(X)
#undef X
}

void xrdma_tables_forget(struct xrdma_context_tables *tables)
{
#define X(table, map, row) xrdma_table_forget(&tables->table);
	XRDMA_CONTEXT_TABLES(X)
#undef X
}
