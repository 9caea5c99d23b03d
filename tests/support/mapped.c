// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "mapped.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "distant.h"
#include "mem/mappings.h"
#include "test.h"

struct mapped mapped;

/* Open the owner. The first registration lets the library list mappings. */
void mapped_open(void)
{
	owner_open(&mapped.owner, "xa");
	mapped_start();
	mapped_end(mapped_reg(mapped.memory, 1));
	mapped_stop();
}

void mapped_close(void)
{
	owner_close(&mapped.owner);
}

void mapped_start(void)
{
	void *memory = mmap(distant_address(), MAPPED_BYTES, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	expect(memory != MAP_FAILED);
	arc4random_buf(memory, MAPPED_BYTES);
	memcpy(mapped.before, memory, MAPPED_BYTES);
	mapped.memory = memory;
}

void mapped_stop(void)
{
	munmap(mapped.memory, MAPPED_BYTES);
}

struct xrdma_mr *mapped_reg(void *addr, size_t len)
{
	struct xrdma_mr *mr;

	expect_msg(xrdma_mr_reg(mapped.owner.pd, addr, len, 0, &mr) == 0, "%s", xrdma_error());
	return mr;
}

void mapped_end(struct xrdma_mr *mr)
{
	expect_int(xrdma_mr_close(mr), ==, 0);
}

struct xrdma_mkey_row mapped_row(const struct xrdma_mr *mr)
{
	const struct xrdma_mkey_row *rows = mapped.owner.context->tables.mkeys.rows;

	return rows[xrdma_mr_key(mr) >> XRDMA_KEY_INDEX_SHIFT & mapped.owner.context->keys->mask];
}

__u8 *mapped_reached(const struct xrdma_mr *mr)
{
	return (__u8 *)mapped.owner.context->heap.bytes + mapped_row(mr).offset;
}

int count_mappings(const void *start, size_t len)
{
	struct xrdma_mapping *list;
	int count = xrdma_mappings_list((uintptr_t)start, (uintptr_t)start + len, &list);

	free(list);
	return count;
}
