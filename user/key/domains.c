// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Open and close protection domains. */
#include <errno.h>
#include <stdlib.h>

#include "key/key.h"
#include "key/raw.h"
#include "lib/attr.h"
#include "lib/auth.h"
#include "lib/error.h"

enum {
	COMPATIBLE = XRDMA_MR_MODE_BASIC | XRDMA_MR_MODE_SCALABLE,
	/* XRDMA_MR_MODE_BASIC is a name for these modes. */
	BASIC = XRDMA_MR_MODE_LOCAL | XRDMA_MR_MODE_VIRT_ADDR | XRDMA_MR_MODE_ALLOCATED |
		XRDMA_MR_MODE_PROV_KEY,
	/* All modes that the library can ask for. A program need not support the others. */
	NEEDED = BASIC | XRDMA_MR_MODE_RAW | XRDMA_MR_MODE_MMU_NOTIFY | XRDMA_MR_MODE_RMA_EVENT |
		 XRDMA_MR_MODE_ENDPOINT,
	MODES = NEEDED | XRDMA_MR_MODE_HMEM,
};

static int open_pd(struct xrdma_context *context, __u32 mr_mode, __u64 auth, struct xrdma_pd **pd)
{
	int err = xrdma_context_enter(context);

	if (err)
		return err;
	*pd = malloc(sizeof(**pd));
	if (!*pd)
		return xrdma_fail(ENOMEM, "no memory for a protection domain");
	**pd = (struct xrdma_pd){
		.context = context,
		.mr_mode = mr_mode,
		.auth = auth,
		.number = xrdma_count_in(&context->keys->last_pd),
	};
	xrdma_count_in(&context->pds);
	return 0;
}

int xrdma_pd_alloc(struct xrdma_context *context, struct xrdma_pd **pd)
{
	return open_pd(context, BASIC, 0, pd);
}

/* Reduce *MODE to the modes that are needed. Set *MEANT to the modes in effect. */
static int negotiate(__u32 *mode, __u32 *meant)
{
	if (*mode & ~(COMPATIBLE | MODES))
		return xrdma_fail(EINVAL, "mr_mode 0x%x: 0x%x is unknown", *mode,
				  *mode & ~(COMPATIBLE | MODES));
	if (*mode & COMPATIBLE && *mode & (*mode - 1))
		return xrdma_fail(
			EINVAL,
			"mr_mode 0x%x: XRDMA_MR_MODE_BASIC and XRDMA_MR_MODE_SCALABLE cannot be "
			"combined with other bits",
			*mode);
	*meant = *mode == XRDMA_MR_MODE_BASIC ? BASIC : *mode & MODES;
	*mode &= COMPATIBLE | NEEDED;
	return 0;
}

int xrdma_pd_open(struct xrdma_context *context, struct xrdma_pd_attr *attr, struct xrdma_pd **pd)
{
	struct xrdma_pd_attr known;
	__u32 meant = 0;
	__u64 auth = 0;
	int err = xrdma_attr_read(attr, &known, sizeof(known), "xrdma_pd_attr");

	if (!err)
		err = negotiate(&known.mr_mode, &meant);
	if (!err)
		err = xrdma_auth_read(known.auth_key, known.auth_key_size, &auth);
	if (!err)
		err = open_pd(context, meant, auth, pd);
	if (err || !attr)
		return err;
	known.mr_key_size = xrdma_raw_key_size(*pd);
	known.mr_iov_limit = XRDMA_LAYOUT_ENTRIES_MAX;
	xrdma_attr_write(attr, &known, sizeof(known));
	return 0;
}

int xrdma_pd_bind_eq(struct xrdma_pd *pd, struct xrdma_eq *eq, __u64 flags)
{
	int err = xrdma_context_enter(pd->context);

	if (err)
		return err;
	if (flags != XRDMA_REG_MR)
		return xrdma_fail(XRDMA_EBADFLAGS, "flags 0x%llx: must be XRDMA_REG_MR", flags);
	return xrdma_worker_start(&pd->context->keys->registrar)
		       ?: xrdma_eq_bind(&pd->link, pd->context, eq);
}

int xrdma_pd_dealloc(struct xrdma_pd *pd)
{
	int err = xrdma_context_own(pd->context);
	__u32 users = xrdma_count(&pd->users);

	if (err)
		return err;
	if (users)
		return xrdma_fail(
			EBUSY,
			"the protection domain still has %u regions, windows, mkeys, encryption "
			"keys, queue pairs, mapped keys and counters",
			users);
	xrdma_eq_unbind(&pd->link);
	xrdma_count_out(&pd->context->pds);
	free(pd);
	return 0;
}
