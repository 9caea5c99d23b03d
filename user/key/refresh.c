// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Refresh regions whose memory was mapped, or mapped anew, after their registration. */
#include <errno.h>
#include <stdint.h>

#include "key/mr.h"
#include "lib/error.h"

/* Rights that forbid a refresh. A window may use such a key, or a peer may have invalidated it. */
enum { NOT_REFRESHED = XRDMA_ACCESS_MW_BIND | XRDMA_ACCESS_REMOTE_INVALIDATE };

static int check_region(const struct xrdma_mr *mr)
{
	if (mr->region.row->rights & NOT_REFRESHED)
		return xrdma_fail(
			EOPNOTSUPP,
			"regions of XRDMA_ACCESS_MW_BIND or XRDMA_ACCESS_REMOTE_INVALIDATE "
			"are not refreshed: register the memory anew");
	return 0;
}

static bool holds(const struct xrdma_buffer *buffer, const struct iovec *portion)
{
	const __u64 skip = (uintptr_t)portion->iov_base - buffer->addr;

	return skip < buffer->len && portion->iov_len <= buffer->len - skip;
}

static int check_portion(const struct xrdma_region *region, const struct iovec *portion)
{
	bool found = false;

	for (__u32 i = 0; i < region->count && !found; i++)
		found = holds(&region->buffers[i].buffer, portion);
	return found ? 0
		     : xrdma_fail(EINVAL, "%zu bytes at %p are not in a buffer of the region",
				  portion->iov_len, portion->iov_base);
}

static int check_portions(const struct xrdma_region *region, const struct iovec *iov, size_t count)
{
	int err = 0;

	if (!iov && count)
		return xrdma_fail(EINVAL, "iov is NULL, but count is %zu", count);
	for (size_t i = 0; i < count && !err; i++)
		err = check_portion(region, &iov[i]);
	return err;
}

/* Refresh COUNT portions of REGION, or all of it if COUNT is 0. */
static int refresh(struct xrdma_region *region, const struct iovec *iov, size_t count)
{
	int err = 0;

	for (size_t i = 0; i < count && !err; i++)
		err = xrdma_region_refresh(region, &iov[i]);
	for (__u32 i = 0; i < region->count && !count && !err; i++) {
		const struct xrdma_buffer *buffer = &region->buffers[i].buffer;
		const struct iovec all = { (void *)buffer->addr, buffer->len };

		err = xrdma_region_refresh(region, &all);
	}
	return err;
}

static bool is_enabled(const struct xrdma_mr *mr)
{
	return mr->phase == XRDMA_MR_PHASE_USABLE || mr->phase == XRDMA_MR_PHASE_ENABLED;
}

static void set_enabled(struct xrdma_mr *mr, void (*set)(struct xrdma_region *region))
{
	struct xrdma_mutex *lock = &mr->pd->context->keys->lock;

	xrdma_mutex_lock(lock);
	if (is_enabled(mr))
		set(&mr->region);
	xrdma_mutex_unlock(lock);
}

int xrdma_mr_refresh(struct xrdma_mr *mr, const struct iovec *iov, size_t count, __u64 flags)
{
	int err = xrdma_context_enter(mr->pd->context);

	if (!err && flags)
		err = xrdma_fail(XRDMA_EBADFLAGS, "flags 0x%llx are unknown", flags);
	if (!err)
		err = check_region(mr) ?: check_portions(&mr->region, iov, count);
	if (err)
		return err;
	xrdma_mutex_lock(&mr->refreshing);
	set_enabled(mr, xrdma_region_disable);
	err = refresh(&mr->region, iov, count);
	set_enabled(mr, xrdma_region_enable);
	xrdma_mutex_unlock(&mr->refreshing);
	return err;
}
