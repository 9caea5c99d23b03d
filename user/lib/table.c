// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "lib/table.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

int xrdma_table_create(struct xrdma_table *table, const char *name, __u32 row_size, __u32 count,
		       void *at)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_MMAPABLE | BPF_F_INNER_MAP);
	int err;

	table->size = (size_t)row_size * count;
	table->fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, name, sizeof(__u32), row_size, count, &opts);
	if (table->fd < 0)
		return table->fd;
	table->rows = mmap(at, table->size, PROT_READ | PROT_WRITE,
			   MAP_SHARED | (at ? MAP_FIXED : 0), table->fd, 0);
	if (table->rows != MAP_FAILED && !madvise(table->rows, table->size, MADV_DONTFORK))
		return 0;
	err = -errno;
	if (table->rows != MAP_FAILED && !at)
		munmap(table->rows, table->size);
	close(table->fd);
	return err;
}

void xrdma_table_close(struct xrdma_table *table)
{
	munmap(table->rows, table->size);
	close(table->fd);
}

void xrdma_table_forget(struct xrdma_table *table)
{
	close(table->fd);
}
