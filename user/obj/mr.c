// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

#include "obj/context.h"
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

static int reg(struct xrdma_pd *pd, void *addr, size_t len, unsigned int access,
	       struct xrdma_mr *mr)
{
	struct xrdma_context *context = pd->context;
	size_t at = (char *)addr - context->heap.bytes;
	struct xrdma_mkey_row row = {
		.kind = XRDMA_MKEY_MR,
		.state = XRDMA_MKEY_VALID,
		.rights = access | XRDMA_ACCESS_LOCAL_READ,
		.pd = pd->number,
		.base = access & XRDMA_ACCESS_ZERO_BASED ? 0 : (uintptr_t)addr,
		.len = len,
		.offset = at,
	};
	int err;

	if (!len || !xrdma_heap_holds(&context->heap, at, len))
		return xrdma_fail(EINVAL,
				  "%zu bytes at %p are not in one piece of memory from "
				  "xrdma_alloc()",
				  len, addr);
	err = xrdma_key_publish(context, &row, &mr->row);
	if (err)
		return err;
	mr->key = row.key;
	xrdma_count_in(&pd->users);
	return 0;
}

int xrdma_mr_reg(struct xrdma_pd *pd, void *addr, size_t len, unsigned int access,
		 struct xrdma_mr **mr)
{
	int err = check_access(access);

	if (err)
		return err;
	*mr = malloc(sizeof(**mr));
	if (!*mr)
		return xrdma_fail(ENOMEM, "no memory for a region");
	(*mr)->pd = pd;
	err = xrdma_context_enter(pd->context);
	if (!err)
		err = reg(pd, addr, len, access, *mr);
	if (err)
		free(*mr);
	return err;
}

__u32 xrdma_mr_key(const struct xrdma_mr *mr)
{
	return mr->key;
}

int xrdma_mr_dereg(struct xrdma_mr *mr)
{
	struct xrdma_context *context = mr->pd->context;
	int err = xrdma_context_own(context);

	if (!err)
		err = xrdma_mws_leave_region(context, mr->row);
	if (err)
		return err;
	xrdma_key_revoke(context, mr->row);
	xrdma_count_out(&mr->pd->users);
	free(mr);
	return 0;
}
