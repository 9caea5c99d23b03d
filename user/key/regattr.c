// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Registration calls of libfabric (fi_mr(3)). */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "key/key.h"
#include "key/mr.h"
#include "lib/attr.h"
#include "lib/auth.h"
#include "lib/error.h"
#include "lib/order.h"
#include "obj/eq.h"

enum {
	ACCESS = XRDMA_ACCESS_READ | XRDMA_ACCESS_WRITE | XRDMA_ACCESS_RECV | XRDMA_ACCESS_SEND |
		 XRDMA_ACCESS_REMOTE_READ | XRDMA_ACCESS_REMOTE_WRITE | XRDMA_ACCESS_REMOTE_ATOMIC,
	WRITTEN = XRDMA_ACCESS_READ | XRDMA_ACCESS_RECV | XRDMA_ACCESS_REMOTE_WRITE |
		  XRDMA_ACCESS_REMOTE_ATOMIC,
};

static int check_flags(__u64 flags)
{
	if (flags & XRDMA_RMA_PMEM)
		return xrdma_fail(XRDMA_EBADFLAGS,
				  "XRDMA_RMA_PMEM: the heap is not persistent memory");
	if (flags & ~XRDMA_RMA_EVENT)
		return xrdma_fail(XRDMA_EBADFLAGS, "flags 0x%llx are unknown",
				  flags & ~XRDMA_RMA_EVENT);
	return 0;
}

static int check_buffers(const struct xrdma_mr_attr *attr)
{
	__u64 sum = 0;

	if (!attr->mr_iov || !attr->iov_count || attr->iov_count > XRDMA_LAYOUT_ENTRIES_MAX)
		return xrdma_fail(EINVAL, "%zu buffers: 1 to %d",
				  attr->mr_iov ? attr->iov_count : 0, XRDMA_LAYOUT_ENTRIES_MAX);
	for (size_t i = 0; i < attr->iov_count; i++) {
		if (!attr->mr_iov[i].iov_len)
			return xrdma_fail(EINVAL, "buffer %zu has 0 bytes: at least one", i);
		if (__builtin_add_overflow(sum, attr->mr_iov[i].iov_len, &sum))
			return xrdma_fail(EINVAL, "the buffers have 2^64 bytes or more");
	}
	return 0;
}

static int check_attr(const struct xrdma_pd *pd, const struct xrdma_mr_attr *attr)
{
	if (attr->access & ~(__u64)ACCESS)
		return xrdma_fail(EINVAL,
				  "access 0x%llx: xrdma_mr_regattr() does not accept 0x%llx",
				  attr->access, attr->access & ~(__u64)ACCESS);
	if (attr->offset)
		return xrdma_fail(EINVAL, "offset is %llu: must be 0", attr->offset);
	if (pd->mr_mode & XRDMA_MR_MODE_HMEM && attr->iface != XRDMA_HMEM_SYSTEM)
		return xrdma_fail(EOPNOTSUPP, "iface %d: device memory is not supported",
				  attr->iface);
	return check_buffers(attr);
}

/*
 * Returns the rights for a row. The XDP programs check LOCAL_WRITE, too, where a request changes
 * the memory.
 */
static __u32 rights_of(__u64 access)
{
	return XRDMA_ACCESS_LOCAL_READ | access | (access & WRITTEN ? XRDMA_ACCESS_LOCAL_WRITE : 0);
}

/* Asynchronous registration, in a block of malloc(). */
struct later {
	struct xrdma_task task;
	struct xrdma_event *event; /* reports the result */
	struct xrdma_pd *pd;
	struct xrdma_mr_conf conf;
	struct xrdma_mr **mr;
	struct iovec iov[];
};

/* Register the memory of TASK. *MR is set before the application can read the event. */
static void register_now(struct xrdma_task *task)
{
	struct later *later = (struct later *)task;
	struct xrdma_event *event = later->event;

	event->err = xrdma_mr_create(later->pd, &later->conf, later->mr);
	if (event->err)
		event->message = strdup(xrdma_error());
	else
		event->entry.fid = *later->mr;
	xrdma_eq_add(XRDMA_OBSERVE(later->pd->link.eq), event, &later->pd->users);
	free(later);
}

static int register_later(struct xrdma_pd *pd, const struct xrdma_mr_conf *conf, void *context,
			  struct xrdma_mr **mr)
{
	struct later *later = malloc(sizeof(*later) + conf->count * sizeof(*conf->iov));
	struct xrdma_event *event = malloc(sizeof(*event));

	if (!later || !event) {
		free(later);
		free(event);
		return xrdma_fail(ENOMEM, "no memory for a region");
	}
	*event = (struct xrdma_event){ .number = XRDMA_EVENT_MR_COMPLETE,
				       .len = sizeof(event->entry),
				       .entry.context = context };
	*later = (struct later){
		.task.run = register_now,
		.event = event,
		.pd = pd,
		.conf = *conf,
		.mr = mr,
	};
	memcpy(later->iov, conf->iov, conf->count * sizeof(*conf->iov));
	later->conf.iov = later->iov;
	xrdma_count_in(&pd->users);
	xrdma_worker_submit(&pd->context->keys->registrar, &later->task);
	return 0;
}

int xrdma_mr_regattr(struct xrdma_pd *pd, const struct xrdma_mr_attr *attr, __u64 flags,
		     struct xrdma_mr **mr)
{
	struct xrdma_mr_attr known;
	struct xrdma_mr_conf conf;
	__u64 auth = pd->auth;
	int err =
		xrdma_attr_read(attr, &known, sizeof(known), "xrdma_mr_attr") ?: check_flags(flags);

	if (!err)
		err = check_attr(pd, &known);
	if (!err)
		err = xrdma_auth_read(known.auth_key, known.auth_key_size, &auth);
	if (err)
		return err;
	conf = (struct xrdma_mr_conf){
		.iov = known.mr_iov,
		.count = known.iov_count,
		.rights = rights_of(known.access),
		.by_addr = true,
		.backing = xrdma_pd_backing(pd),
		.has_user_key = !(pd->mr_mode & XRDMA_MR_MODE_PROV_KEY),
		.key = known.requested_key,
		.is_raw = pd->mr_mode & XRDMA_MR_MODE_RAW,
		.auth = auth,
		.has_events = flags & XRDMA_RMA_EVENT,
		.disabled = flags & XRDMA_RMA_EVENT || pd->mr_mode & XRDMA_MR_MODE_ENDPOINT,
		.base = pd->mr_mode & XRDMA_MR_MODE_VIRT_ADDR ? (uintptr_t)known.mr_iov->iov_base
							      : 0,
	};
	if (XRDMA_OBSERVE(pd->link.eq))
		return xrdma_context_enter(pd->context)
			       ?: register_later(pd, &conf, known.context, mr);
	return xrdma_mr_create(pd, &conf, mr);
}
