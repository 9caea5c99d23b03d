// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

#include "obj/context.h"
#include "dev/adopt.h"
#include "dev/pages.h"
#include "lib/error.h"
#include "obj/key.h"
#include "obj/mw.h"

enum {
	XRDMA_MR_ACCESS = XRDMA_ACCESS_LOCAL_WRITE | XRDMA_ACCESS_REMOTE_WRITE |
			  XRDMA_ACCESS_REMOTE_READ | XRDMA_ACCESS_REMOTE_ATOMIC |
			  XRDMA_ACCESS_MW_BIND | XRDMA_ACCESS_ZERO_BASED |
			  XRDMA_ACCESS_REMOTE_INVALIDATE,
};

struct xrdma_mr {
	struct xrdma_pd *pd;
	struct xrdma_mkey_row *row;
	__u32 key;
	__u64 addr, adopted;	  /* bytes of memory that is not from xrdma_alloc() */
	struct xrdma_pages pages; /* of these */
};

/* What a peer may change, the process may (ibv_reg_mr(3)). */
static int check_access(unsigned int access)
{
	if (access & ~XRDMA_MR_ACCESS)
		return xrdma_fail(EINVAL, "access 0x%x: 0x%x is unknown", access,
				  access & ~XRDMA_MR_ACCESS);
	if (access & (XRDMA_ACCESS_REMOTE_WRITE | XRDMA_ACCESS_REMOTE_ATOMIC) &&
	    !(access & XRDMA_ACCESS_LOCAL_WRITE))
		return xrdma_fail(EINVAL, "remote write and remote atomic access need local write "
					  "access too");
	return 0;
}

/* The LEN bytes at ADDR, which are not from xrdma_alloc(), become memory of the heap. */
static int adopt(struct xrdma_mr *mr, __u64 addr, __u64 len)
{
	struct xrdma_heap *heap = &mr->pd->context->heap;
	int err = xrdma_adopt(heap, addr, len);

	if (err)
		return err;
	err = xrdma_pages_create(&mr->pages, heap, addr, len);
	if (err) {
		xrdma_disown(addr, len);
		return err;
	}
	mr->addr = addr;
	mr->adopted = len;
	return 0;
}

/* Where the memory of MR, LEN bytes at ADDR, begins: *OFFSET, as its row is to have it. */
static int find_memory(struct xrdma_mr *mr, __u64 addr, __u64 len, __u64 *offset)
{
	struct xrdma_heap *heap = &mr->pd->context->heap;
	int err;

	if (!len)
		return xrdma_fail(EINVAL, "0 bytes at %#llx: at least one", addr);
	*offset = addr - (uintptr_t)heap->bytes;
	if (xrdma_heap_holds(heap, *offset, len))
		return 0;
	if (*offset < XRDMA_HEAP_MAX)
		return xrdma_fail(EINVAL,
				  "%llu bytes at %#llx are not in one piece of memory from "
				  "xrdma_alloc()",
				  len, addr);
	err = adopt(mr, addr, len);
	*offset = mr->pages.offset;
	return err;
}

/* What find_memory() found is needed no more. */
static void leave_memory(const struct xrdma_mr *mr)
{
	if (!mr->adopted)
		return;
	xrdma_pages_destroy(&mr->pages, &mr->pd->context->heap);
	xrdma_disown(mr->addr, mr->adopted);
}

static int reg(struct xrdma_mr *mr, void *addr, size_t len, unsigned int access)
{
	struct xrdma_pd *pd = mr->pd;
	struct xrdma_mkey_row row = {
		.kind = XRDMA_MKEY_MR,
		.state = XRDMA_MKEY_VALID,
		.rights = xrdma_key_rights(access),
		.pd = pd->number,
		.base = access & XRDMA_ACCESS_ZERO_BASED ? 0 : (uintptr_t)addr,
		.len = len,
	};
	int err = find_memory(mr, (uintptr_t)addr, len, &row.offset);

	if (err)
		return err;
	err = xrdma_key_publish(pd->context, &row, &mr->row);
	if (err) {
		leave_memory(mr);
		return err;
	}
	mr->key = row.key;
	xrdma_count_in(&pd->users);
	return 0;
}

int xrdma_reg_mr(struct xrdma_pd *pd, void *addr, size_t len, unsigned int access,
		 struct xrdma_mr **mr)
{
	int err = check_access(access);

	if (err)
		return err;
	*mr = calloc(1, sizeof(**mr));
	if (!*mr)
		return xrdma_fail(ENOMEM, "no memory for a region");
	(*mr)->pd = pd;
	err = xrdma_context_enter(pd->context);
	if (!err)
		err = reg(*mr, addr, len, access);
	if (err)
		free(*mr);
	return err;
}

__u32 xrdma_mr_key(const struct xrdma_mr *mr)
{
	return mr->key;
}

int xrdma_mr_close(struct xrdma_mr *mr)
{
	struct xrdma_context *context = mr->pd->context;
	int err = xrdma_context_own(context);

	if (!err)
		err = xrdma_mws_leave_region(context, mr->row);
	if (err)
		return err;
	xrdma_key_revoke(context, mr->row);
	leave_memory(mr);
	xrdma_count_out(&mr->pd->users);
	free(mr);
	return 0;
}
