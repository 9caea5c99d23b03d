// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Heap, domains and regions on the loaded device xa. tests/net/context.sh runs it. */
#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "support/owner.h"
#include "support/test.h"

#define DEVICE "xa"

Test(heap, memory_of_the_context)
{
	struct xrdma_context *context = open_small(DEVICE);
	void *a, *b;

	expect_int(xrdma_alloc(context, 100, 4096, &a), ==, 0);
	expect_int(xrdma_alloc(context, 100, 4096, &b), ==, 0);
	expect_int((uintptr_t)a % 4096, ==, 0);
	expect(a != b);
	memset(a, 1, 100);
	expect_int(xrdma_free(context, a), ==, 0);
	expect_int(xrdma_free(context, NULL), ==, 0);
	expect_error(xrdma_free(context, a), EINVAL, "not from xrdma_alloc");
	expect_error(xrdma_free(context, &a), EINVAL, "not from xrdma_alloc");
	expect_error(xrdma_alloc(context, 0, 1, &a), EINVAL, "at least one byte");
	expect_error(xrdma_alloc(context, 1, 24, &a), EINVAL, "power of two");
	expect_error(xrdma_alloc(context, 1, 0, &a), EINVAL, "power of two");
	expect_int(xrdma_free(context, b), ==, 0);
	expect_error(xrdma_alloc(context, XRDMA_HEAP_ELEMENT + 1, 1, &a), ENOMEM,
		     "larger heap_max");
	expect_int(xrdma_alloc(context, XRDMA_HEAP_ELEMENT, 1, &a), ==, 0);
	expect_error(xrdma_alloc(context, 1, 1, &b), ENOMEM,
		     "no 1 bytes in one piece in the heap: free some, or open the context with a "
		     "larger heap_max");
	expect_int(xrdma_context_close(context), ==, 0);
}

Test(pd, is_in_use)
{
	struct xrdma_context *context = open_small(DEVICE);
	struct xrdma_pd *pd;
	struct xrdma_mr *mr;
	void *memory;

	expect_int(xrdma_pd_alloc(context, &pd), ==, 0);
	expect_error(xrdma_context_close(context), EBUSY, "1 protection domains");
	expect_int(xrdma_alloc(context, 64, 1, &memory), ==, 0);
	expect_int(xrdma_mr_reg(pd, memory, 64, 0, &mr), ==, 0);
	expect_error(xrdma_pd_dealloc(pd), EBUSY, "1 regions");
	expect_int(xrdma_mr_close(mr), ==, 0);
	expect_int(xrdma_pd_dealloc(pd), ==, 0);
	expect_int(xrdma_context_close(context), ==, 0);
}

static struct owner owner;

static void open_owner(void)
{
	owner_open(&owner, DEVICE);
}

static void close_owner(void)
{
	owner_close(&owner);
}

TestSuite(mr, .once = open_owner, .end = close_owner);

/* Returns the row that XDP finds by a key. */
static struct xrdma_mkey_row row_of(__u32 key)
{
	const struct xrdma_mkey_row *rows = owner.context->tables.mkeys.rows;

	return rows[key >> XRDMA_KEY_INDEX_SHIFT & owner.context->keys->mask];
}

Test(mr, row)
{
	const unsigned int access = XRDMA_ACCESS_LOCAL_WRITE | XRDMA_ACCESS_REMOTE_WRITE;
	struct xrdma_mkey_row row;
	struct xrdma_mr *mr;
	__u32 key;

	expect_int(xrdma_mr_reg(owner.pd, owner.memory + 5, 1000, access, &mr), ==, 0);
	key = xrdma_mr_key(mr);
	row = row_of(key);
	expect_int(row.key, ==, key);
	expect_int(row.state, ==, XRDMA_MKEY_STATE_VALID);
	expect_int(row.kind, ==, XRDMA_MKEY_KIND_MR);
	expect_int(row.rights, ==,
		   access | XRDMA_ACCESS_LOCAL_READ | XRDMA_ACCESS_WRITE | XRDMA_ACCESS_SEND |
			   (access & XRDMA_ACCESS_LOCAL_WRITE
				    ? XRDMA_ACCESS_READ | XRDMA_ACCESS_RECV
				    : 0));
	expect_int(row.pd, ==, owner.pd->number);
	expect_int(row.base, ==, (uintptr_t)owner.memory + 5);
	expect_int(row.len, ==, 1000);
	expect((__u8 *)owner.context->heap.bytes + row.offset == owner.memory + 5);
	expect_int(xrdma_mr_close(mr), ==, 0);
	expect_int(row_of(key).state, ==, XRDMA_MKEY_STATE_INVALID);
	expect_int(xrdma_mr_reg(owner.pd, owner.memory, 1, XRDMA_ACCESS_ZERO_BASED, &mr), ==, 0);
	expect_int(row_of(xrdma_mr_key(mr)).base, ==, 0);
	expect_int(xrdma_mr_close(mr), ==, 0);
}

Test(mr, refusals)
{
	struct xrdma_mr *mr;
	void *next;

	expect_int(xrdma_alloc(owner.context, 4096, 64, &next), ==, 0);
	expect((__u8 *)next == owner.memory + OWNER_BYTES);
	expect_error(xrdma_mr_reg(owner.pd, owner.memory, 0, 0, &mr), EINVAL, "0 bytes");
	expect_error(xrdma_mr_reg(owner.pd, owner.memory, OWNER_BYTES + 1, 0, &mr), EINVAL,
		     "one piece");
	expect_error(xrdma_mr_reg(owner.pd, owner.memory, (size_t)-1, 0, &mr), EINVAL, "one piece");
	expect_error(xrdma_mr_reg(owner.pd, owner.memory, 1, 1 << 20, &mr), EINVAL, "unknown");
	expect_error(xrdma_mr_reg(owner.pd, owner.memory, 1, XRDMA_ACCESS_REMOTE_WRITE, &mr),
		     EINVAL, "local write");
	expect_error(xrdma_mr_reg(owner.pd, owner.memory, 1, XRDMA_ACCESS_REMOTE_ATOMIC, &mr),
		     EINVAL, "local write");
}

/*
 * Keys are unique. Their low bits are the index of the row. The other bits differ between two
 * successive keys of a row.
 */
Test(mr, keys)
{
	enum { ROWS = 16, ROUNDS = 200 };
	struct xrdma_mr *mrs[ROWS], *extra;
	__u32 seen = 0, all = 0, none = ~0, last[ROWS] = { 0 };

	for (int i = 0; i < ROWS; i++) {
		expect_int(xrdma_mr_reg(owner.pd, owner.memory, 64, 0, &mrs[i]), ==, 0);
		seen |= 1 << (xrdma_mr_key(mrs[i]) >> XRDMA_KEY_INDEX_SHIFT & (ROWS - 1));
	}
	expect_int(seen, ==, (1 << ROWS) - 1);
	expect_error(xrdma_mr_reg(owner.pd, owner.memory, 64, 0, &extra), ENOMEM, "more mkeys");
	for (int round = 0; round < ROUNDS; round++) {
		__u32 key = xrdma_mr_key(mrs[round % ROWS]);

		expect_int(xrdma_mr_close(mrs[round % ROWS]), ==, 0);
		expect_int(xrdma_mr_reg(owner.pd, owner.memory, 64, 0, &mrs[round % ROWS]), ==, 0);
		last[round % ROWS] = xrdma_mr_key(mrs[round % ROWS]);
		expect_int(last[round % ROWS], !=, key);
		all |= last[round % ROWS];
		none &= last[round % ROWS];
	}
	expect_int(all, ==, 0xffffffff); /* each bit was both 1 and 0 in some key */
	expect_int(none, ==, 0);
	for (int i = 0; i < ROWS; i++)
		expect_int(xrdma_mr_close(mrs[i]), ==, 0);
}
